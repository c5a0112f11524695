import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Route53Client } from '@aws-sdk/client-route-53';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SESClient, SetActiveReceiptRuleSetCommand } from '@aws-sdk/client-ses';
import { CreateEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { startMailNetwork, type MailEvent } from '../../../../sandbox/services/ses/mail-network.ts';
import { dkimRecords, publishedRecords } from '../../../support/published-records.ts';
import { eventually, freePorts, getAtt, ref, startEmulatorFixture, type EmulatorFixture } from '../../../support/test-emulator.ts';

// Starting an emulator, a stack and the mail network is slow on a busy machine.

/** A receipt rule of the set `inbound`, with the bucket and the topic of the template. */
export const receiptRule = (properties: object = {}) => ({
  Type: 'AWS::SES::ReceiptRule',
  Properties: {
    RuleSetName: ref('RuleSet'),
    Rule: {
      Enabled: true,
      ScanEnabled: true,
      Actions: [{ S3Action: { BucketName: ref('Bucket'), ObjectKeyPrefix: 'inbound/', TopicArn: ref('Inbound') } }],
      ...properties,
    },
  },
});

const queueOf = (topic: string): Record<string, object> => ({
  [topic]: { Type: 'AWS::SNS::Topic' },
  [`${topic}Queue`]: { Type: 'AWS::SQS::Queue' },
  [`${topic}Policy`]: {
    Type: 'AWS::SQS::QueuePolicy',
    Properties: {
      Queues: [ref(`${topic}Queue`)],
      PolicyDocument: {
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Principal: { Service: 'sns.amazonaws.com' }, Action: 'sqs:SendMessage', Resource: getAtt(`${topic}Queue`, 'Arn') }],
      },
    },
  },
  [`${topic}Subscription`]: {
    Type: 'AWS::SNS::Subscription',
    Properties: { TopicArn: ref(topic), Protocol: 'sqs', Endpoint: getAtt(`${topic}Queue`, 'Arn'), RawMessageDelivery: true },
  },
});

const eventTypes = ['send', 'reject', 'bounce', 'complaint', 'delivery'];

const template = (resources: Record<string, object>) => ({
  Resources: {
    Bucket: { Type: 'AWS::S3::Bucket' },
    ...queueOf('Inbound'),
    ...queueOf('Events'),
    RuleSet: { Type: 'AWS::SES::ReceiptRuleSet' },
    ConfigurationSet: { Type: 'AWS::SES::ConfigurationSet', Properties: { Name: 'outgoing' } },
    EventDestination: {
      Type: 'AWS::SES::ConfigurationSetEventDestination',
      Properties: {
        ConfigurationSetName: ref('ConfigurationSet'),
        EventDestination: { Enabled: true, MatchingEventTypes: eventTypes, SnsDestination: { TopicARN: ref('Events') } },
      },
    },
    ...resources,
  },
  Outputs: Object.fromEntries(['Bucket', 'Inbound', 'InboundQueue', 'EventsQueue', 'RuleSet'].map((name) => [name, { Value: ref(name) }])),
});

/** Parsed JSON. */
export type Json = ReturnType<typeof JSON.parse>;

export type Network = Awaited<ReturnType<typeof networkAround>>;

/**
 * Receives and deletes messages of a queue, parsed as JSON, until enough of them match. Other messages are kept for
 * later calls.
 */
const drain = (client: SQSClient, QueueUrl: string) => {
  let waiting: Json[] = [];
  const fetchMore = async (): Promise<void> => {
    const { Messages } = await client.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
    for (const { Body, ReceiptHandle } of Messages ?? []) {
      waiting.push(JSON.parse(Body!));
      await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
  };
  return (wanted: number, fits: (message: Json) => boolean = () => true): Promise<Json[]> =>
    eventually(async () => {
      await fetchMore();
      const found = waiting.filter(fits);
      if (found.length < wanted) return false;
      waiting = waiting.filter((message) => !fits(message));
      return found;
    });
};

const stackIn = async (fixture: EmulatorFixture, rules: Record<string, object>) => {
  const outputs = await fixture.deploy(template(rules));
  const ses = new SESClient(fixture.clientConfig);
  await ses.send(new SetActiveReceiptRuleSetCommand({ RuleSetName: outputs['RuleSet'] }));
  ses.destroy();
  return outputs as Record<'Bucket' | 'Inbound' | 'InboundQueue' | 'EventsQueue' | 'RuleSet', string>;
};

const networkAround = async (fixture: EmulatorFixture, ports: Record<'smtp' | 'sesApi' | 'outbox' | 'relay', number>, rules: Record<string, object>) => {
  const outputs = await stackIn(fixture, rules);
  const stateDirectory = await mkdtemp(join(tmpdir(), 'postrider-mail-'));
  const told: MailEvent[] = [];
  const start = () =>
    startMailNetwork({ ports, emulator: fixture.emulator.endpoint, region: 'us-east-1', stateDirectory, onMail: (event) => told.push(event) });
  let running = await start();

  const [s3, sqs, route53] = [
    new S3Client({ ...fixture.clientConfig, forcePathStyle: true }),
    new SQSClient(fixture.clientConfig),
    new Route53Client(fixture.clientConfig),
  ];
  const takeEvents = drain(sqs, outputs.EventsQueue);
  const sesv2 = new SESv2Client({ ...fixture.clientConfig, endpoint: `http://127.0.0.1:${ports.sesApi}`, maxAttempts: 1 });
  const transport = createTransport({ host: '127.0.0.1', port: ports.smtp });
  const records = publishedRecords(route53);

  return {
    fixture,
    ports,
    outputs,
    told,
    records,
    sesv2,
    s3,
    sqs,
    smtp: (message: SendMailOptions, port = ports.smtp) => (port === ports.smtp ? transport : createTransport({ host: '127.0.0.1', port })).sendMail(message),
    notifications: drain(sqs, outputs.InboundQueue),
    /** SES's events of one message, in order. */
    events: (messageId: string, wanted: number) => takeEvents(wanted, ({ mail }) => mail.messageId === messageId),
    async stored(key: string): Promise<Buffer> {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: outputs.Bucket, Key: key }));
      return Buffer.from(await Body!.transformToByteArray());
    },
    /** Creates a domain identity and publishes its DNS records. */
    async verify(domain: string): Promise<void> {
      const { DkimAttributes } = await sesv2.send(new CreateEmailIdentityCommand({ EmailIdentity: domain }));
      await records(domain, dkimRecords(domain, DkimAttributes!.Tokens!));
    },
    async outbox(path: string): Promise<Json> {
      return (await fetch(`http://127.0.0.1:${ports.outbox}${path}`)).json();
    },
    async restart(): Promise<void> {
      await running.stop();
      running = await start();
    },
    async end(): Promise<void> {
      await running.stop();
      for (const client of [s3, sqs, route53, sesv2]) client.destroy();
      await fixture.end();
      await rm(stateDirectory, { recursive: true, force: true });
    },
  };
};

/**
 * An emulator with a bucket, topics and receipt rules, the mail network around it, and functions to inspect both.
 */
export const startNetwork = async (rules: Record<string, object> = { Rule: receiptRule() }) => {
  const ports = await freePorts('smtp', 'sesApi', 'outbox', 'relay');
  const fixture = await startEmulatorFixture({ environment: { SMTP_HOST: `127.0.0.1:${ports.relay}` } });
  try {
    return await networkAround(fixture, ports, rules);
  } catch (error) {
    await fixture.end();
    throw error;
  }
};
