import { randomUUID } from 'node:crypto';
import { PublishCommand, SNSClient, SubscribeCommand, UnsubscribeCommand } from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { deployed } from './deployment.ts';
import { eventually } from './http-requests.ts';

const { inboundTopicArn: topicArn, inboundQueueUrl } = deployed.outputs;

/**
 * The SNS notifications of SES about received mail, read from a queue that the test creates. They can be published
 * again.
 */
export type Notifications = {
  /** The notification of the message with this subject, as SES published it. */
  find(subject: string): Promise<string>;
  /** Publishes a notification as SES does. */
  publish(notification: string): Promise<void>;
  /** Waits until the deployment's inbound queue is empty. */
  untilProcessed(): Promise<void>;
  close(): Promise<void>;
};

type Queue = { readonly url: string; readonly arn: string };

const createQueue = async (sqs: SQSClient): Promise<Queue> => {
  const { QueueUrl: url = '' } = await sqs.send(new CreateQueueCommand({ QueueName: `postrider-test-${randomUUID()}` }));
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn'] }));
  const arn = Attributes?.QueueArn ?? '';
  const Policy = JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { Service: 'sns.amazonaws.com' },
        Action: 'sqs:SendMessage',
        Resource: arn,
        Condition: { ArnEquals: { 'aws:SourceArn': topicArn } },
      },
    ],
  });
  await sqs.send(new SetQueueAttributesCommand({ QueueUrl: url, Attributes: { Policy } }));
  return { url, arn };
};

const queuedMessages = async (sqs: SQSClient): Promise<number> => {
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: inboundQueueUrl, AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] }),
  );
  return Object.values(Attributes ?? {}).reduce((sum, count) => sum + Number(count), 0);
};

export const listenToNotifications = async (): Promise<Notifications> => {
  const sqs = new SQSClient(awsClientConfig(deployed));
  const sns = new SNSClient(awsClientConfig(deployed));
  const queue = await createQueue(sqs);
  const { SubscriptionArn } = await sns.send(
    new SubscribeCommand({ TopicArn: topicArn, Protocol: 'sqs', Endpoint: queue.arn, Attributes: { RawMessageDelivery: 'true' }, ReturnSubscriptionArn: true }),
  );
  const received: string[] = [];
  const poll = async (): Promise<void> => {
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: queue.url, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 }));
    received.push(...Messages.map(({ Body = '' }) => Body));
  };
  return {
    find: (subject) =>
      eventually(async () => {
        await poll();
        const match = received.find(
          (notification) => (JSON.parse(notification) as { mail: { commonHeaders: { subject?: string } } }).mail.commonHeaders.subject === subject,
        );
        if (match === undefined) throw new Error(`SES published no notification of a message with the subject ${subject}`);
        return match;
      }),
    async publish(Message) {
      await sns.send(new PublishCommand({ TopicArn: topicArn, Message }));
    },
    untilProcessed: () =>
      eventually(async () => {
        const first = await queuedMessages(sqs);
        // The counts are approximate, and SNS may still deliver a notification to the queue: the queue must be empty
        // twice.
        await new Promise((resolve) => {
          setTimeout(resolve, 300);
        });
        const second = await queuedMessages(sqs);
        if (first + second > 0) throw new Error(`${second} notifications are in the inbound queue`);
      }),
    async close() {
      await sns.send(new UnsubscribeCommand({ SubscriptionArn }));
      await sqs.send(new DeleteQueueCommand({ QueueUrl: queue.url }));
      sns.destroy();
      sqs.destroy();
    },
  };
};
