import { socketListenerSuite } from '../../port-suites/socket-listener-suite.ts';
import { withDynamodb } from '../../support/dynamodb.ts';

describe('what sockets want to be told, over DynamoDB', () => {
  const dynamodb = withDynamodb();
  socketListenerSuite(() => dynamodb.newTable());
});
