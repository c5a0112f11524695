import { tableContract } from '../../port-suites/table-suite.ts';
import { memoryTable } from '../../fakes/memory-table.ts';

describe('the table in memory', () => tableContract(memoryTable));
