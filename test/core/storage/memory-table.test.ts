import { memoryTable } from '../../fakes/memory-table.ts';
import { tableSuite } from '../../port-suites/table-suite.ts';

describe('the table in memory', () => tableSuite(memoryTable));
