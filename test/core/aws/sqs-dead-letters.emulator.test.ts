import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { sqsDeadLetters } from '../../../core/aws/sqs-dead-letters.ts';
import { deadLettersSuite } from '../../port-suites/dead-letters-suite.ts';
import { withTestEmulator } from '../../support/test-emulator.ts';

withTestEmulator();

describe('dead letters in SQS', () => {
  deadLettersSuite(async () => {
    const queueName = 'dead-letters';
    await new SQSClient({ useQueueUrlAsEndpoint: false }).send(new CreateQueueCommand({ QueueName: queueName }));
    return { deadLetters: sqsDeadLetters(), queueName };
  });
});
