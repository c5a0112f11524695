import { socketListenerSuite } from '../../../port-suites/socket-listener-suite.ts';
import { withDynamodb } from '../../../support/dynamodb.ts';

describe('socket listeners in DynamoDB', () => {
  const dynamodb = withDynamodb();
  socketListenerSuite(() => dynamodb.newTable());
});
