import { socketListenerSuite } from '../../../port-suites/socket-listener-suite.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';

socketListenerSuite(memoryTable);
