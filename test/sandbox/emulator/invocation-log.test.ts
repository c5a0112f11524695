import { CloudWatchLogsClient, paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { lambda, ref, withEmulator } from '../../support/test-emulator.ts';

/** Writes a line and responds at once, so that the line and the response are on their way together. */
const writing = `
exports.handler = async ({ id, fails }) => {
  console.log('line of ' + id);
  if (fails) throw new Error('asked to');
  return id;
};`;

const fixture = withEmulator();
let client: LambdaClient;
let writer: string;
beforeAll(async () => {
  ({ writer = '' } = await fixture.deploy({ Resources: lambda('Writer', writing), Outputs: { writer: { Value: ref('Writer') } } }));
  client = new LambdaClient(fixture.clientConfig);
});

const logOf = async (payload: { readonly id: string; readonly fails?: boolean }): Promise<string> => {
  const { LogResult = '' } = await client.send(new InvokeCommand({ FunctionName: writer, LogType: 'Tail', Payload: JSON.stringify(payload) }));
  return Buffer.from(LogResult, 'base64').toString();
};

test('the log of each of many concurrent invocations has the line that it wrote last', async () => {
  const ids = Array.from({ length: 1_000 }, (_, index) => `invocation-${index}.`);
  const lost: string[] = [];
  const waiting = [...ids];
  await Promise.all(
    Array.from({ length: 12 }, async () => {
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
        if (!(await logOf({ id })).includes(`line of ${id}`)) lost.push(id);
      }
    }),
  );
  expect(lost).toEqual([]);
  const logs = new CloudWatchLogsClient(fixture.clientConfig);
  const written: string[] = [];
  for await (const { events = [] } of paginateFilterLogEvents({ client: logs }, { logGroupName: `/aws/lambda/${writer}`, filterPattern: 'line' })) {
    written.push(...events.map(({ message = '' }) => message.trim()));
  }
  expect(written.sort()).toEqual(ids.map((id) => `line of ${id}`).sort());
});

test('the log of an invocation that fails has its line', async () => {
  expect(await logOf({ id: 'failing', fails: true })).toContain('line of failing');
});
