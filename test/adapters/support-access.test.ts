import { CloudTrailClient } from '@aws-sdk/client-cloudtrail';
import { CreateAccessKeyCommand, IAMClient } from '@aws-sdk/client-iam';
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { AssumeRoleCommand, GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { setTimeout as pause } from 'node:timers/promises';
import type { RoleTier } from '../../contract/admin/support.ts';
import { trustOfNobody } from '../../contract/support-trust.ts';
import { archiveAssumption, type TrailEvent } from '../../lambdas/role-assumptions/archive.ts';
import { cloudTrailLookup } from '../../lambdas/providers/cloudtrail-lookup.ts';
import { iamSupportRoles } from '../../lambdas/providers/iam-support-roles.ts';
import { roleAssumptionsIn } from '../../lambdas/store/directory/role-assumptions.ts';
import { supportCasesIn, type CaseFields } from '../../lambdas/store/directory/support-cases.ts';
import { assumptionsOfCase } from '../../lambdas/support/case-assumptions.ts';
import { caseActiveUntil, caseWithTiers, closedCase, openedCase } from '../../lambdas/support/case-states.ts';
import { trustKeeper } from '../../lambdas/support/trust-keeper.ts';
import { supportRolesContract } from '../contracts/support-roles-contract.ts';
import { memoryLog } from '../fakes/log.ts';
import { memoryTable } from '../fakes/memory-table.ts';
import { eventually, getAtt, ref, startTrial, type Trial } from '../sandbox/emulator/trial.ts';

const role = { Type: 'AWS::IAM::Role', Properties: { AssumeRolePolicyDocument: trustOfNobody([]) } };
const template = {
  Resources: {
    Diag: role,
    ConfigRead: role,
    Supporter: {
      Type: 'AWS::IAM::User',
      Properties: { UserName: 'supporter', Policies: [{ PolicyName: 'support', PolicyDocument: { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Resource: '*' }] } }] },
    },
    Archive: { Type: 'AWS::SQS::Queue', Properties: {} },
    MaySend: {
      Type: 'AWS::SQS::QueuePolicy',
      Properties: { Queues: [ref('Archive')], PolicyDocument: { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Principal: { Service: 'events.amazonaws.com' }, Action: 'sqs:SendMessage', Resource: getAtt('Archive', 'Arn') }] } },
    },
    Assumed: {
      Type: 'AWS::Events::Rule',
      Properties: {
        State: 'ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS',
        EventPattern: {
          source: ['aws.sts'], 'detail-type': ['AWS API Call via CloudTrail'],
          detail: { eventSource: ['sts.amazonaws.com'], eventName: ['AssumeRole'], requestParameters: { roleArn: [getAtt('Diag', 'Arn'), getAtt('ConfigRead', 'Arn')] } },
        },
        Targets: [{ Id: 'archive', Arn: getAtt('Archive', 'Arn') }],
      },
    },
  },
  Outputs: { diag: { Value: getAtt('Diag', 'Arn') }, configRead: { Value: getAtt('ConfigRead', 'Arn') }, queue: { Value: ref('Archive') } },
};

const principal = 'arn:aws:iam::000000000000:user/supporter';
let trial: Trial;
let arns: { DIAG: string; CONFIG_READ: string };
let queueUrl: string;
let supporter: STSClient;

beforeAll(async () => {
  trial = await startTrial({ enforceIam: true });
  const { diag, configRead, queue } = await trial.deploy(template);
  arns = { DIAG: diag!, CONFIG_READ: configRead! };
  queueUrl = queue!;
  const { AccessKey: key } = await new IAMClient(trial.reach).send(new CreateAccessKeyCommand({ UserName: 'supporter' }));
  supporter = new STSClient({ ...trial.reach, credentials: { accessKeyId: key!.AccessKeyId!, secretAccessKey: key!.SecretAccessKey! } });
}, 120_000);
afterAll(() => trial.end());

const connections = () => {
  const [table, log] = [memoryTable(), memoryLog()];
  const cases = supportCasesIn(table);
  const clock = () => new Date();
  const roles = iamSupportRoles(arns, new IAMClient(trial.reach));
  const archive = roleAssumptionsIn(table);
  const trust = trustKeeper({ cases, roles, supporters: { principals: [principal], region: 'us-east-1' }, clock });
  const look = assumptionsOfCase({ archive, lookup: cloudTrailLookup(new CloudTrailClient(trial.reach)), roleArns: Object.values(arns), clock, log });
  /** As the methods do it: take, record, give. */
  const become = async (caseId: string, next: (before: CaseFields | undefined) => CaseFields): Promise<void> => {
    const { found, revision } = await cases.find(caseId);
    const after = next(found);
    await trust.prepare(found, after);
    await cases.keep(found, after, revision, clock(), []);
    await trust.settle();
  };
  const open = (caseId: string, ...tiers: RoleTier[]) => become(caseId, () => openedCase(caseId, { subject: 's', allowed_tiers: tiers }, 'user_admin', clock()));
  return { cases, roles, archive, log, look, become, open };
};

