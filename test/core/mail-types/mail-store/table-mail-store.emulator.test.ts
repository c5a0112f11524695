import { mailStore } from '../../../../core/mail-types/mail-store/table-mail-store.ts';
import { mailStoreChangesSuite } from '../../../port-suites/mail-store-changes-suite.ts';
import { mailStoreCreationSuite } from '../../../port-suites/mail-store-creation-suite.ts';
import { mailStoreSuite } from '../../../port-suites/mail-store-suite.ts';
import { mailStoreQuerySuite } from '../../../port-suites/mail-store-query-suite.ts';
import { recordCommitSuite } from '../../../port-suites/record-commit-suite.ts';
import { withDynamodb } from '../../../support/dynamodb.ts';

const dynamodb = withDynamodb();

const makeStores = async () => {
  const table = await dynamodb.newTable();
  return () => mailStore({ table });
};

describe('the mail store in DynamoDB', () => {
  mailStoreSuite(makeStores, () => dynamodb.newTable());
  mailStoreCreationSuite(makeStores, () => dynamodb.newTable());
  recordCommitSuite(makeStores, () => dynamodb.newTable());
  mailStoreChangesSuite(makeStores);
  mailStoreQuerySuite(makeStores);
});
