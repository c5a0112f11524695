import { mailStore } from '../../core/mail/mail-store/table-mail-store.ts';
import type { Table } from '../../core/storage/table.ts';
import { mailStoreChangesSuite } from './mail-store-changes-suite.ts';
import { mailStoreCreationSuite } from './mail-store-creation-suite.ts';
import { mailStoreQuerySuite } from './mail-store-query-suite.ts';
import { mailStoreSuite } from './mail-store-suite.ts';
import { recordCommitSuite } from './record-commit-suite.ts';

/** The behaviour of the mail store over one kind of table. `makeTable` creates an empty table. */
export const mailStoreSuites = (makeTable: () => Promise<Table> | Table): void => {
  const makeStores = async () => {
    const table = await makeTable();
    return () => mailStore({ table });
  };
  mailStoreSuite(makeStores, makeTable);
  mailStoreCreationSuite(makeStores, makeTable);
  recordCommitSuite(makeStores, makeTable);
  mailStoreChangesSuite(makeStores);
  mailStoreQuerySuite(makeStores);
};
