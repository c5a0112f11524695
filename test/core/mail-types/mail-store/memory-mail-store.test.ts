import { mailStore } from '../../../../core/mail-types/mail-store/table-mail-store.ts';
import { mailStoreChangesSuite } from '../../../port-suites/mail-store-changes-suite.ts';
import { mailStoreCreationSuite } from '../../../port-suites/mail-store-creation-suite.ts';
import { mailStoreSuite } from '../../../port-suites/mail-store-suite.ts';
import { mailStoreQuerySuite } from '../../../port-suites/mail-store-query-suite.ts';
import { recordCommitSuite } from '../../../port-suites/record-commit-suite.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';

const makeStores = () => {
  const table = memoryTable();
  return () => mailStore({ table });
};

describe('the mail store in the memory table', () => {
  mailStoreSuite(makeStores, memoryTable);
  mailStoreCreationSuite(makeStores, memoryTable);
  recordCommitSuite(makeStores, memoryTable);
  mailStoreChangesSuite(makeStores);
  mailStoreQuerySuite(makeStores);
});
