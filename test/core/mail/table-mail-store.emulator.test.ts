import { mailStore } from '../../../core/mail/table-mail-store.ts';
import { mailStoreChangesContract } from '../../port-suites/mail-store-changes-suite.ts';
import { mailStoreCreationContract } from '../../port-suites/mail-store-creation-suite.ts';
import { mailStoreContract } from '../../port-suites/mail-store-suite.ts';
import { mailStoreQueryContract } from '../../port-suites/mail-store-query-suite.ts';
import { withDynamodb } from '../../support/dynamodb.ts';

const dynamodb = withDynamodb();

const makeStores = async () => {
  const table = await dynamodb.newTable();
  return () => mailStore({ table });
};

describe('the mail store over DynamoDB', () => {
  mailStoreContract(makeStores, () => dynamodb.newTable());
  mailStoreCreationContract(makeStores, () => dynamodb.newTable());
  mailStoreChangesContract(makeStores);
  mailStoreQueryContract(makeStores);
});
