import { setTimeout as pause } from 'node:timers/promises';
import { DeleteMessageCommand, GetQueueUrlCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { createAdminClient } from '../../contract/client.ts';
import { awsClientConfig } from '../../sandbox/aws-target.ts';
import { deployed, describeWith } from './deployment.ts';
import { adminMachineToken } from './access-tokens.ts';

const admin = createAdminClient({ baseUrl: deployed.adminApiUrl, token: adminMachineToken });
const stack = deployed.stackName ?? 'Postrider';

/** AWS measures by the minute, and tells some minutes later. */
const measuring = 360_000;

/** Logs arrive a little after the call that they are of. */
const eventually = async <T>(find: () => Promise<T | undefined | false>, patience = 60_000): Promise<T> => {
  for (const deadline = Date.now() + patience; Date.now() < deadline;) {
    const found = await find();
    if (found !== undefined && found !== false) return found;
    await pause(500);
  }
  throw new Error('what was waited for did not come');
};

describe('monitoring of the deployment', () => {
  test('the overview names its APIs, Lambdas and queues', async () => {
    const { api_gateways: apis, functions, queues, cdn_distributions: distributions } = await admin.monitoring.GetOverview({});
    expect(apis.map(({ name }) => name).sort()).toEqual(['admin', 'jmap', 'web-socket']);
    expect(functions.map(({ function_name: name }) => name)).toEqual(expect.arrayContaining([`${stack}-deliver`, `${stack}-jmap`, `${stack}-monitoring`]));
    expect(queues.map(({ name }) => name)).toEqual(expect.arrayContaining(['InboundMail/Waiting', 'InboundMail/Waiting/DeadLetters']));
    expect(distributions).toEqual([]);
  });

  test('a request is counted and timed, and so is the run that answered it', async () => {
    const look = async () => {
      const { api_gateways: apis, functions } = await admin.monitoring.GetOverview({ lookback_minutes: 1440 });
      return { api: apis.find(({ name }) => name === 'jmap')!, run: functions.find(({ name }) => name === 'discovery')! };
    };
    const before = await look();
    expect((await fetch(`${deployed.jmapUrl}/.well-known/oauth-protected-resource`)).status).toBe(200);
    const { api, run } = await eventually(async () => {
      const now = await look();
      return now.api.request_count > before.api.request_count && now.run.invocations > before.run.invocations && now;
    }, measuring);
    expect(api.latency_p95_ms).toBeGreaterThan(0);
    expect(run.duration_p95_ms).toBeGreaterThan(0);
  }, measuring + 10_000);

  test('a call is found in the log by the id that its answer carries, and by the id of its run', async () => {
    const answer = await fetch(`${deployed.adminApiUrl}/status/Ping`, { method: 'POST', headers: { authorization: `Bearer ${await adminMachineToken()}` }, body: '{}' });
    const correlation_id = answer.headers.get('x-correlation-id') ?? '';
    const request = { log_group: `/aws/lambda/${stack}-status`, center_timestamp: new Date().toISOString(), window_seconds: 300 };
    const line = await eventually(async () => (await admin.monitoring.GetLogContext({ ...request, correlation_id })).lines[0]);
    const record = JSON.parse(line.message) as Record<string, unknown>;
    expect(record).toMatchObject({ message: 'answered', correlation_id, path: '/status/Ping', aws_request_id: expect.any(String) });
    const { lines } = await admin.monitoring.GetLogContext({ ...request, aws_request_id: String(record['aws_request_id']) });
    expect(lines.length).toBeGreaterThanOrEqual(1);
    expect(lines.every(({ message }) => message.includes(String(record['aws_request_id'])))).toBe(true);
  });

  test('errors of all logs are asked for without harm', async () => {
    const { entries } = await admin.monitoring.ListRecentErrors({ lookback_minutes: 5, limit: 5 });
    expect(entries.length).toBeLessThanOrEqual(5);
  });

  test('a log that is not the deployment’s is refused', async () => {
    const call = admin.monitoring.GetLogContext({ log_group: '/aws/lambda/somebody-else', center_timestamp: new Date().toISOString() });
    await expect(call).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});

describeWith('emulator')('monitoring of a queue', () => {
  const sqs = new SQSClient(awsClientConfig(deployed));
  afterAll(() => sqs.destroy());

  test('shows a dead letter that waits, and for how long', async () => {
    const look = async () => {
      const { queues } = await admin.monitoring.GetOverview({ lookback_minutes: 5, period_seconds: 60 });
      return queues.find(({ name }) => name === 'InboundMail/Waiting/DeadLetters')!;
    };
    const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: (await look()).queue_name }));
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'put here by a test' }));
    const { approx_messages_visible: visible } = await eventually(async () => {
      const now = await look();
      return now.approx_age_oldest_seconds >= 1 && now;
    });
    expect(visible).toBeGreaterThanOrEqual(1);
    const { Messages: messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 1 }));
    for (const { Body, ReceiptHandle } of messages) if (Body === 'put here by a test') await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  }, 90_000);
});
