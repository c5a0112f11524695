import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChangeResourceRecordSetsCommand, CreateHostedZoneCommand, Route53Client, type ChangeAction } from '@aws-sdk/client-route-53';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SESClient, SetActiveReceiptRuleSetCommand } from '@aws-sdk/client-ses';
import { CreateEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { startMailNetwork, type MailEvent } from '../../../sandbox/mail-network/mail-network.ts';
import { eventually, freePort, getAtt, ref, startEmulatorFixture, type EmulatorFixture } from '../../support/test-emulator.ts';

// An emulator, a stack and the network take their time on a busy machine.
jest.setTimeout(60_000);

/** A rule of the receipt rule set `inbound`, to the bucket and the topic of the template. */
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
      PolicyDocument: { Version: '2012-10-17', Statement: [{
        Effect: 'Allow', Principal: { Service: 'sns.amazonaws.com' }, Action: 'sqs:SendMessage', Resource: getAtt(`${topic}Queue`, 'Arn'),
      }] },
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

/** One that is read as JSON, of whose fields tests look at some. */
export type Json = ReturnType<typeof JSON.parse>;

export type Network = Awaited<ReturnType<typeof networkAround>>;

const portsOf = async () => ({ smtp: await freePort(), sesApi: await freePort(), outbox: await freePort(), relay: await freePort() });

const recordsIn = (client: Route53Client) => {
  const zones = new Map<string, string>();
  const zoneId = async (zone: string): Promise<string> => {
    const id = zones.get(zone) ?? (await client.send(new CreateHostedZoneCommand({ Name: zone, CallerReference: zone }))).HostedZone!.Id!;
    zones.set(zone, id);
    return id;
  };
  return async (
    zone: string, records: readonly (readonly [name: string, type: string, ...values: string[]])[], action: ChangeAction = 'UPSERT',
  ) => {
    await client.send(new ChangeResourceRecordSetsCommand({
      HostedZoneId: await zoneId(zone),
      ChangeBatch: {
        Changes: records.map(([name, type, ...values]) => ({
          Action: action,
          ResourceRecordSet: { Name: name, Type: type as 'TXT', TTL: 300, ResourceRecords: values.map((Value) => ({ Value })) },
        })),
      },
    }));
  };
};

/**
 * Messages of a queue as JSON, taken out of it; waits until there are as many as wanted that fit. Those that do not fit
 * stay for another call.
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
  return (wanted: number, fits: (message: Json) => boolean = () => true): Promise<Json[]> => eventually(async () => {
    await fetchMore();
    const found = waiting.filter(fits);
    if (found.length < wanted) return false;
    waiting = waiting.filter((message) => !fits(message));
    return found;
  });
};

const stackIn = async (trial: EmulatorFixture, rules: Record<string, object>) => {
  const outputs = await trial.deploy(template(rules));
  const ses = new SESClient(trial.clientConfig);
  await ses.send(new SetActiveReceiptRuleSetCommand({ RuleSetName: outputs['RuleSet'] }));
  ses.destroy();
  return outputs as Record<'Bucket' | 'Inbound' | 'InboundQueue' | 'EventsQueue' | 'RuleSet', string>;
};

const networkAround = async (trial: EmulatorFixture, ports: Awaited<ReturnType<typeof portsOf>>, rules: Record<string, object>) => {
  const outputs = await stackIn(trial, rules);
  const stateDirectory = await mkdtemp(join(tmpdir(), 'postrider-mail-'));
  const told: MailEvent[] = [];
  const start = () => startMailNetwork({
    ports,
    emulator: trial.emulator.endpoint,
    region: 'us-east-1',
    stateDirectory,
    onMail: (event) => told.push(event),
  });
  let running = await start();

  const [s3, sqs, route53] = [
    new S3Client({ ...trial.clientConfig, forcePathStyle: true }), new SQSClient(trial.clientConfig), new Route53Client(trial.clientConfig),
  ];
  const takeEvents = drain(sqs, outputs.EventsQueue);
  const sesv2 = new SESv2Client({ ...trial.clientConfig, endpoint: `http://127.0.0.1:${ports.sesApi}`, maxAttempts: 1 });
  const transport = createTransport({ host: '127.0.0.1', port: ports.smtp });
  const records = recordsIn(route53);

  return {
    trial, ports, outputs, told, records, sesv2, s3, sqs,
    smtp: (message: SendMailOptions, port = ports.smtp) =>
      (port === ports.smtp ? transport : createTransport({ host: '127.0.0.1', port })).sendMail(message),
    notifications: drain(sqs, outputs.InboundQueue),
    /** What SES said of one message, in its order. */
    events: (messageId: string, wanted: number) => takeEvents(wanted, ({ mail }) => mail.messageId === messageId),
    async stored(key: string): Promise<Buffer> {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: outputs.Bucket, Key: key }));
      return Buffer.from(await Body!.transformToByteArray());
    },
    /** Registers a domain and publishes what verifies it. */
    async verify(domain: string): Promise<void> {
      const { DkimAttributes } = await sesv2.send(new CreateEmailIdentityCommand({ EmailIdentity: domain }));
      await records(
        domain,
        DkimAttributes!.Tokens!.map((token) => [`${token}._domainkey.${domain}`, 'CNAME', `${token}.dkim.amazonses.com`]),
      );
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
      await trial.end();
      await rm(stateDirectory, { recursive: true, force: true });
    },
  };
};

/**
 * An emulator with a bucket, topics and receipt rules, the mail network around it, and what tests need to look inside.
 */
export const startNetwork = async (rules: Record<string, object> = { Rule: receiptRule() }) => {
  const ports = await portsOf();
  const trial = await startEmulatorFixture({ environment: { SMTP_HOST: `127.0.0.1:${ports.relay}` } });
  try {
    return await networkAround(trial, ports, rules);
  } catch (error) {
    await trial.end();
    throw error;
  }
};
