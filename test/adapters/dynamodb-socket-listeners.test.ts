import { socketListenersContract } from '../contracts/socket-listeners-contract.ts';
import { withDynamodb } from '../support/dynamodb.ts';

describe('what sockets want to be told, over DynamoDB', () => {
  const dynamodb = withDynamodb();
  socketListenersContract(() => dynamodb.newTable());
});
