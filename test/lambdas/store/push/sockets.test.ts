import { socketListenersContract } from '../../../contracts/socket-listeners-contract.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';

socketListenersContract(memoryTable);
