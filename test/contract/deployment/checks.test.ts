import { problemChecks, refusals, signInMailLimit, type ProblemFacts } from '../../../contract/deployment/checks.ts';

describe('a deployment is refused', () => {
  const full = { account_limit: 1000, unreserved_concurrency: 1000 };
  const busy = { account_limit: 1000, unreserved_concurrency: 200 };

  test.each<[facts: string, found: ReturnType<typeof refusals.region>, title: RegExp | undefined, nextStep?: RegExp]>([
    ['in a region of the table', refusals.region('eu-west-1', undefined), undefined],
    ['in a region that is newer than the table', refusals.region('eu-south-9', true), undefined],
    ['in an unknown region while DNS does not answer', refusals.region('eu-south-9', undefined), undefined],
    ['in a region without a host for mail', refusals.region('eu-south-9', false), /^SES receives no mail in eu-south-9$/, /Set AWS_REGION/],
    ['with a setting that the account has', refusals.concurrency({ setting: 1000, reserved: 152, limits: full }), undefined],
    ['while Lambda tells no limits', refusals.concurrency({ setting: 1000, reserved: 152, limits: {} }), undefined],
    [
      'with a setting above the account’s limit',
      refusals.concurrency({ setting: 1000, reserved: 0, limits: { account_limit: 20 } }),
      /the account has 20 in this region, and the setting says 1000/,
      /-c lambdaConcurrency=20,/,
    ],
    [
      'with a limit below the least setting',
      refusals.concurrency({ setting: 20, reserved: 0, limits: { account_limit: 5 } }),
      /has 5/,
      /-c lambdaConcurrency=10,/,
    ],
    [
      'when others leave less than it reserves',
      refusals.concurrency({ setting: 1000, reserved: 101, limits: busy }),
      /leave 200 unreserved, and the deployment reserves 101/,
      /lambdaConcurrency below 1000/,
    ],
    ['when AWS’s 100 stay unreserved', refusals.concurrency({ setting: 1000, reserved: 100, limits: busy }), undefined],
    ['when it reserves no more than before', refusals.concurrency({ setting: 1000, reserved: 0, limits: { ...busy, unreserved_concurrency: 50 } }), undefined],
    ['with a sender at a verified domain', refusals.sender('no-reply@example.com', 'SUCCESS'), undefined],
    [
      'with a sender at a domain that waits',
      refusals.sender('no-reply@example.com', 'PENDING'),
      /^SES has not verified example\.com$/,
      /Deploy without signInMailFrom/,
    ],
    ['with a sender at a domain that SES does not know', refusals.sender('no-reply@example.com', undefined), /^SES has not verified example\.com$/],
  ])('or not, %s', (_, found, title, nextStep = /./) => {
    if (title === undefined) expect(found).toBeUndefined();
    else expect(found).toEqual({ title: expect.stringMatching(title), meaning: expect.any(String), next_step: expect.stringMatching(nextStep) });
  });
});

describe('sign-in mail', () => {
  const granted = { production_access_enabled: true, sandbox: false, quota: {} };
  const sandboxed = { production_access_enabled: false, sandbox: true, quota: {} };

  test.each([
    ['by SES', { sendsBySes: true, account: granted }, undefined, undefined],
    ['by SES, whose state is unknown', { sendsBySes: true, account: undefined }, undefined, undefined],
    ['by SES in its sandbox', { sendsBySes: true, account: sandboxed }, 'WARNING', 'Request production access'],
    ['by Cognito, when SES could', { account: granted }, 'INFO', 'Deploy again with -c signInMailFrom=no-reply@example.com, so that SES sends them.'],
    [
      'by Cognito, before SES has verified the domain',
      { account: granted, isVerified: false },
      'INFO',
      'When SES has verified example.com and granted production access, deploy',
    ],
    ['by Cognito, in SES’s sandbox', { account: sandboxed }, 'INFO', 'When SES has verified example.com'],
  ])('%s has its limit', (_, facts, severity, nextStep) => {
    const found = signInMailLimit({ sendsBySes: false, mailDomain: 'example.com', isVerified: true, ...facts });
    expect([found?.severity, found?.next_step]).toEqual([severity, nextStep && expect.stringContaining(nextStep)]);
  });
});

