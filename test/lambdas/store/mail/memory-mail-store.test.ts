import { mailStore } from '../../../../lambdas/store/mail/table-mail-store.ts';
import { mailStoreChangesContract } from '../../../contracts/mail-store-changes-contract.ts';
import { mailStoreContract } from '../../../contracts/mail-store-contract.ts';
import { mailStoreQueryContract } from '../../../contracts/mail-store-query-contract.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';

const makeStores = () => {
  const table = memoryTable();
  return () => mailStore({ table });
};

describe('the mail store over the table in memory', () => {
  mailStoreContract(makeStores, memoryTable);
  mailStoreChangesContract(makeStores);
  mailStoreQueryContract(makeStores);
});
