import { setTimeout as pause } from 'node:timers/promises';
import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import type * as z from 'zod';
import type { SupportCase, SupportRoleAssumption } from '../../contract/admin/support.ts';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { adminMachineToken } from './access-tokens.ts';
import { call, expectError, ok } from './admin-calls.ts';
import { deployed, describeWith } from './deployment.ts';
import { eventually } from './http-requests.ts';

type Assumptions = { assumptions: z.output<typeof SupportRoleAssumption>[]; live_lookup_complete: boolean };

describeWith('credentials')('support cases of a deployment', () => {
  let token: string;
  let caseId: string;
  const sts = new STSClient(awsClientConfig(deployed));
  const assume = async (tier: 'Diag' | 'ConfigRead', externalId: string): Promise<string> => {
    try {
      await sts.send(new AssumeRoleCommand({ RoleArn: deployed.outputs[`support${tier}RoleArn`], RoleSessionName: 'grace', ExternalId: externalId }));
      return 'assumed';
    } catch (error) {
      return (error as Error).name;
    }
  };
  /** Waits until the assumption is in the archive, through the rule and the queue. */
  const untilArchived = () =>
    eventually(async () => {
      const client = new DynamoDBClient(awsClientConfig(deployed));
      const { Count: count } = await client.send(
        new QueryCommand({
          TableName: deployed.outputs['directoryTableName'],
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: { ':pk': { S: `support-assumption#${caseId}` } },
        }),
      );
      client.destroy();
      expect(count).toBe(1);
    });
  const findCase = async () => (await ok<{ cases: SupportCase[] }>(token, 'support/ListSupportCases')).cases.find(({ case_id: id }) => id === caseId);

  beforeAll(async () => {
    token = await adminMachineToken();
    caseId = (await ok<{ case_id: string }>(token, 'support/OpenSupportCase', { subject: 'Mail is slow', allowed_tiers: ['DIAG'] })).case_id;
  });
  afterAll(() => sts.destroy());

  test('supporters can assume the roles of an open case, and ListSupportRoleAssumptions lists each assumption once', async () => {
    expect(await findCase()).toMatchObject({ status: 'open', external_id: caseId, allowed_tiers: ['DIAG'] });
    expect(await assume('Diag', caseId)).toBe('assumed');
    await untilArchived();
    expect(await ok<Assumptions>(token, 'support/ListSupportRoleAssumptions', { case_id: caseId })).toMatchObject({
      assumptions: [{ role_session_name: 'grace', external_id: caseId, role_assumed: deployed.outputs['supportDiagRoleArn'] }],
      live_lookup_complete: false,
    });
  });

  test('SetSupportCaseTiers, SetSupportCaseActiveUntil and CloseSupportCase change the case; a closed case grants no role', async () => {
    const { case: changed } = await ok<{ case: SupportCase }>(token, 'support/SetSupportCaseTiers', { case_id: caseId, allowed_tiers: ['CONFIG_READ'] });
    expect(changed).toMatchObject({ case_id: caseId, allowed_tiers: ['CONFIG_READ'] });
    expectError(
      await call(token, 'support/SetSupportCaseActiveUntil', { case_id: caseId, active_until: new Date(Date.now() + 8 * 86_400_000).toISOString() }),
      400,
      'invalid_argument',
    );
    await ok(token, 'support/SetSupportCaseActiveUntil', { case_id: caseId, active_until: new Date(Date.now() + 3_600_000).toISOString() });
    await ok(token, 'support/CloseSupportCase', { case_id: caseId });
    await ok(token, 'support/CloseSupportCase', { case_id: caseId });
    expect(await findCase()).toMatchObject({ status: 'closed', allowed_tiers: ['CONFIG_READ'] });
    expectError(await call(token, 'support/SetSupportCaseTiers', { case_id: caseId, allowed_tiers: [] }), 400, 'failed_precondition');
    if (deployed.caCertificate) {
      expect([await assume('Diag', caseId), await assume('ConfigRead', caseId)]).toEqual(['AccessDenied', 'AccessDenied']);
    }
  });
});

describeWith('enforcement')('the session of a supporter', () => {
  const clientConfig = awsClientConfig(deployed);
  const sts = new STSClient(clientConfig);
  let token: string;
  const openCase = async () => (await ok<{ case_id: string }>(token, 'support/OpenSupportCase', { subject: 'Mail is slow', allowed_tiers: ['DIAG'] })).case_id;
  /** Assumes the role of a case. @returns a function that reads a log with that session, and returns the result. */
  const startSession = async (externalId: string) => {
    const { Credentials: sessionCredentials } = await sts.send(
      new AssumeRoleCommand({ RoleArn: deployed.outputs['supportDiagRoleArn'], RoleSessionName: 'grace', ExternalId: externalId }),
    );
    const logs = new CloudWatchLogsClient({
      ...clientConfig,
      credentials: {
        accessKeyId: sessionCredentials!.AccessKeyId!,
        secretAccessKey: sessionCredentials!.SecretAccessKey!,
        sessionToken: sessionCredentials!.SessionToken!,
      },
    });
    return async (): Promise<string> => {
      try {
        await logs.send(new FilterLogEventsCommand({ logGroupName: `/aws/lambda/${deployed.stackName}-support`, limit: 1 }));
        return 'read';
      } catch (error) {
        return (error as Error).name.includes('AccessDenied') ? 'denied' : (error as Error).name;
      }
    };
  };

  beforeAll(async () => {
    token = await adminMachineToken();
  });
  afterAll(() => sts.destroy());

  test('ends when its case is closed; a later session of another open case continues', async () => {
    const [caseId, other] = [await openCase(), await openCase()];
    // A test before may have closed a case in this second, and sessions that started in it are denied.
    await pause(1_000);
    const session = await startSession(caseId);
    expect(await session()).toBe('read');
    await ok(token, 'support/CloseSupportCase', { case_id: caseId });
    expect(await session()).toBe('denied');
    await pause(1_000);
    const next = await startSession(other);
    expect([await next(), await session()]).toEqual(['read', 'denied']);
    await ok(token, 'support/CloseSupportCase', { case_id: other });
    expect(await next()).toBe('denied');
  });
});
