import type { SESv2Client } from '@aws-sdk/client-sesv2';
import { awsExistingResources } from '../../preflight/adapters/existing-resources.ts';
import type { PreflightDns, PreflightPorts, SynthesizedStack } from '../../preflight/ports.ts';
import { memoryDnsProvider } from '../fakes/memory-dns-provider.ts';
import { memoryEmailProvider } from '../fakes/memory-email-provider.ts';
import { memoryPreflightAccount } from '../fakes/memory-preflight-account.ts';
import { preflightAccountSuite } from '../port-suites/preflight-account-suite.ts';
import { preflightRun } from './preflight-run.ts';

const zoneId = 'Z0123456789ABCDEFGHIJ';
const zoneServers = ['ns-1.awsdns-01.org', 'ns-2.awsdns-02.com'];

const stack: SynthesizedStack = {
  name: 'Postrider',
  resources: { Deliver: { Type: 'AWS::Lambda::Function' }, Secret: { Type: 'AWS::SecretsManager::Secret' } },
  bootstrap: { version: 6, parameter: '/cdk-bootstrap/hnb659fds/version' },
};

/** Public DNS in memory: the domain example.com, which has no mail server, and SES's hosts. */
const memoryDns = () => {
  const names = new Set(['inbound-smtp.us-east-1.amazonaws.com', 'inbound-smtp.mx-central-1.amazonaws.com']);
  const records = { servers: zoneServers, exchangers: [] as string[], authorities: undefined as string[] | undefined };
  const dns: PreflightDns = {
    nameServers: async () => records.servers,
    mailExchangers: async () => records.exchangers,
    exists: async (name) => names.has(name),
    certificateAuthorities: async () => records.authorities,
  };
  return { dns, names, records };
};

const world = () => {
  const account = memoryPreflightAccount();
  const dnsProvider = memoryDnsProvider();
  const email = memoryEmailProvider();
  const publicDns = memoryDns();
  const limits = { account_limit: 1000 };
  const ports: PreflightPorts = {
    access: account, existing: account, sending: email, concurrency: { limits: async () => limits }, dnsProvider, publicDns: publicDns.dns,
    synthesize: async () => [stack],
  };
  const run = (args: readonly string[] = [], { region, ports: changed }: { region?: string; ports?: Partial<PreflightPorts> } = {}) =>
    preflightRun({ ...ports, ...changed }, args, region);
  return { account: account.account, dnsProvider, email, publicDns, limits, run };
};

