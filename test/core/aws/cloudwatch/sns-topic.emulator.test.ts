import { CreateTopicCommand, SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import { CreateQueueCommand, GetQueueAttributesCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { snsTopic } from '../../../../core/aws/cloudwatch/sns-topic.ts';
import { withTestEmulator } from '../../../support/test-emulator.ts';

withTestEmulator();

test('a published text reaches a subscriber of the topic in SNS, with its subject', async () => {
  const [sns, sqs] = [new SNSClient(), new SQSClient({ useQueueUrlAsEndpoint: false })];
  const { TopicArn = '' } = await sns.send(new CreateTopicCommand({ Name: 'alarms' }));
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'subscriber' }));
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }));
  await sns.send(new SubscribeCommand({ TopicArn, Protocol: 'sqs', Endpoint: Attributes!['QueueArn'] }));
  await snsTopic(TopicArn).publish('A subject', 'A text\nof two lines');
  const { Messages: messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 5 }));
  expect(messages.map(({ Body }) => JSON.parse(Body!) as object)).toMatchObject([{ Subject: 'A subject', Message: 'A text\nof two lines' }]);
  sns.destroy();
  sqs.destroy();
});
