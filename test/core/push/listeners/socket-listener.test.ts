import { memoryTable } from '../../../fakes/memory-table.ts';
import { socketListenerSuite } from '../../../port-suites/socket-listener-suite.ts';

socketListenerSuite(memoryTable);
