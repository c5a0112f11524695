import { socketsContract } from '../../../contracts/sockets-contract.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';

socketsContract(memoryTable);
