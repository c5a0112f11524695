import { Route53Client } from '@aws-sdk/client-route-53';
import { CreateConfigurationSetCommand, CreateConfigurationSetEventDestinationCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { CreateTopicCommand, SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import { CreateQueueCommand, DeleteMessageBatchCommand, GetQueueAttributesCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { sesEmailProvider } from '../../../../core/aws/ses/ses-email-provider.ts';
import { MailSenderUnavailable, sesMailSender } from '../../../../core/aws/ses/ses-mail-sender.ts';
import { sesSystemMail } from '../../../../core/aws/ses/ses-system-mail.ts';
import { recipientUpdatesOf, partReferenceOf, mailFeedbackOf } from '../../../../lambdas/mail-events/ses-event-updates.ts';
import { parseSesEvent, type SesEvent } from '../../../../lambdas/mail-events/ses-event.ts';
import { mailFrom, mailSenderSuite } from '../../../port-suites/mail-sender-suite.ts';
import { systemMailSuite } from '../../../port-suites/system-mail-suite.ts';
import { withMailNetwork } from '../../../support/mail-network.ts';
import { dkimRecords, publishedRecords } from '../../../support/published-records.ts';
import { freePort } from '../../../support/test-emulator.ts';

const from = 'test@sending.test';
const network = withMailNetwork();
let sqs: SQSClient;
let eventsUrl: string;

/** Creates a verified domain, and a configuration set whose events reach a queue by a topic, as in the stack. */
const prepare = async (): Promise<void> => {
  const { dkimTokens } = await sesEmailProvider('Postrider', new SESv2Client({ endpoint: network.sesApi })).createDomain('sending.test');
  await publishedRecords(new Route53Client())('sending.test', dkimRecords('sending.test', dkimTokens));
  const [ses, sns] = [new SESv2Client(), new SNSClient()];
  const { TopicArn } = await sns.send(new CreateTopicCommand({ Name: 'events' }));
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'events' }));
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }));
  eventsUrl = QueueUrl!;
  await sns.send(new SubscribeCommand({ TopicArn, Protocol: 'sqs', Endpoint: Attributes!['QueueArn'] }));
  await ses.send(new CreateConfigurationSetCommand({ ConfigurationSetName: 'Sending' }));
  await ses.send(
    new CreateConfigurationSetEventDestinationCommand({
      ConfigurationSetName: 'Sending',
      EventDestinationName: 'events',
      EventDestination: { Enabled: true, MatchingEventTypes: ['SEND', 'DELIVERY', 'BOUNCE', 'COMPLAINT', 'REJECT'], SnsDestination: { TopicArn } },
    }),
  );
};

const received = async (QueueUrl: string, seconds: number): Promise<string[]> => {
  const bodies: string[] = [];
  for (;;) {
    const { Messages: messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: seconds }));
    if (messages.length === 0) return bodies;
    bodies.push(...messages.map(({ Body }) => Body!));
    await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries: messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle })) }));
  }
};

beforeAll(async () => {
  sqs = new SQSClient({ useQueueUrlAsEndpoint: false });
  await prepare();
});

const sender = () => sesMailSender('Sending', new SESv2Client({ endpoint: network.sesApi, maxAttempts: 1 }));

describe('the sender of the deployment’s own mail over SES', () =>
  systemMailSuite(async () => ({ sender: sesSystemMail(new SESv2Client({ endpoint: network.sesApi, maxAttempts: 1 })), from })));

describe('the mail sender over SES', () => {
  mailSenderSuite(async () => ({ sender: sender(), from }));

  test('is unavailable without its configuration set, and when SES cannot be reached', async () => {
    await expect(sesMailSender('None', new SESv2Client({ endpoint: network.sesApi, maxAttempts: 1 })).send(mailFrom(from))).rejects.toBeInstanceOf(
      MailSenderUnavailable,
    );
    const nobody = new SESv2Client({ endpoint: `http://127.0.0.1:${await freePort()}`, maxAttempts: 1 });
    await expect(sesMailSender('Sending', nobody).send(mailFrom(from))).rejects.toBeInstanceOf(MailSenderUnavailable);
  });

  test('gives messages the tags by which SES events are matched to their submission', async () => {
    await received(eventsUrl, 1);
    const recipients = ['success', 'bounce', 'complaint', 'ooto'].map((name) => `${name}@simulator.amazonses.com`);
    const id = await sender().send(mailFrom(from, { submission_id: 'submission_V1St-_', part: 7, recipients }));
    const events = (await received(eventsUrl, 3)).map((body) => parseSesEvent(body)!);
    expect(events.map(({ eventType }) => eventType).toSorted((one, other) => (one < other ? -1 : 1))).toEqual([
      'Bounce',
      'Bounce',
      'Complaint',
      'Delivery',
      'Delivery',
      'Delivery',
      'Send',
    ]);
    for (const event of events) {
      expect(event.mail.messageId).toBe(id);
      expect(partReferenceOf(event)).toEqual({ submission_id: 'submission_V1St-_', part: 7 });
    }
    const ofType = (type: SesEvent['eventType']) => events.filter(({ eventType }) => eventType === type);
    expect(
      ofType('Bounce')
        .flatMap(recipientUpdatesOf)
        .map(({ kind, recipients }) => `${kind} ${String(recipients)}`)
        .toSorted((one, other) => (one < other ? -1 : 1)),
    ).toEqual(['bounced bounce@simulator.amazonses.com', 'softlyBounced ooto@simulator.amazonses.com']);
    expect(ofType('Complaint').flatMap((event) => mailFeedbackOf(event, undefined))).toMatchObject([
      { recipient: 'complaint@simulator.amazonses.com', message_class: 'BULK', identity_id: 'dom_1', complaint_metadata: { complaint_feedback_type: 'abuse' } },
    ]);
  });
});
