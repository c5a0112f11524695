import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { DeleteMessageCommand, GetQueueUrlCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { createAdminClient } from '../../contract/client.ts';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { longestWait } from '../support/longest-wait.ts';
import { adminMachineToken } from './access-tokens.ts';
import { deployed, describeWith, sandboxUser } from './deployment.ts';
import { measure } from './problems/deployment-clients.ts';
import { sendMail, uniqueSubject } from './send-by-smtp.ts';

const admin = createAdminClient({ baseUrl: deployed.adminApiUrl, token: adminMachineToken });
const stack = deployed.stackName ?? 'Postrider';

/** Maximum wait for a metric in milliseconds. CloudWatch publishes a minute's metrics some minutes later. */
const metricsTimeout = 360_000;

/** Waits until `find` returns a value, because CloudWatch has log lines only some seconds after the call. */
const eventually = async <T>(find: () => Promise<T | undefined | false>, timeout = longestWait): Promise<T> => {
  for (const deadline = Date.now() + timeout; Date.now() < deadline;) {
    const value = await find();
    if (value !== undefined && value !== false) return value;
    await pause(500);
  }
  throw new Error('the expected value did not appear in time');
};

describe('monitoring of the deployment', () => {
  test('GetOverview lists the APIs, Lambdas and queues', async () => {
    const { api_gateways: apis, functions, queues, cdn_distributions: distributions } = await admin.monitoring.GetOverview({});
    const sites = deployed.outputs['webmailUrl'] === undefined ? [] : ['webmail'];
    expect(apis.map(({ name }) => name).sort()).toEqual(['admin', 'authorization', 'blobs', 'console', 'jmap', 'web-socket', ...sites]);
    expect(functions.map(({ function_name: name }) => name)).toEqual(expect.arrayContaining([`${stack}-deliver`, `${stack}-jmap`, `${stack}-monitoring`]));
    expect(queues.map(({ name }) => name)).toEqual(expect.arrayContaining(['InboundMail/Waiting', 'InboundMail/Waiting/DeadLetters']));
    expect(distributions).toEqual([]);
  });

  test(
    'GetOverview counts and times a request and the invocation of its Lambda',
    async () => {
      const readOverview = async () => {
        const { api_gateways: apis, functions } = await admin.monitoring.GetOverview({ lookback_minutes: 1440 });
        return { api: apis.find(({ name }) => name === 'jmap')!, lambda: functions.find(({ name }) => name === 'discovery')! };
      };
      const before = await readOverview();
      expect((await fetch(`${deployed.jmapUrl}/.well-known/oauth-protected-resource`)).status).toBe(200);
      const { api, lambda } = await eventually(async () => {
        const now = await readOverview();
        return now.api.request_count > before.api.request_count && now.lambda.invocations > before.lambda.invocations && now;
      }, metricsTimeout);
      expect(api.latency_p95_ms).toBeGreaterThan(0);
      expect(lambda.duration_p95_ms).toBeGreaterThan(0);
    },
    metricsTimeout + 10_000,
  );

  test('GetLogContext finds the log lines of a call by its correlation id and by its AWS request id', async () => {
    const answer = await fetch(`${deployed.adminApiUrl}/status/Ping`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await adminMachineToken()}` },
      body: '{}',
    });
    const correlation_id = answer.headers.get('x-correlation-id') ?? '';
    const request = { log_group: `/aws/lambda/${stack}-status`, center_timestamp: new Date().toISOString(), window_seconds: 300 };
    const line = await eventually(async () => (await admin.monitoring.GetLogContext({ ...request, correlation_id })).lines[0]);
    const record = JSON.parse(line.message) as Record<string, unknown>;
    const expected = { message: 'admin call answered', correlation_id, path: '/status/Ping', aws_request_id: expect.any(String) };
    expect(record).toMatchObject(expected);
    const { lines } = await admin.monitoring.GetLogContext({ ...request, aws_request_id: String(record['aws_request_id']) });
    expect(lines.length).toBeGreaterThanOrEqual(1);
    expect(lines.every(({ message }) => message.includes(String(record['aws_request_id'])))).toBe(true);
  });

  test('ListRecentErrors reads all logs', async () => {
    const { entries } = await admin.monitoring.ListRecentErrors({ lookback_minutes: 5, limit: 5 });
    expect(entries.length).toBeLessThanOrEqual(5);
  });
});

describeWith(
  'smtp',
  'users',
  'emulator',
)('series of mail', () => {
  const names = ['MAIL_RECEIVED', 'MAIL_SENT', 'MAIL_BOUNCED'] as const;
  /** Reads the sums of a day, in the order of the names. */
  const readCounts = async () => {
    const { series } = await admin.monitoring.GetMetricSeries({ metrics: [...names], lookback_minutes: 1440 });
    return series.map(({ points }) => points.reduce((sum, { value }) => sum + value, 0));
  };

  test('count each message that arrives, is sent and bounces', async () => {
    const before = await readCounts();
    await sendMail([sandboxUser('alice').email], { subject: uniqueSubject('Counted'), text: 'Hello' });
    const { domains } = await admin.domains.ListDomains({});
    const { id, domain } = domains.find((each) => each.is_primary)!;
    await admin.domains.SendTestEmail({ id, test_type: 'NORMAL', to_email: `nobody-${randomUUID()}@${domain}` });
    await eventually(async () => (await readCounts()).every((count, index) => count > before[index]!));
    const { series } = await admin.monitoring.GetMetricSeries({ metrics: ['BOUNCE_RATE'], lookback_minutes: 10 });
    expect(series[0]!.points.at(-1)!.value).toBeGreaterThan(0);
    // A rate of fewer than 100 messages says nothing.
    await measure('AWS/SES', 'Send', {}, { Value: 100 });
    await eventually(async () => ((await admin.status.GetStatus({})).status.ses.reputation.bounce_rate ?? 0) > 0);
  });
});

describeWith('smtp', 'users')('the log of a Lambda that no client calls', () => {
  test('names the invocation in each line, and GetLogContext finds it', async () => {
    await sendMail([sandboxUser('alice').email], { subject: uniqueSubject('Logged'), text: 'Hello' });
    const request = { log_group: `/aws/lambda/${stack}-deliver`, window_seconds: 300 };
    const readLines = async (more: object = {}) => {
      const { lines } = await admin.monitoring.GetLogContext({ ...request, center_timestamp: new Date().toISOString(), ...more });
      return lines.filter(({ message }) => message.includes('"service":"deliver"')).map(({ message }) => JSON.parse(message) as Record<string, unknown>);
    };
    const lines = await eventually(async () => {
      const now = await readLines();
      return now.some((line) => line['emailId'] !== undefined) && now;
    });
    for (const line of lines) expect(line).toMatchObject({ aws_request_id: expect.stringMatching(/^[\da-f-]{36}$/) });
    expect(await readLines({ aws_request_id: lines.at(-1)!['aws_request_id'] })).toContainEqual(lines.at(-1));
  });
});

describeWith('credentials')('monitoring of a queue', () => {
  const sqs = new SQSClient(awsClientConfig(deployed));
  afterAll(() => sqs.destroy());

  test('shows the number of dead letters and the age of the oldest one', async () => {
    const readOverview = async () => {
      const { queues } = await admin.monitoring.GetOverview({ lookback_minutes: 5, period_seconds: 60 });
      return queues.find(({ name }) => name === 'InboundMail/Waiting/DeadLetters')!;
    };
    const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: (await readOverview()).queue_name }));
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'sent by a test' }));
    const { approx_messages_visible: visible } = await eventually(async () => {
      const now = await readOverview();
      return now.approx_age_oldest_seconds >= 1 && now;
    });
    expect(visible).toBeGreaterThanOrEqual(1);
    const { Messages: messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 1 }));
    for (const { Body, ReceiptHandle } of messages) {
      if (Body === 'sent by a test') await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
  });
});