/** `in`, or how it was refused. */
const assume = async (tier: RoleTier, ExternalId: string | undefined, client = supporter): Promise<string> => {
  try {
    const { Credentials: given } = await client.send(new AssumeRoleCommand({ RoleArn: arns[tier], RoleSessionName: 'grace', ExternalId }));
    const session = new STSClient({ ...trial.reach, credentials: { accessKeyId: given!.AccessKeyId!, secretAccessKey: given!.SecretAccessKey!, sessionToken: given!.SessionToken! } });
    const { Arn: who } = await session.send(new GetCallerIdentityCommand({}));
    return who!.endsWith('/grace') ? 'in' : who!;
  } catch (error) {
    return (error as Error).name;
  }
};
const id = (name: string) => `case_${name.padStart(21, '0')}`;

describe('support roles in IAM', () => {
  supportRolesContract(async () => ({ roles: connections().roles, principal }));
});

describe('a supporter who really assumes a role', () => {
  test('gets in by an open case’s external id, into its tiers only, and by no other', async () => {
    const { open } = connections();
    expect(await assume('DIAG', id('a'))).toBe('AccessDenied');
    await open(id('a'), 'DIAG');
    expect(await assume('DIAG', id('a'))).toBe('in');
    for (const refused of [await assume('CONFIG_READ', id('a')), await assume('DIAG', id('b')), await assume('DIAG', undefined)]) expect(refused).toBe('AccessDenied');
  });

  test('does not get in through another region, where nobody would learn of it', async () => {
    const { open } = connections();
    await open(id('region'), 'DIAG');
    const elsewhere = new STSClient({ ...trial.reach, region: 'eu-west-1', credentials: supporter.config.credentials });
    expect(await assume('DIAG', id('region'), elsewhere)).toBe('AccessDenied');
    expect(await assume('DIAG', id('region'))).toBe('in');
  });

  test('loses a tier that is taken, and everything with the case', async () => {
    const { open, become } = connections();
    await open(id('c'), 'DIAG', 'CONFIG_READ');
    await become(id('c'), (before) => caseWithTiers(before!, ['CONFIG_READ'], undefined, new Date()));
    expect([await assume('DIAG', id('c')), await assume('CONFIG_READ', id('c'))]).toEqual(['AccessDenied', 'in']);
    await become(id('c'), (before) => closedCase(before!, 'user_admin', new Date())!);
    expect(await assume('CONFIG_READ', id('c'))).toBe('AccessDenied');
  });

  test('loses access when the case lapses, without a call of ours, and gets it back with the same external id', async () => {
    const { open, become } = connections();
    await open(id('d'), 'DIAG');
    await become(id('d'), (before) => caseActiveUntil(before!, new Date(Date.now() + 3_000).toISOString(), new Date()));
    expect(await assume('DIAG', id('d'))).toBe('in');
    await pause(3_100);
    expect(await assume('DIAG', id('d'))).toBe('AccessDenied');
    await become(id('d'), (before) => caseActiveUntil(before!, new Date(Date.now() + 60_000).toISOString(), new Date()));
    expect(await assume('DIAG', id('d'))).toBe('in');
  });
});

describe('assumptions in CloudTrail', () => {
  test('are found live and come by the rule into the archive, each once; refused ones are neither', async () => {
    const { open, cases, archive, log, look } = connections();
    await open(id('e'), 'DIAG');
    await assume('DIAG', id('e'));
    await assume('CONFIG_READ', id('e'));
    const stored = (await cases.find(id('e'))).found!;
    const live = await look(stored);
    expect(live).toMatchObject({ assumptions: [{ assuming_principal: principal, role_session_name: 'grace', role_assumed: arns.DIAG, external_id: id('e') }], live_lookup_complete: false });

    const sqs = new SQSClient(trial.reach);
    const keep = archiveAssumption({ archive, roleArns: Object.values(arns), log });
    await eventually(async () => {
      const { Messages: messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10 }));
      for (const { Body: body } of messages) await keep(JSON.parse(body!) as TrailEvent);
      return (await archive.ofCase(id('e'))).length > 0;
    });
    expect(await archive.ofCase(id('e'))).toEqual(live.assumptions);
    expect(await look(stored)).toEqual(live);
  });
});
