import { socketListenersContract } from '../../port-suites/socket-listeners-suite.ts';
import { withDynamodb } from '../../support/dynamodb.ts';

describe('what sockets want to be told, over DynamoDB', () => {
  const dynamodb = withDynamodb();
  socketListenersContract(() => dynamodb.newTable());
});
