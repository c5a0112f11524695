import { deploymentContext } from '../../lib/deployment-context.ts';
import type { PreflightPorts } from '../../preflight/adapters/aws-preflight-ports.ts';
import type { SynthesizedStack } from '../../preflight/adapters/synthesis.ts';
import { collectFacts, type Facts } from '../../preflight/facts.ts';
import { checkAll, reportText, wouldFail } from '../../preflight/report.ts';
import { preflightRun } from './preflight-run.ts';

type Values = { readonly [Name in keyof Facts]: Extract<Facts[Name], { value: unknown }>['value'] };

const stack: SynthesizedStack = {
  name: 'Postrider',
  resources: { Deliver: { Type: 'AWS::Lambda::Function' }, Secret: { Type: 'AWS::SecretsManager::Secret' } },
  bootstrap: { version: 6, parameter: '/cdk-bootstrap/hnb659fds/version' },
};

const granted = { production_access_enabled: true, sandbox: false, sending_enabled: true, enforcement_status: 'HEALTHY', quota: { max_24h_send: 200 } };
const zone = { name: 'example.com', isPrivate: false, nameServers: ['ns-2.awsdns-02.com', 'ns-1.awsdns-01.org'] };

/** The answers about an account after `cdk bootstrap`, without any other resources, and a domain that nobody uses. */
const emptyAccount: Omit<Values, 'settings' | 'region' | 'people'> = {
  accountPlan: { type: 'PAID', status: 'ACTIVE' },
  caller: { account: '000000000000', arn: 'arn:aws:iam::000000000000:user/ada' },
  stacks: [stack],
  bootstrapVersion: 30,
  closedRoles: [],
  deniedActions: [],
  activeRuleSet: undefined,
  hasInboundHost: false,
  pricePlan: undefined,
  sending: granted,
  concurrency: { account_limit: 1000 },
  reservedNow: 0,
  stackStatuses: { Postrider: undefined },
  identity: undefined,
  poolOfDomainPrefix: undefined,
  apiDomains: [],
  publicNames: [],
  zoneRecords: [],
  chosenZone: zone,
  ownZone: undefined,
  nameServers: zone.nameServers.toReversed(),
  mailExchangers: [],
  certificateAuthorities: undefined,
};

type Situation = {
  readonly settings?: object;
  readonly region?: string;
  readonly people?: number;
  readonly answers?: Partial<Values>;
  /** Questions that are not answered. */
  readonly unknown?: readonly (keyof Facts)[];
};

const factsOf = ({ settings, region = 'us-east-1', people = 25, answers, unknown = [] }: Situation): Facts =>
  ({
    ...Object.fromEntries(Object.entries({ ...emptyAccount, ...answers }).map(([name, value]) => [name, { value }])),
    ...Object.fromEntries(unknown.map((name) => [name, { unknown: 'AWS denies the question' }])),
    settings: deploymentContext({ domain: 'example.com', lambdaConcurrency: 1000, maxRecipientsPerDay: 100, ...settings }),
    region,
    people,
  }) as Facts;

const reserving = { lambdaConcurrency: 1000 };
const deployed = { stackStatuses: { Postrider: 'UPDATE_COMPLETE' } };
const hostedZone = { hostedZoneId: 'Z0123456789ABCDEFGHIJ' };
const signIn = { signInMailFrom: 'no-reply@example.com' };
const authDomain = { authDomainPrefix: 'example-mail' };
const verified = { verification_status: 'SUCCESS', isOwn: true } as Values['identity'];
const others = (count: number) => ({
  activeRuleSet: { name: 'Other', rules: [...Array.from({ length: count }, (_, number) => `other-${number}`), 'Postrider-deliver-1'] },
});
const ofStack = (status: string) => ({ answers: { stackStatuses: { Postrider: status } } });
const jmapRecord = { zoneRecords: [{ name: 'jmap.example.com', type: 'A', values: ['192.0.2.1'], ttl: 60, isAliasOrRouted: false }] };

