import { socketListenersContract } from '../../port-suites/socket-listeners-suite.ts';
import { memoryTable } from '../../fakes/memory-table.ts';

socketListenersContract(memoryTable);