describe('npm run preflight', () => {
  test('lets a deployment to an empty account begin', async () => {
    const { run } = world();
    const { code, out, err } = await run();
    expect([code, out.trimEnd().split('\n').at(-1)]).toEqual([0, expect.stringMatching(/^0 fail, .*A deployment can begin\.$/)]);
    expect(err).toContain('Nothing is changed.');
  });

  test('prints a state, a finding and a next step in each line', async () => {
    const { run } = world();
    const lines = (await run()).out.split('\n').filter((text) => /^(ok|attention|fail|unknown) {2,}/.test(text));
    expect(lines.length).toBeGreaterThan(12);
    for (const text of lines) expect(text.split(/ {2,}/)).toHaveLength(4);
  });

  test('fails without credentials, and asks AWS nothing else', async () => {
    const { account, email, run } = world();
    account.caller = undefined;
    const { code, line } = await run();
    expect(code).toBe(1);
    expect(line('credentials')).toMatch(/^fail \| .*Could not load credentials.*AWS_PROFILE/);
    for (const subject of ['SES production access', 'hosted zone', 'stacks']) {
      expect(line(subject)).toMatch(/^unknown \| .*without credentials \| sign in first/);
    }
    expect(email.calls).toEqual({});
  });

  test('fails when neither the bootstrap roles nor the own rights are enough to deploy', async () => {
    const { account, run } = world();
    account.closedRoles = ['deploy-role'];
    expect((await run()).line('rights to deploy')).toMatch(/^attention \| .*the deploy-role of the bootstrap can't be assumed/);
    account.deniedActions = ['iam:PassRole'];
    const { code, line } = await run();
    expect([code, line('rights to deploy')]).toEqual([1, expect.stringMatching(/^fail \| .*IAM denies you iam:PassRole.*allow sts:AssumeRole/)]);
  });
});

describe('the preflight of mail', () => {
  test.each([
    ['a region of the table', 'us-east-1', 'ok'],
    ['a region that DNS knows to receive mail', 'mx-central-1', 'ok'],
    ['a region that receives no mail', 'ap-east-2', 'fail'],
  ])('says of %s: %s is %s', async (_, region, state) => {
    const { code, line } = await world().run([], { region });
    expect([line('SES receives mail here').split(' | ')[0], code]).toEqual([state, state === 'fail' ? 1 : 0]);
  });

  test('says that the active receipt rule set gets additional rules, or that one is activated', async () => {
    const { account, run } = world();
    account.activeRuleSet = { name: 'Other', rules: ['first'] };
    const shared = await run();
    expect([shared.code, shared.line('receipt rule set')]).toEqual([
      0, expect.stringMatching(/^ok \| .*Other is active and stays so; .* Postrider-deliver-\*, .*changes no others/),
    ]);
    account.activeRuleSet = undefined;
    expect((await run()).line('receipt rule set')).toMatch(/^ok \| .*none is active; the deployment activates postrider and adds its rules/);
  });

  test.each([
    [200, /^fail \| .*as many rules of others as SES allows.*remove rules/, 1],
    [190, /^attention \| .*leave room for 10 \| 1000 addresses have room/, 0],
    [20, /^ok \| .*leave room for 180/, 0],
  ])('says of %d rules of others how much room they leave', async (count, expected, exitCode) => {
    const { account, run } = world();
    account.activeRuleSet = { name: 'Other', rules: [...Array.from({ length: count }, (_, number) => `other-${number}`), 'Postrider-deliver-1'] };
    const { code, line } = await run();
    expect([line('receipt rule set'), code]).toEqual([expect.stringMatching(expected), exitCode]);
  });

  test('warns of the SES sandbox and of a daily quota that one account can use up', async () => {
    const { run } = world();
    const sending = { accountStatus: async () => ({ production_access_enabled: false, quota: { max_24h_send: 200, max_send_rate_per_second: 1 } }), findDomain: async () => undefined };
    const { code, line } = await run(['-c', 'maxRecipientsPerDay=5000'], { ports: { sending: sending as unknown as PreflightPorts['sending'] } });
    expect(code).toBe(0);
    expect(line('SES production access')).toMatch(/^attention \| .*verified addresses only.*ask for production access/);
    expect(line('SES rates')).toMatch(/^attention \| .*200 recipients a day, 1 a second; one account alone may send to 5,000 a day/);
  });
});

describe('the preflight of SES’s price plan', () => {
  test.each([
    [{ current: 'NONE' }, /^ok \| SES price plan \| NONE: 0\.10 USD for 1,000 messages out/],
    [{ current: 'ESSENTIALS' }, /^attention \| .*ESSENTIALS: 0\.16 USD .*without one it is 0\.10 .*put-account-pricing-attributes --plan NONE/],
    [{ current: 'PRO', next: 'NONE' }, /^ok \| .*PRO: 105 USD a month and 0\.22 USD .*from next month NONE/],
    [{ current: 'GALACTIC' }, /^attention \| .*GALACTIC; nothing of the deployment needs a plan/],
    [undefined, /^unknown \| .*SES names none/],
  ])('says of %j what it costs', async (plan, expected) => {
    const { account, run } = world();
    account.pricePlan = plan;
    const { code, line } = await run();
    expect([code, line('SES price plan')]).toEqual([0, expect.stringMatching(expected)]);
  });

  test('asks SES for the plan of now and of the next month', async () => {
    const sending = { send: async () => ({ PricingAttributes: { CurrentPlan: 'ESSENTIALS', NextPlan: 'NONE' } }) } as unknown as SESv2Client;
    const none = {} as never;
    const existing = awsExistingResources({ sending, cloudFormation: none, apis: none, cognito: none, lambda: none, ses: none, route53: none });
    expect(await existing.pricePlan()).toEqual({ current: 'ESSENTIALS', next: 'NONE' });
  });
});

describe('the preflight of invitations', () => {
  test('names the limit of Cognito’s own sender, and the setting for later', async () => {
    expect((await world().run()).line('invitations')).toMatch(/^attention \| .*50 mails a day.*deploy again with -c signInMailFrom=no-reply@example\.com/);
  });

  test('fails while SES has not verified the domain of signInMailFrom, because Cognito then refuses it', async () => {
    const { email, run } = world();
    const setting = ['-c', 'signInMailFrom=no-reply@example.com'];
    expect(await run(setting)).toMatchObject({ code: 1 });
    await email.createDomain('example.com');
    const pending = await run(setting);
    expect([pending.code, pending.line('invitations')]).toEqual([1, expect.stringMatching(/^fail \| .*not verified example\.com.*deploy without signInMailFrom/)]);
    email.verify('example.com');
    const verified = await run(setting);
    expect([verified.code, verified.line('invitations')]).toEqual([0, expect.stringMatching(/^ok \| .*by SES from no-reply@example\.com/)]);
    const current = await email.accountStatus();
    jest.spyOn(email, 'accountStatus').mockResolvedValue({ ...current, production_access_enabled: false });
    expect((await run(setting)).line('invitations')).toMatch(/^attention \| .*verified addresses only.*deploy without signInMailFrom until/);
  });
});

describe('the preflight of Lambda’s concurrency', () => {
  test.each([
    [10, 10, /^attention \| .*10, as in a new account: push-delivery, .* run once in one to five minutes.*ask Service Quotas for 1,000/],
    [1000, 10, /^attention \| .*the account has 1,000, and the setting says 10.*pass -c lambdaConcurrency=1000/],
    [10, 1000, /^fail \| .*the account has 10 in this region, and the setting says 1000.*503.*pass -c lambdaConcurrency=10$/],
    [1000, 1000, /^ok \| .*all queues are handled as messages arrive/],
  ])('with a limit of %d and the setting %d says what follows', async (limit, setting, expected) => {
    const { limits, run } = world();
    limits.account_limit = limit;
    expect((await run(['-c', `lambdaConcurrency=${setting}`])).line('Lambda concurrency')).toMatch(expected);
  });

  test('fails when other Lambdas of the account leave too little for the reservations of a first deployment', async () => {
    const { limits, run } = world();
    Object.assign(limits, { account_limit: 1000, unreserved_concurrency: 200 });
    expect((await run(['-c', 'lambdaConcurrency=1000'])).line('Lambda concurrency')).toMatch(/^fail \| .*leave 200 unreserved.*lambdaConcurrency below 1000/);
    expect((await run(['-c', 'lambdaConcurrency=900'])).line('Lambda concurrency')).toMatch(/^attention \| .*reserved for mail and sign-in.*pass -c lambdaConcurrency=1000/);
  });

  test('counts what an update reserves beyond what the deployment has reserved, as its first resource does', async () => {
    const { account, limits, run } = world();
    Object.assign(limits, { account_limit: 1000, unreserved_concurrency: 200 });
    account.stacks.set('Postrider', 'UPDATE_COMPLETE');
    expect((await run()).line('Lambda concurrency')).toMatch(/^fail \| .*leave 200 unreserved/);
    account.reserved.set('Postrider-deliver', 50).set('Postrider-pre-token', 100);
    expect((await run()).line('Lambda concurrency')).toMatch(/^ok/);
  });
});

describe('the preflight of DNS', () => {
  const withZone = ['-c', `hostedZoneId=${zoneId}`];
  const worldWithZone = () => {
    const all = world();
    all.account.zones.set(zoneId, { name: 'example.com', isPrivate: false, nameServers: zoneServers.toReversed() });
    all.dnsProvider.addZone('example.com');
    return all;
  };

  test('accepts the zone that answers for the domain', async () => {
    const { code, line } = await worldWithZone().run(withZone);
    expect([code, line('hosted zone')]).toEqual([0, expect.stringMatching(/^ok \| .*answers for example\.com/)]);
  });

  test('names the zone of the account that the settings leave out', async () => {
    const { dnsProvider, run } = world();
    dnsProvider.addZone('example.com');
    expect((await run()).line('hosted zone')).toMatch(/^attention \| .*pass -c hostedZoneId=Z-example\.com/);
  });

  test('says who gets the mail today, that the deployment changes nothing of it, and when it moves', async () => {
    const { publicDns, run } = world();
    publicDns.records.exchangers = ['10 mx.elsewhere.test'];
    const { code, line } = await run();
    expect([code, line('who gets mail today')]).toEqual([
      0, expect.stringMatching(/^attention \| .*10 mx\.elsewhere\.test, and the deployment changes nothing.*replace it by 10 inbound-smtp\.us-east-1\.amazonaws\.com/),
    ]);
    publicDns.records.exchangers = ['10 inbound-smtp.us-east-1.amazonaws.com'];
    expect((await run()).line('who gets mail today')).toMatch(/^ok \| who gets mail today \| SES in us-east-1/);
  });

  test('fails when CAA records keep Amazon from issuing the certificate', async () => {
    const { publicDns, run } = worldWithZone();
    publicDns.records.authorities = ['letsencrypt.org'];
    const { code, line } = await run(withZone);
    expect([code, line('certificate')]).toEqual([1, expect.stringMatching(/^fail \| .*letsencrypt\.org.*CAA 0 issue "amazon\.com"/)]);
    publicDns.records.authorities = ['letsencrypt.org', 'amazonaws.com'];
    expect((await run(withZone)).line('certificate')).toMatch(/^ok \|/);
  });

  test('fails for a record that exists already, unless the stack has made it', async () => {
    const { account, dnsProvider, run } = worldWithZone();
    dnsProvider.put('example.com', { name: 'jmap.example.com', type: 'A', values: ['192.0.2.1'] });
    const first = await run(withZone);
    expect([first.code, first.line('records at these names')]).toEqual([1, expect.stringMatching(/^fail \| .*jmap\.example\.com A already/)]);
    account.stacks.set('Postrider', 'CREATE_COMPLETE');
    expect((await run(withZone)).line('records at these names')).toMatch(/^ok \|/);
  });
});

describe('the preflight of names', () => {
  test.each([
    ['CREATE_COMPLETE', 'ok', 0], ['ROLLBACK_COMPLETE', 'attention', 0], ['ROLLBACK_FAILED', 'attention', 0], ['REVIEW_IN_PROGRESS', 'ok', 0], ['UPDATE_IN_PROGRESS', 'fail', 1],
    ['UPDATE_ROLLBACK_FAILED', 'fail', 1], ['DELETE_FAILED', 'fail', 1],
  ])('says of a stack in %s: %s', async (status, state, expected) => {
    const { account, run } = world();
    account.stacks.set('Postrider', status);
    const { code, line } = await run();
    expect([line('stack Postrider').split(' | ')[0], code]).toEqual([state, expected]);
  });
});

describe('the preflight of what will be made', () => {
  test('counts resources by stack, and estimates the cost for the people that are given', async () => {
    const { out, line } = await world().run(['--people', '100']);
    expect(out).toMatch(/stack Postrider +2 resources, 1 Lambdas, 1 secrets/);
    expect(line('cost while idle')).toMatch(/0\.41 USD a month/);
    const [, together, each] = /about ([\d.]+) USD a month: ([\d.]+) USD a person/.exec(line('cost with 100 people'))!;
    expect(Number(together)).toBeCloseTo(0.4 + 100 * Number(each), -1);
  });

  test('fails for a stack with more resources than CloudFormation allows', async () => {
    const resources = Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`Queue${index}`, { Type: 'AWS::SQS::Queue' }]));
    const { code, out } = await world().run([], { ports: { synthesize: async () => [{ ...stack, resources }] } });
    expect([code, out]).toEqual([1, expect.stringMatching(/fail +stack Postrider +501 resources.*allows 500/)]);
  });

  test('fails when the app can’t be synthesized, with its reason', async () => {
    const { code, line } = await world().run([], { ports: { synthesize: () => Promise.reject(new Error('the bundle has no entry\nmore')) } });
    expect([code, line('synthesis')]).toEqual([1, expect.stringMatching(/^fail \| .*the bundle has no entry/)]);
  });
});

describe('the command line of the preflight', () => {
  test('refuses a setting that the deployment refuses, in its words', async () => {
    const { code, err } = await world().run(['-c', 'prefix=Not.Valid']);
    expect([code, err]).toEqual([1, expect.stringContaining('prefix: pass one label')]);
  });

  test.each([[['-c', 'domain']], [['--people', 'many']], [['--unknown']]])('refuses %j', async (args) => {
    expect((await world().run(args)).code).toBe(2);
  });

  test('--help lists the options and the exit codes', async () => {
    const { code, out } = await world().run(['--help']);
    expect([code, out]).toEqual([0, expect.stringMatching(/-c KEY=VALUE[\s\S]*--people N[\s\S]*Exit codes/)]);
  });
});

describe('the account in memory', () => {
  preflightAccountSuite(async () => {
    const fake = memoryPreflightAccount();
    fake.account.stacks.set('Existing', 'CREATE_COMPLETE');
    fake.account.domainPrefixes.set('taken-prefix', 'pool');
    fake.account.zones.set('Z1', { name: 'zone.test', isPrivate: false, nameServers: zoneServers });
    return { ...fake, zoneId: 'Z1', poolId: 'pool' };
  });
});
