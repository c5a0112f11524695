import { mailStoreSuites } from '../../../port-suites/mail-store-suites.ts';
import { withDynamodb } from '../../../support/dynamodb.ts';

const dynamodb = withDynamodb();

describe('the mail store in DynamoDB', () => mailStoreSuites(() => dynamodb.newTable()));
