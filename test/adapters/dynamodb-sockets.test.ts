import { socketsContract } from '../contracts/sockets-contract.ts';
import { withDynamodb } from '../support/dynamodb.ts';

describe('sockets over DynamoDB', () => {
  const dynamodb = withDynamodb();
  socketsContract(() => dynamodb.newTable());
});