/** Situations that the emulator cannot provoke, or that are in order. The faults of `faults.emulator.test.ts` are not repeated. */
const lines: readonly (readonly [subject: string, situation: Situation, line: RegExp])[] = [
  ['account plan', {}, /^ok \| PAID/],
  ['account plan', { answers: { accountPlan: undefined } }, /^ok \| AWS names none/],
  [
    'account plan',
    { answers: { accountPlan: { type: 'FREE', status: 'ACTIVE', endsAt: new Date('2027-05-29T00:00:00Z') } } },
    /^attention \| FREE: it ends on 2027-05-29 or when its credits are used\. .*before people come: aws freetier upgrade-account-plan --account-plan-type PAID$/,
  ],
  [
    'account plan',
    { answers: { accountPlan: { type: 'FREE', status: 'EXPIRED' } } },
    /^fail \| FREE, expired: AWS closes the account \| aws freetier upgrade-account-plan/,
  ],
  ['account plan', { unknown: ['accountPlan'] }, /^unknown \| .*allow freetier:GetAccountPlanState/],
  ['CDK bootstrap', { unknown: ['bootstrapVersion'] }, /^unknown \| AWS denies the question \| allow ssm:GetParameter/],
  ['rights to deploy', {}, /^ok/],
  ['rights to deploy', { answers: { bootstrapVersion: undefined } }, /^unknown \| .*ask again after cdk bootstrap/],
  [
    'rights to deploy',
    { answers: { closedRoles: ['deploy-role'] } },
    /^attention \| the deploy-role of the bootstrap can't be assumed; cdk deploy then uses your own rights/,
  ],
  [
    'rights to deploy',
    { answers: { closedRoles: ['deploy-role'] }, unknown: ['deniedActions'] },
    /^unknown \| .*whether your own rights are enough is unknown/,
  ],
  ['SES receives mail here', {}, /^ok \| us-east-1 receives mail .*, and SES answers/],
  ['SES receives mail here', { unknown: ['activeRuleSet'] }, /^ok \| us-east-1 receives mail \([^)]*\)$/],
  [
    'SES receives mail here',
    { region: 'mx-central-1', answers: { hasInboundHost: true } },
    /^attention \| DNS knows inbound-smtp\.mx-central-1\.amazonaws\.com, .*may not stream responses.*need a role to write to S3 \| take a region of the table/,
  ],
  ['SES receives mail here', { region: 'mx-central-1', unknown: ['hasInboundHost'] }, /^attention \| .*DNS can't be asked \| Set AWS_REGION/],
  [
    'SES receives mail here',
    { region: 'mx-central-1', answers: { hasInboundHost: true }, unknown: ['activeRuleSet'] },
    /^attention \| .*SES doesn't answer: AWS denies/,
  ],
  ['receipt rule set', {}, /^ok \| none is active; the deployment activates postrider and adds its rules, Postrider-deliver-\*/],
  ['receipt rule set', { answers: others(200) }, /^fail \| .*as many rules of others as SES allows \| remove rules/],
  ['receipt rule set', { answers: others(190) }, /^attention \| .*leave room for 10 \| 1000 addresses have room/],
  ['receipt rule set', { answers: others(20) }, /^ok \| .*leave room for 180/],
  ['SES production access', {}, /^ok \| granted; the account's standing is HEALTHY/],
  [
    'SES production access',
    { answers: { sending: { ...granted, sending_enabled: false, sandbox: true } } },
    /^attention \| SES sends no mail\. .*Read the message of AWS/,
  ],
  ['SES production access', { answers: { sending: { quota: {} } } }, /^unknown \| SES does not say/],
  ['SES rates', { answers: { sending: { quota: {} } } }, /^unknown \| SES tells no quota/],
  ['SES rates', { answers: { sending: { quota: { max_24h_send: -1 } } } }, /^ok \| no limit a day, unknown a second/],
  ['SES rates', { settings: { maxRecipientsPerDay: 5000 } }, /^attention \| 200 recipients a day, .*one account alone may send to 5,000 a day/],
  ['SES price plan', {}, /^unknown \| SES names none/],
  ['SES price plan', { answers: { pricePlan: { current: 'NONE' } } }, /^ok \| NONE: 0\.10 USD for 1,000 messages out/],
  [
    'SES price plan',
    { answers: { pricePlan: { current: 'ESSENTIALS' } } },
    /^attention \| ESSENTIALS: 0\.16 USD .*without one it is 0\.10 .*put-account-pricing-attributes --plan NONE/,
  ],
  ['SES price plan', { answers: { pricePlan: { current: 'PRO', next: 'NONE' } } }, /^ok \| PRO: 105 USD a month and 0\.22 USD .*from next month NONE/],
  ['SES price plan', { answers: { pricePlan: { current: 'GALACTIC' } } }, /^attention \| GALACTIC; nothing of the deployment needs a plan/],
  ['invitations', {}, /^attention \| Cognito mails at most 50 invitations and codes a day.* \| When SES has verified example\.com/],
  ['invitations', { settings: signIn, unknown: ['identity'] }, /^unknown \| .*allow ses:GetEmailIdentity/],
  ['invitations', { settings: signIn, answers: { identity: verified } }, /^ok \| by SES from no-reply@example\.com/],
  [
    'invitations',
    { settings: signIn, answers: { identity: verified, sending: { ...granted, sandbox: true } } },
    /^attention \| .*verified addresses only.*deploy without signInMailFrom/,
  ],
  ['Lambda concurrency', { settings: reserving }, /^ok \| 1,000, setting 1,000: all queues are handled as messages arrive; downloads take 100 at most/],
  [
    'Lambda concurrency',
    { settings: { lambdaConcurrency: 24 }, answers: { concurrency: { account_limit: 24 } } },
    /^ok \| .*6 people with 4 slow downloads each/,
  ],
  [
    'Lambda concurrency',
    { settings: { lambdaConcurrency: 10 }, answers: { concurrency: { account_limit: 10 } } },
    /^attention \| 10, as in a new account: push-delivery, .* run once in one to five minutes.*ask Service Quotas for 1,000/,
  ],
  ['Lambda concurrency', { settings: { lambdaConcurrency: 5000 } }, /^fail \| .*the account has 1000 in this region, and the setting says 5000/],
  [
    'Lambda concurrency',
    { settings: { lambdaConcurrency: 10 } },
    /^attention \| the account has 1,000, and the setting says 10: .*pass -c lambdaConcurrency=1000/,
  ],
  ['Lambda concurrency', { settings: { lambdaConcurrency: 900 } }, /^attention \| .*reserved for mail, sign-in and downloads.*pass -c lambdaConcurrency=1000/],
  ['Lambda concurrency', { answers: { concurrency: {} } }, /^unknown \| Lambda tells no limit/],
  [
    'Lambda concurrency',
    { settings: reserving, answers: { ...deployed, concurrency: { account_limit: 1000, unreserved_concurrency: 200 } }, unknown: ['reservedNow'] },
    /^ok/,
  ],
  ['name servers today', { answers: { nameServers: [] } }, /^attention \| nobody answers for example\.com/],
  ['hosted zone', { settings: hostedZone }, /^ok \| example\.com \(Z0123456789ABCDEFGHIJ\) answers for example\.com/],
  ['hosted zone', { settings: hostedZone, unknown: ['nameServers'] }, /^unknown \| example\.com; who answers for it can't be asked/],
  ['who gets mail today', {}, /^ok \| nobody: .*create MX 10 inbound-smtp\.us-east-1\.amazonaws\.com/],
  ['who gets mail today', { answers: { mailExchangers: ['10 inbound-smtp.us-east-1.amazonaws.com'] } }, /^ok \| SES in us-east-1/],
  ['certificate', { settings: hostedZone, answers: { certificateAuthorities: ['letsencrypt.org', 'amazonaws.com'] } }, /^ok \| the CAA records allow Amazon/],
  ['certificate', { answers: { certificateAuthorities: ['letsencrypt.org'] } }, /^$/],
  ['SES identity example.com', { answers: { identity: verified } }, /^ok \| made by this deployment, SUCCESS/],
  ['name of the sign-in', { settings: authDomain }, /^ok \| example-mail is free in this account/],
  ['name of the sign-in', { settings: authDomain, answers: { ...deployed, poolOfDomainPrefix: 'pool' } }, /^ok \| .*of the existing stack/],
  [
    'custom domain names',
    { settings: hostedZone, answers: { ...deployed, apiDomains: ['jmap.example.com'] } },
    /^ok \| jmap\.example\.com: of the existing stack/,
  ],
  ['records at these names', { settings: hostedZone, answers: { ...deployed, ...jmapRecord } }, /^ok \| jmap\.example\.com A: of the existing stack/],
  [
    'records at these names',
    { settings: hostedZone, answers: { publicNames: ['jmap.example.com'] } },
    /^attention \| .*public DNS answers for jmap\.example\.com/,
  ],
  ['stack Postrider', ofStack('CREATE_COMPLETE'), /^ok/],
  ['stack Postrider', ofStack('ROLLBACK_COMPLETE'), /^attention/],
  ['stack Postrider', ofStack('ROLLBACK_FAILED'), /^attention/],
  ['stack Postrider', ofStack('REVIEW_IN_PROGRESS'), /^ok/],
  ['stack Postrider', ofStack('UPDATE_IN_PROGRESS'), /^fail/],
  ['stack Postrider', ofStack('UPDATE_ROLLBACK_FAILED'), /^fail \| .*continue-update-rollback --stack-name Postrider/],
  ['stack Postrider', ofStack('DELETE_FAILED'), /^fail \| .*delete-stack --stack-name Postrider/],
  ['stacks', { unknown: ['stackStatuses'] }, /^unknown \| .*allow cloudformation:DescribeStacks/],
  ['cost while idle', {}, /^ok \| 0\.41 USD a month beyond AWS's free units/],
  ['synthesis', { unknown: ['stacks'] }, /^fail \| .*npx cdk synth prints the whole error/],
];

/** The first line about a subject. */
const lineOf = (subject: string, situation: Situation): string => {
  const found = checkAll(factsOf(situation))
    .flatMap((group) => group.lines)
    .find((line) => line.subject === subject);
  return found ? [found.state, found.found, found.action].filter(Boolean).join(' | ') : '';
};

describe('the preflight', () => {
  test.each(lines)('says of %s, with %j', (subject, situation, line) => {
    expect(lineOf(subject, situation)).toMatch(line);
  });

  test('counts resources by stack, and fails for more than CloudFormation allows', () => {
    const planned = (resources: SynthesizedStack['resources']) => reportText(checkAll(factsOf({ answers: { stacks: [{ ...stack, resources }] } })), 1_500);
    expect(planned(stack.resources)).toMatch(/stack Postrider +2 resources, 1 Lambdas, 1 secrets/);
    const queues = Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`Queue${index}`, { Type: 'AWS::SQS::Queue' }]));
    expect(planned(queues)).toMatch(/fail +stack Postrider +501 resources.*allows 500/);
  });

  test('estimates the cost for the people that are given', () => {
    const [, together, each] = /about ([\d.]+) USD a month: ([\d.]+) USD a person/.exec(lineOf('cost with 100 people', { people: 100 }))!;
    expect(Number(together)).toBeCloseTo(0.4 + 100 * Number(each), -1);
  });

  test('prints a state, a finding and a next step in each line, and whether a deployment can begin', () => {
    const groups = checkAll(factsOf({}));
    const text = reportText(groups, 1_500).split('\n');
    const printed = text.filter((each) => /^(ok|attention|fail|unknown) {2,}/.test(each));
    expect(printed.length).toBeGreaterThan(12);
    for (const each of printed) expect(each.split(/ {2,}/)).toHaveLength(4);
    expect([wouldFail(groups), text.at(-1)]).toEqual([false, expect.stringMatching(/^0 fail, .*A deployment can begin\.$/)]);
  });

  test('without credentials asks AWS nothing else', async () => {
    const ports = {
      access: { caller: () => Promise.reject(new Error('Could not load credentials from any providers')) },
      synthesize: async () => [stack],
      publicDns: {},
    } as unknown as PreflightPorts;
    const facts = await collectFacts(deploymentContext({ domain: 'example.com' }), 'us-east-1', 25, ports);
    const found = checkAll(facts).flatMap((group) => group.lines);
    expect(found.find(({ subject }) => subject === 'credentials')).toMatchObject({
      state: 'fail',
      found: expect.stringContaining('Could not load credentials'),
    });
    for (const subject of ['SES production access', 'hosted zone', 'stacks']) {
      expect(found).toContainEqual({ subject, state: 'unknown', found: 'not asked, without credentials', action: 'sign in first' });
    }
  });
});

describe('the command line of the preflight', () => {
  const run = (...args: string[]) => preflightRun({} as PreflightPorts, args);

  test('refuses a setting that the deployment refuses, in its words', async () => {
    expect(await run('-c', 'prefix=Not.Valid')).toMatchObject({ code: 1, err: expect.stringContaining('prefix: pass one label') });
  });

  test.each([[['-c', 'domain']], [['--people', 'many']], [['--unknown']]])('refuses %j', async (args) => {
    expect((await run(...args)).code).toBe(2);
  });

  test('--help lists the options and the exit codes', async () => {
    expect(await run('--help')).toMatchObject({ code: 0, out: expect.stringMatching(/-c KEY=VALUE[\s\S]*--people N[\s\S]*Exit codes/) });
  });
});
