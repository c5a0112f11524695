import { mailStore } from '../../lambdas/store/mail/table-mail-store.ts';
import { mailStoreChangesContract } from '../contracts/mail-store-changes-contract.ts';
import { mailStoreContract } from '../contracts/mail-store-contract.ts';
import { mailStoreQueryContract } from '../contracts/mail-store-query-contract.ts';
import { withDynamodb } from '../support/dynamodb.ts';

const dynamodb = withDynamodb();

const makeStores = async () => {
  const table = await dynamodb.newTable();
  return () => mailStore({ table });
};

describe('the mail store over DynamoDB', () => {
  mailStoreContract(makeStores, () => dynamodb.newTable());
  mailStoreChangesContract(makeStores);
  mailStoreQueryContract(makeStores);
});