describe('a problem', () => {
  const SES = (account: object): ProblemFacts => ({ SES: { quota: {}, ...account }, domains: undefined });
  const domain = (name: string, status: 'SUCCESS' | 'PENDING' | 'FAILED', state = 'ready') => ({ domain: name, state, verification_status: status });
  const domains = (facts: Partial<NonNullable<ProblemFacts['domains']>>): ProblemFacts => ({
    SES: undefined,
    domains: { all: [], verified: [], mx: { elsewhere: [], failed: [], skipped: [] }, ...facts },
  });
  const all = [
    domain('b.test', 'PENDING'),
    domain('a.test', 'PENDING'),
    domain('failed.test', 'FAILED'),
    domain('lost.test', 'SUCCESS'),
    domain('new.test', 'PENDING', 'adding'),
  ];
  const mx = { elsewhere: ['z.test', 'a.test'], failed: ['open.test', 'failed.test'], skipped: ['skipped.test'] };
  const deployment = [undefined];

  test.each<[keyof typeof problemChecks, ProblemFacts, readonly string[], readonly (string | undefined)[] | undefined]>([
    ['SES_SANDBOX', SES({ sandbox: true }), [], deployment],
    ['SES_SANDBOX', SES({ sandbox: false }), [], []],
    ['SES_SANDBOX', SES({}), [], []],
    ['SES_SANDBOX', domains({}), [], undefined],
    ['SENDING_PAUSED', SES({ sending_enabled: false }), [], deployment],
    ['SENDING_PAUSED', SES({}), [], []],
    ['SES_ENFORCEMENT', SES({ enforcement_status: 'PROBATION' }), [], deployment],
    ['SES_ENFORCEMENT', SES({ enforcement_status: 'SHUTDOWN' }), [], deployment],
    ['SES_ENFORCEMENT', SES({ enforcement_status: 'HEALTHY' }), [], []],
    ['SES_ENFORCEMENT', SES({}), [], []],
    ['QUOTA_NEARLY_USED', SES({ quota: { max_24h_send: 200, sent_last_24h: 160 } }), [], deployment],
    ['QUOTA_NEARLY_USED', SES({ quota: { max_24h_send: 200, sent_last_24h: 159 } }), [], []],
    ['QUOTA_NEARLY_USED', SES({ quota: { max_24h_send: 200, sent_last_24h: 140 } }), ['deployment'], deployment],
    ['QUOTA_NEARLY_USED', SES({ quota: { max_24h_send: 200, sent_last_24h: 139 } }), ['deployment'], []],
    ['QUOTA_NEARLY_USED', SES({ quota: { max_24h_send: -1, sent_last_24h: 5000 } }), [], []],
    ['DOMAIN_NOT_VERIFIED', domains({ all, verified: ['b.test'] }), [], ['a.test']],
    ['DOMAIN_VERIFICATION_FAILED', domains({ all, verified: ['b.test'] }), [], ['failed.test', 'lost.test']],
    ['DOMAIN_VERIFICATION_FAILED', domains({ all, verified: undefined }), [], undefined],
    ['DOMAIN_NOT_VERIFIED', SES({}), [], undefined],
    ['MX_MISSING', domains({ mx }), [], ['a.test', 'z.test']],
    ['MX_MISSING', domains({ mx, verified: undefined }), ['open.test', 'skipped.test'], ['a.test', 'z.test', 'open.test', 'skipped.test']],
    ['MX_MISSING', SES({}), [], undefined],
  ])('%s with %j, and %j open, has its subjects', (name, facts, open, expected) => {
    expect(problemChecks[name].find(facts, (subject = 'deployment') => open.includes(subject))).toEqual(expected);
  });
});
