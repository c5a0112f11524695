import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { setTimeout as pause } from 'node:timers/promises';
import type * as z from 'zod';
import type { SupportCase, SupportRoleAssumption } from '../../contract/admin/support.ts';
import { awsClientConfig } from '../../sandbox/aws-target.ts';
import { call, expectError, ok } from './admin-calls.ts';
import { deployed, describeWith } from './deployment.ts';
import { eventually } from './http-requests.ts';
import { adminMachineToken } from './access-tokens.ts';

type Assumptions = { assumptions: z.output<typeof SupportRoleAssumption>[]; live_lookup_complete: boolean };

describeWith('emulator')('support access, on a deployment', () => {
  let token: string;
  let caseId: string;
  const sts = new STSClient(awsClientConfig(deployed));
  const assume = async (tier: 'Diag' | 'ConfigRead', externalId: string): Promise<string> => {
    try {
      await sts.send(new AssumeRoleCommand({ RoleArn: deployed.outputs[`support${tier}RoleArn`], RoleSessionName: 'grace', ExternalId: externalId }));
      return 'in';
    } catch (error) {
      return (error as Error).name;
    }
  };
  /** The rule, the queue and the archive have done their part. */
  const archived = () => eventually(15_000, async () => {
    const client = new DynamoDBClient(awsClientConfig(deployed));
    const { Count: count } = await client.send(new QueryCommand({
      TableName: deployed.outputs['directoryTableName'], KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': { S: `support-assumption#${caseId}` } },
    }));
    client.destroy();
    expect(count).toBe(1);
  });
  const find = async () => (await ok<{ cases: SupportCase[] }>(token, 'support/ListSupportCases')).cases.find(({ case_id: id }) => id === caseId);

  beforeAll(async () => {
    token = await adminMachineToken();
    caseId = (await ok<{ case_id: string }>(token, 'support/OpenSupportCase', { subject: 'Mail is slow', allowed_tiers: ['DIAG'] })).case_id;
  }, 30_000);
  afterAll(() => sts.destroy());

  test('an open case lets supporters in, and their assumption is listed, live and from the archive once', async () => {
    expect(await find()).toMatchObject({ status: 'open', external_id: caseId, allowed_tiers: ['DIAG'] });
    expect(await assume('Diag', caseId)).toBe('in');
    await archived();
    expect(await ok<Assumptions>(token, 'support/ListSupportRoleAssumptions', { case_id: caseId })).toMatchObject({ assumptions: [{ role_session_name: 'grace', external_id: caseId, role_assumed: deployed.outputs['supportDiagRoleArn'] }], live_lookup_complete: false });
  }, 30_000);

  test('tiers, the window and closing', async () => {
    const { case: changed } = await ok<{ case: SupportCase }>(token, 'support/SetSupportCaseTiers', { case_id: caseId, allowed_tiers: ['CONFIG_READ'] });
    expect(changed).toMatchObject({ case_id: caseId, allowed_tiers: ['CONFIG_READ'] });
    expectError(await call(token, 'support/SetSupportCaseActiveUntil', { case_id: caseId, active_until: new Date(Date.now() + 8 * 86_400_000).toISOString() }), 400, 'invalid_argument');
    await ok(token, 'support/SetSupportCaseActiveUntil', { case_id: caseId, active_until: new Date(Date.now() + 3_600_000).toISOString() });
    await ok(token, 'support/CloseSupportCase', { case_id: caseId });
    await ok(token, 'support/CloseSupportCase', { case_id: caseId });
    expect(await find()).toMatchObject({ status: 'closed', allowed_tiers: ['CONFIG_READ'] });
    expectError(await call(token, 'support/SetSupportCaseTiers', { case_id: caseId, allowed_tiers: [] }), 400, 'failed_precondition');
    if (deployed.caCertificate) expect([await assume('Diag', caseId), await assume('ConfigRead', caseId)]).toEqual(['AccessDenied', 'AccessDenied']);
  }, 30_000);
});

describeWith('enforcement')('a supporter’s session, on a deployment', () => {
  const place = awsClientConfig(deployed);
  const sts = new STSClient(place);
  let token: string;
  const open = async () => (await ok<{ case_id: string }>(token, 'support/OpenSupportCase', { subject: 'Mail is slow', allowed_tiers: ['DIAG'] })).case_id;
  /** Begins a session that reads a log. @returns what comes of reading. */
  const begin = async (externalId: string) => {
    const { Credentials: given } = await sts.send(new AssumeRoleCommand({ RoleArn: deployed.outputs['supportDiagRoleArn'], RoleSessionName: 'grace', ExternalId: externalId }));
    const logs = new CloudWatchLogsClient({ ...place, credentials: { accessKeyId: given!.AccessKeyId!, secretAccessKey: given!.SecretAccessKey!, sessionToken: given!.SessionToken! } });
    return async (): Promise<string> => {
      try {
        await logs.send(new FilterLogEventsCommand({ logGroupName: `/aws/lambda/${deployed.stackName}-support`, limit: 1 }));
        return 'read';
      } catch (error) {
        return (error as Error).name.includes('AccessDenied') ? 'denied' : (error as Error).name;
      }
    };
  };

  beforeAll(async () => { token = await adminMachineToken(); });
  afterAll(() => sts.destroy());

  test('ends when its case is closed; what another open case begins after goes on', async () => {
    const [caseId, other] = [await open(), await open()];
    // Somebody may have lost this tier in this very second.
    await pause(1_000);
    const session = await begin(caseId);
    expect(await session()).toBe('read');
    await ok(token, 'support/CloseSupportCase', { case_id: caseId });
    expect(await session()).toBe('denied');
    await pause(1_000);
    const next = await begin(other);
    expect([await next(), await session()]).toEqual(['read', 'denied']);
    await ok(token, 'support/CloseSupportCase', { case_id: other });
    expect(await next()).toBe('denied');
  }, 60_000);
});
