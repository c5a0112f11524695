import { tableContract } from '../../contracts/table-contract.ts';
import { memoryTable } from '../../fakes/memory-table.ts';

describe('the table in memory', () => tableContract(memoryTable));
