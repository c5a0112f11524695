import { setTimeout as pause } from 'node:timers/promises';
import { CloudTrailClient } from '@aws-sdk/client-cloudtrail';
import {
  CreateAccessKeyCommand,
  DeleteRolePermissionsBoundaryCommand,
  DeleteRolePolicyCommand,
  IAMClient,
  PutRolePermissionsBoundaryCommand,
  PutRolePolicyCommand,
} from '@aws-sdk/client-iam';
import { GetQueueAttributesCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { AssumeRoleCommand, GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import type { RoleTier } from '../../../../contract/admin/support.ts';
import { allSessionsDenied, sessionsPolicyName, trustWithoutCases } from '../../../../contract/deployment/support-roles.ts';
import { cloudTrailAssumptionLookup } from '../../../../core/aws/cloudtrail-assumption-lookup.ts';
import { iamSupportRoles } from '../../../../core/aws/iam-support-roles.ts';
import { roleAssumptionsIn } from '../../../../core/directory/role-assumptions.ts';
import { supportCasesIn, type CaseFields, type StoredSupportCase } from '../../../../core/directory/support-cases.ts';
import { withLiveAssumptions } from '../../../../lambdas/admin/support/list-support-role-assumptions.ts';
import { caseActiveUntil, caseWithTiers, closedCase, openedCase } from '../../../../lambdas/admin/support/support-case-states.ts';
import { supportRoleSync } from '../../../../lambdas/admin/support/support-role-sync.ts';
import { archiveRoleAssumption, type CloudTrailEvent } from '../../../../lambdas/role-assumptions/archive-role-assumption.ts';
import { memoryLog } from '../../../fakes/memory-log.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { supportRolesSuite } from '../../../port-suites/support-roles-suite.ts';
import { eventually, getAtt, ref, startEmulatorFixture, type EmulatorFixture } from '../../../support/test-emulator.ts';

const allow = (Action: string | string[], Resource: unknown, Condition?: object) => ({ Effect: 'Allow', Action, Resource, ...(Condition && { Condition }) });
const user = (UserName: string, ...Statement: object[]) => ({
  Type: 'AWS::IAM::User',
  Properties: { UserName, Policies: [{ PolicyName: 'own', PolicyDocument: { Version: '2012-10-17', Statement } }] },
});

/** A tier's role like those of `lib/admin/support-roles.ts`. It may read the archive. */
const role = (name: string) => ({
  [`${name}Rights`]: {
    Type: 'AWS::IAM::ManagedPolicy',
    Properties: { PolicyDocument: { Version: '2012-10-17', Statement: [allow('sqs:GetQueueAttributes', getAtt('Archive', 'Arn'))] } },
  },
  [name]: {
    Type: 'AWS::IAM::Role',
    Properties: { AssumeRolePolicyDocument: trustWithoutCases([]), ManagedPolicyArns: [ref(`${name}Rights`)], PermissionsBoundary: ref(`${name}Rights`) },
  },
  [`${name}Sessions`]: { Type: 'AWS::IAM::Policy', Properties: { PolicyName: sessionsPolicyName, PolicyDocument: allSessionsDenied, Roles: [ref(name)] } },
});
const template = {
  Resources: {
    ...role('Diag'),
    ...role('ConfigRead'),
    // What the support Lambda may do with the roles.
    Keeper: user(
      'keeper',
      allow(['iam:GetRole', 'iam:GetRolePolicy', 'iam:UpdateAssumeRolePolicy'], [getAtt('Diag', 'Arn'), getAtt('ConfigRead', 'Arn')]),
      ...['Diag', 'ConfigRead'].map((name) =>
        allow('iam:PutRolePolicy', getAtt(name, 'Arn'), { StringEquals: { 'iam:PermissionsBoundary': ref(`${name}Rights`) } }),
      ),
    ),
    Supporter: user('supporter', allow('sts:AssumeRole', '*')),
    Archive: { Type: 'AWS::SQS::Queue', Properties: {} },
    MaySend: {
      Type: 'AWS::SQS::QueuePolicy',
      Properties: {
        Queues: [ref('Archive')],
        PolicyDocument: {
          Version: '2012-10-17',
          Statement: [{ Effect: 'Allow', Principal: { Service: 'events.amazonaws.com' }, Action: 'sqs:SendMessage', Resource: getAtt('Archive', 'Arn') }],
        },
      },
    },
    Assumed: {
      Type: 'AWS::Events::Rule',
      Properties: {
        State: 'ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS',
        EventPattern: {
          source: ['aws.sts'],
          'detail-type': ['AWS API Call via CloudTrail'],
          detail: {
            eventSource: ['sts.amazonaws.com'],
            eventName: ['AssumeRole'],
            requestParameters: { roleArn: [getAtt('Diag', 'Arn'), getAtt('ConfigRead', 'Arn')] },
          },
        },
        Targets: [{ Id: 'archive', Arn: getAtt('Archive', 'Arn') }],
      },
    },
  },
  Outputs: {
    diag: { Value: getAtt('Diag', 'Arn') },
    configRead: { Value: getAtt('ConfigRead', 'Arn') },
    diagRights: { Value: ref('DiagRights') },
    queue: { Value: ref('Archive') },
  },
};

const principal = 'arn:aws:iam::000000000000:user/supporter';
let trial: EmulatorFixture;
let arns: { DIAG: string; CONFIG_READ: string };
let queueUrl: string;
/** The permissions boundary of DIAG. */
let rights: string;
let keeper: IAMClient;
let supporter: STSClient;

const keyOf = async (UserName: string) => {
  const { AccessKey: key } = await new IAMClient(trial.clientConfig).send(new CreateAccessKeyCommand({ UserName }));
  return { accessKeyId: key!.AccessKeyId!, secretAccessKey: key!.SecretAccessKey! };
};

beforeAll(async () => {
  trial = await startEmulatorFixture({ enforceIam: true });
  const { diag, configRead, diagRights, queue } = await trial.deploy(template);
  arns = { DIAG: diag!, CONFIG_READ: configRead! };
  [rights, queueUrl] = [diagRights!, queue!];
  supporter = new STSClient({ ...trial.clientConfig, credentials: await keyOf('supporter') });
  keeper = new IAMClient({ ...trial.clientConfig, credentials: await keyOf('keeper') });
});
afterAll(() => trial.end());

const dependencies = () => {
  const [table, log] = [memoryTable(), memoryLog()];
  const cases = supportCasesIn(table);
  const clock = () => new Date();
  const roles = iamSupportRoles(arns, keeper);
  const archive = roleAssumptionsIn(table);
  const sync = supportRoleSync({ cases, roles, supporters: { principals: [principal], region: 'us-east-1' }, clock });
  const lookup = { lookup: cloudTrailAssumptionLookup(new CloudTrailClient(trial.clientConfig)), roleArns: Object.values(arns), clock, log };
  const listAssumptions = async (stored: StoredSupportCase) => withLiveAssumptions(lookup, stored, await archive.listByCase(stored.case_id));
  /** Applies a change as the methods do: revoke, record, grant. */
  const changeCase = async (caseId: string, next: (before: CaseFields | undefined) => CaseFields): Promise<void> => {
    const { found, access: before } = await cases.find(caseId);
    const [after, now] = [next(found), clock()];
    const change = sync.planChange(before, found, after, now);
    const recorded = await change.revoke();
    await Promise.all([cases.save(found, after, recorded, now, []), change.scheduleSessionEnds()]);
    await change.grant(async () => undefined);
  };
  const open = (caseId: string, ...tiers: RoleTier[]) =>
    changeCase(caseId, () => openedCase(caseId, { subject: 's', allowed_tiers: tiers }, 'user_admin', clock()));
  return { cases, roles, archive, log, listAssumptions, changeCase, open };
};

/** Assumes a role. @returns `in`, or the reason of the refusal. */
const assume = async (tier: RoleTier, ExternalId: string | undefined, client = supporter): Promise<string> => {
  try {
    const { Credentials: given } = await client.send(new AssumeRoleCommand({ RoleArn: arns[tier], RoleSessionName: 'grace', ExternalId }));
    const session = new STSClient({
      ...trial.clientConfig,
      credentials: { accessKeyId: given!.AccessKeyId!, secretAccessKey: given!.SecretAccessKey!, sessionToken: given!.SessionToken! },
    });
    const { Arn: who } = await session.send(new GetCallerIdentityCommand({}));
    return who!.endsWith('/grace') ? 'in' : who!;
  } catch (error) {
    return (error as Error).name;
  }
};
const id = (name: string) => `case_${name.padStart(21, '0')}`;

describe('support roles in IAM', () => {
  supportRolesSuite(async () => ({ roles: dependencies().roles, principal }));
});

describe('a supporter who assumes a role', () => {
  test('assumes the roles of the tiers of an open case with its external id, and no others', async () => {
    const { open } = dependencies();
    expect(await assume('DIAG', id('a'))).toBe('AccessDenied');
    await open(id('a'), 'DIAG');
    expect(await assume('DIAG', id('a'))).toBe('in');
    for (const refused of [await assume('CONFIG_READ', id('a')), await assume('DIAG', id('b')), await assume('DIAG', undefined)])
      expect(refused).toBe('AccessDenied');
  });

  test('cannot assume the role through another region, whose events are not archived', async () => {
    const { open } = dependencies();
    await open(id('region'), 'DIAG');
    const elsewhere = new STSClient({ ...trial.clientConfig, region: 'eu-west-1', credentials: supporter.config.credentials });
    expect(await assume('DIAG', id('region'), elsewhere)).toBe('AccessDenied');
    expect(await assume('DIAG', id('region'))).toBe('in');
  });

  test('loses a tier that is removed from the case, and all tiers when the case is closed', async () => {
    const { open, changeCase } = dependencies();
    await open(id('c'), 'DIAG', 'CONFIG_READ');
    await changeCase(id('c'), (before) => caseWithTiers(before!, ['CONFIG_READ'], undefined, new Date()));
    expect([await assume('DIAG', id('c')), await assume('CONFIG_READ', id('c'))]).toEqual(['AccessDenied', 'in']);
    await changeCase(id('c'), (before) => closedCase(before!, 'user_admin', new Date())!);
    expect(await assume('CONFIG_READ', id('c'))).toBe('AccessDenied');
  });

  test('loses access when the case lapses, without a call, and regains it with the same external id', async () => {
    const { open, changeCase } = dependencies();
    await open(id('d'), 'DIAG');
    await changeCase(id('d'), (before) => caseActiveUntil(before!, new Date(Date.now() + 3_000).toISOString(), new Date()));
    expect(await assume('DIAG', id('d'))).toBe('in');
    await pause(3_100);
    expect(await assume('DIAG', id('d'))).toBe('AccessDenied');
    await changeCase(id('d'), (before) => caseActiveUntil(before!, new Date(Date.now() + 60_000).toISOString(), new Date()));
    expect(await assume('DIAG', id('d'))).toBe('in');
  });
});

describe('a session of a support role', () => {
  const sessionOf = async (tier: RoleTier, ExternalId: string): Promise<SQSClient> => {
    const { Credentials: given } = await supporter.send(new AssumeRoleCommand({ RoleArn: arns[tier], RoleSessionName: 'grace', ExternalId }));
    return new SQSClient({
      ...trial.clientConfig,
      credentials: { accessKeyId: given!.AccessKeyId!, secretAccessKey: given!.SecretAccessKey!, sessionToken: given!.SessionToken! },
    });
  };
  /** Begins a session. @returns a function that reads the archive in this session, and returns the outcome. */
  const begin = async (tier: RoleTier, externalId: string) => {
    const session = await sessionOf(tier, externalId);
    return async (): Promise<string> => {
      try {
        await session.send(new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['All'] }));
        return 'seen';
      } catch (error) {
        return (error as Error).name.includes('AccessDenied') ? 'denied' : (error as Error).name;
      }
    };
  };

  test('in the case’s tiers ends immediately when the case is closed; later sessions of another open case continue', async () => {
    const { open, changeCase } = dependencies();
    await open(id('f'), 'DIAG');
    await open(id('g'), 'DIAG', 'CONFIG_READ');
    const [closed, other, elsewhere] = [await begin('DIAG', id('f')), await begin('DIAG', id('g')), await begin('CONFIG_READ', id('g'))];
    expect([await closed(), await other(), await elsewhere()]).toEqual(['seen', 'seen', 'seen']);
    await changeCase(id('f'), (before) => closedCase(before!, 'user_admin', new Date())!);
    expect([await closed(), await elsewhere()]).toEqual(['denied', 'seen']);
    await pause(1_000);
    const next = await begin('DIAG', id('g'));
    expect([await closed(), await other(), await next()]).toEqual(['denied', 'denied', 'seen']);
  });

  test('ends when its tier is removed from the case', async () => {
    const { open, changeCase } = dependencies();
    await open(id('h'), 'DIAG', 'CONFIG_READ');
    const [diag, config] = [await begin('DIAG', id('h')), await begin('CONFIG_READ', id('h'))];
    await changeCase(id('h'), (before) => caseWithTiers(before!, ['CONFIG_READ'], undefined, new Date()));
    expect([await diag(), await config()]).toEqual(['denied', 'seen']);
  });

  test('ends when the case lapses, without a call', async () => {
    const { open, changeCase } = dependencies();
    await open(id('i'), 'DIAG');
    await changeCase(id('i'), (before) => caseActiveUntil(before!, new Date(Date.now() + 3_000).toISOString(), new Date()));
    const session = await begin('DIAG', id('i'));
    expect(await session()).toBe('seen');
    await pause(3_000);
    expect(await session()).toBe('denied');
  });

  test('is limited to its tier, whatever policies its role has; a role without the boundary gets no policy', async () => {
    const { open } = dependencies();
    await open(id('j'), 'DIAG');
    const RoleName = arns.DIAG.split('/').at(-1)!;
    const write = () =>
      keeper.send(
        new PutRolePolicyCommand({ RoleName, PolicyName: 'all', PolicyDocument: JSON.stringify({ Version: '2012-10-17', Statement: [allow('*', '*')] }) }),
      );
    await write();
    await expect((await sessionOf('DIAG', id('j'))).send(new ReceiveMessageCommand({ QueueUrl: queueUrl }))).rejects.toMatchObject({
      name: expect.stringContaining('AccessDenied'),
    });
    const root = new IAMClient(trial.clientConfig);
    await root.send(new DeleteRolePermissionsBoundaryCommand({ RoleName }));
    await expect(write()).rejects.toMatchObject({ name: expect.stringContaining('AccessDenied') });
    await root.send(new DeleteRolePolicyCommand({ RoleName, PolicyName: 'all' }));
    await root.send(new PutRolePermissionsBoundaryCommand({ RoleName, PermissionsBoundary: rights }));
  });
});

describe('role assumptions in CloudTrail', () => {
  test('are found by the live lookup and archived by the rule, each once; refused ones are not', async () => {
    const { open, cases, archive, log, listAssumptions } = dependencies();
    await open(id('e'), 'DIAG');
    await assume('DIAG', id('e'));
    await assume('CONFIG_READ', id('e'));
    const stored = (await cases.find(id('e'))).found!;
    const live = await listAssumptions(stored);
    expect(live).toMatchObject({
      assumptions: [{ assuming_principal: principal, role_session_name: 'grace', role_assumed: arns.DIAG, external_id: id('e') }],
      live_lookup_complete: false,
    });

    const sqs = new SQSClient(trial.clientConfig);
    const keep = archiveRoleAssumption({ archive, roleArns: Object.values(arns), log });
    await eventually(async () => {
      const { Messages: messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10 }));
      for (const { Body: body } of messages) await keep(JSON.parse(body!) as CloudTrailEvent);
      return (await archive.listByCase(id('e'))).length > 0;
    });
    expect(await archive.listByCase(id('e'))).toEqual(live.assumptions);
    expect(await listAssumptions(stored)).toEqual(live);
  });
});
