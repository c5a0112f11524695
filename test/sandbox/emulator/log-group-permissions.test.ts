import { CloudWatchLogsClient, CreateLogGroupCommand, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { withEmulator } from '../../support/test-emulator.ts';
import { callerAllowed } from './iam-caller.ts';

const fixture = withEmulator({ enforceIam: true });

beforeAll(async () => {
  const logs = new CloudWatchLogsClient(fixture.clientConfig);
  for (const logGroupName of ['ours', 'theirs']) await logs.send(new CreateLogGroupCommand({ logGroupName }));
});

/** Reads a log group as a user who may read only the log group with this ARN. */
const readAllowed = async (userName: string, allowed: string, logGroupName: string) => {
  const Resource = `arn:aws:logs:us-east-1:000000000000:log-group:${allowed}:*`;
  const logs = new CloudWatchLogsClient(await callerAllowed(fixture, userName, { Action: 'logs:FilterLogEvents', Resource }));
  return (await logs.send(new FilterLogEventsCommand({ logGroupName }))).events;
};

test('a policy for the ARN that CloudFormation returns allows reading the log group', async () => {
  expect(await readAllowed('reader', 'ours', 'ours')).toEqual([]);
});

test('a policy for another log group does not', async () => {
  await expect(readAllowed('stranger', 'theirs', 'ours')).rejects.toMatchObject({ name: expect.stringContaining('AccessDenied') });
});
