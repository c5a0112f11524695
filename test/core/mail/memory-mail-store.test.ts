import { mailStore } from '../../../core/mail/table-mail-store.ts';
import { mailStoreChangesContract } from '../../port-suites/mail-store-changes-suite.ts';
import { mailStoreCreationContract } from '../../port-suites/mail-store-creation-suite.ts';
import { mailStoreContract } from '../../port-suites/mail-store-suite.ts';
import { mailStoreQueryContract } from '../../port-suites/mail-store-query-suite.ts';
import { memoryTable } from '../../fakes/memory-table.ts';

const makeStores = () => {
  const table = memoryTable();
  return () => mailStore({ table });
};

describe('the mail store over the table in memory', () => {
  mailStoreContract(makeStores, memoryTable);
  mailStoreCreationContract(makeStores, memoryTable);
  mailStoreChangesContract(makeStores);
  mailStoreQueryContract(makeStores);
});
