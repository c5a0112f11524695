import { setTimeout as pause } from 'node:timers/promises';
import { createAdminClient } from '../../contract/client.ts';
import { deployed } from './deployed.ts';
import { adminMachine } from './tokens.ts';

const admin = createAdminClient({ baseUrl: deployed.adminApiUrl, token: adminMachine });
const stack = deployed.stackName ?? 'Postrider';

/** Logs arrive a little after the call that they are of. */
const eventually = async <T>(find: () => Promise<T | undefined>): Promise<T> => {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline;) {
    const found = await find();
    if (found !== undefined) return found;
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

  test('a call is found in the log by the id that its answer carries, and by the id of its run', async () => {
    const answer = await fetch(`${deployed.adminApiUrl}/status/Ping`, { method: 'POST', headers: { authorization: `Bearer ${await adminMachine()}` }, body: '{}' });
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
