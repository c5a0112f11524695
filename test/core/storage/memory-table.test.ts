import { tableSuite } from '../../port-suites/table-suite.ts';
import { memoryTable } from '../../fakes/memory-table.ts';

describe('the table in memory', () => tableSuite(memoryTable));
