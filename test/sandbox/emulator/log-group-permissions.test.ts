import { CloudWatchLogsClient, CreateLogGroupCommand, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { CreateAccessKeyCommand, CreateUserCommand, IAMClient, PutUserPolicyCommand } from '@aws-sdk/client-iam';
import { awsClientConfig } from '../../../sandbox/deployment/aws-target.ts';
import { startEmulatorFixture, type EmulatorFixture } from '../../support/test-emulator.ts';

let fixture: EmulatorFixture;
const place = () =>
  awsClientConfig({ awsEndpointUrl: fixture.emulator.endpoint, caCertificate: fixture.emulator.caCertificate, region: 'us-east-1' });

beforeAll(async () => {
  fixture = await startEmulatorFixture({ enforceIam: true });
  const logs = new CloudWatchLogsClient(place());
  for (const logGroupName of ['ours', 'theirs']) await logs.send(new CreateLogGroupCommand({ logGroupName }));
}, 120_000);
afterAll(() => fixture.end());

/** Reads a log group as a role that may read only the log group with this ARN. */
const readAllowed = async (UserName: string, allowed: string, logGroupName: string) => {
  const iam = new IAMClient(place());
  await iam.send(new CreateUserCommand({ UserName }));
  const Resource = `arn:aws:logs:us-east-1:000000000000:log-group:${allowed}:*`;
  const PolicyDocument = JSON.stringify({
    Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: 'logs:FilterLogEvents', Resource }],
  });
  await iam.send(new PutUserPolicyCommand({ UserName, PolicyName: 'only', PolicyDocument }));
  const { AccessKey: key } = await iam.send(new CreateAccessKeyCommand({ UserName }));
  const logs = new CloudWatchLogsClient({
    ...place(), credentials: { accessKeyId: key!.AccessKeyId!, secretAccessKey: key!.SecretAccessKey! },
  });
  return (await logs.send(new FilterLogEventsCommand({ logGroupName }))).events;
};

test('a policy for the ARN that CloudFormation returns allows reading the log group', async () => {
  expect(await readAllowed('reader', 'ours', 'ours')).toEqual([]);
});

test('a policy for another log group does not', async () => {
  await expect(readAllowed('stranger', 'theirs', 'ours')).rejects.toMatchObject({ name: expect.stringContaining('AccessDenied') });
});
