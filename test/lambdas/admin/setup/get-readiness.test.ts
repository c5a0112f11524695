import type { Domain } from '../../../../contract/admin/domains.ts';
import type { Readiness } from '../../../../contract/admin/setup.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { adminApi, type AdminApi } from '../../../support/admin-api.ts';
import { createAccount, createDomain } from '../../../support/admin-resources.ts';

let api: AdminApi;
beforeEach(async () => {
  api = await adminApi();
});

const readiness = async (from = api) => (await from.ok('/setup/GetReadiness'))['readiness'] as Readiness;
const issueTypes = ({ health_issues: issues }: Readiness) => issues?.map(({ type }) => type);
const add = async (domain: string, fields: object = {}) => (await api.ok('/domains/AddDomain', { domain, ...fields }))['domain'] as Domain;
const verify = (domain: string) => {
  api.emailProvider.verify(domain);
  api.senderAddresses.verifiedDomains.add(domain);
};
const inboundMx = '10 inbound-smtp.us-east-1.amazonaws.com';
const throttled = () => Promise.reject(Object.assign(new Error('Rate exceeded'), { name: 'TooManyRequestsException' }));

describe('GetReadiness', () => {
  test('describes a new deployment', async () => {
    expect(await readiness()).toEqual({
      complete: false,
      welcome_dismissed: false,
      receiving: { has_domain: false, has_verified_domain: false, mx_configured: false, complete: false },
      sending: { sandbox: false, production_access_enabled: true, verified_identity_count: 0, has_verified_identity: false, complete: false },
      test: { can_send_test: false, complete: false },
      health_issues: [expect.objectContaining({ type: 'NO_DOMAIN', severity: 'INFO' })],
      // One of the four users is deleted.
      identity: { user_count: 3, account_count: 0 },
    });
  });

  test('follows the steps to a working mail service', async () => {
    const { id } = await add('example.test', { receive_enabled: true });
    expect(await readiness()).toMatchObject({ receiving: { has_domain: true, has_verified_domain: false, complete: false } });
    expect(issueTypes(await readiness())).toEqual(['DOMAIN_NOT_VERIFIED', 'MX_MISSING']);
    verify('example.test');
    expect(await readiness()).toMatchObject({
      receiving: { has_verified_domain: true, mx_configured: false, complete: false },
      sending: { verified_identity_count: 1, complete: true },
      test: { can_send_test: true, suggested_from_identity: 'test@example.test', complete: false },
    });
    api.dns.set('example.test', 'MX', inboundMx);
    expect(await readiness()).toMatchObject({ receiving: { mx_configured: true, complete: true }, health_issues: [], complete: false });
    await api.ok('/domains/SendTestEmail', { id, to_email: 'someone@else.test', test_type: 'NORMAL' });
    expect(await readiness()).toMatchObject({ test: { complete: true }, complete: true });
  });

  test('waits for a domain whose SPF policy does not allow SES, until the merged policy is published', async () => {
    const { id } = await add('example.test');
    verify('example.test');
    api.dns.set('example.test', 'TXT', 'v=spf1 include:other.test -all', 'an unrelated text');
    expect(await readiness()).toMatchObject({
      sending: { has_verified_identity: true, complete: false },
      health_issues: [{ type: 'SPF_NOT_MERGED', title: 'The SPF policy of example.test does not allow SES' }],
    });
    const { domain } = await api.ok('/domains/GetDomain', { id, include_dns_validation: true });
    const { spf_record: spf } = (domain as Required<Domain>).dns_validation;
    api.dns.set('example.test', 'TXT', spf!.value);
    expect(await readiness()).toMatchObject({ sending: { complete: true }, health_issues: [] });
    api.dns.set('example.test', 'TXT', 'v=spf1 include:other.test -all');
    await api.ok('/domains/UpdateDomain', { id, spf_mode: 'OFF' });
    expect(await readiness()).toMatchObject({ sending: { complete: true }, health_issues: [] });
  });

  test('says how many invitations Cognito mails, and which setting changes that when SES can send', async () => {
    api = await adminApi({ cognitoSendsBySes: false });
    await add('example.test');
    verify('example.test');
    expect((await readiness()).health_issues).toEqual([
      {
        type: 'SIGN_IN_MAIL_LIMITED',
        severity: 'INFO',
        title: 'Cognito mails at most 50 invitations and codes a day',
        likely_cause: expect.stringContaining('the whole AWS account'),
        suggested_action: expect.stringMatching(/^Deploy again with -c signInMailFrom=no-reply@example\.test/),
      },
    ]);
  });

  test('reads from the setup record that a test mail was sent', async () => {
    await api.directory.write([{ put: { pk: 'setup', sk: 'progress', test_mail_sent: true } }]);
    expect(await readiness()).toMatchObject({ test: { complete: true } });
  });

  test('suggests a sender at the deployment’s own domain, else at another domain, else a single address', async () => {
    const suggested = async () => (await readiness()).test.suggested_from_identity;
    await api.senderAddresses.register('someone@else.test');
    api.senderAddresses.setStatus('someone@else.test');
    expect(await suggested()).toBe('someone@else.test');
    for (const [name, sender] of [
      ['b.test', 'test@b.test'],
      ['example.test', 'test@example.test'],
    ] as const) {
      await add(name);
      verify(name);
      expect(await suggested()).toBe(sender);
    }
  });

  test('counts users and accounts', async () => {
    const { id } = await add('example.test');
    await api.ok('/accounts/CreateAccount', { user_id: 'user_person', name: 'n', local_part: 'a', domain_id: id });
    expect(await readiness()).toMatchObject({ identity: { user_count: 3, account_count: 1 } });
  });
});

describe('GetReadiness with mail that waits for room in a full account', () => {
  const now = new Date('2026-11-21T12:30:20.000Z');
  const measure = (namespace: string, dimensions: Record<string, string>, metric: string, minutesAgo: number, value: number) =>
    api.metrics.measure([{ namespace, dimensions, metric, at: new Date(now.getTime() - minutesAgo * 60_000), value }]);
  const delayed = (count: number) => measure('AWS/SQS', { QueueName: 'waiting-1' }, 'ApproximateNumberOfMessagesDelayed', 1, count);
  const attempt = (minutesAgo: number, waited: number) => measure('Postrider/Postrider', {}, 'WaitingForRoomSeconds', minutesAgo, waited);
  const issue = async () => (await readiness()).health_issues!.find(({ type }) => type === 'MAIL_WAITING');
  beforeEach(async () => {
    api = await adminApi({ clock: () => now });
  });

  test('reports the number of waiting messages and the age of the oldest, and warns when the age is hours', async () => {
    await delayed(1);
    await attempt(3, 600);
    expect(await issue()).toMatchObject({ severity: 'INFO', title: 'About 1 message waits for room in full accounts, the oldest for 10 minutes' });
    await delayed(2);
    await attempt(2, 5 * 3600 + 60);
    expect(await issue()).toMatchObject({
      severity: 'WARNING',
      title: 'About 2 messages wait for room in full accounts, the oldest for 5 hours',
      suggested_action: expect.stringContaining('accounts/UpdateAccount'),
    });
  });

  test('reports nothing when no mail waits, or only a bounce that SES did not accept yet', async () => {
    expect(await issue()).toBeUndefined();
    await delayed(3);
    expect(await issue()).toBeUndefined();
  });

  test('reports metrics that cannot be read, and everything else', async () => {
    jest.spyOn(api.metrics, 'read').mockImplementation(throttled);
    expect(await readiness()).toMatchObject({ health_issues: [{ type: 'NO_DOMAIN' }, { type: 'SOURCE_UNAVAILABLE', title: 'Reading the metrics failed' }] });
  });
});

describe('GetReadiness of many receiving domains', () => {
  let now: number;
  beforeEach(async () => {
    now = Date.parse('2026-11-21T12:30:00Z');
    api = await adminApi({ clock: () => new Date(now) });
  });

  const addReceiving = async (count: number) => {
    const names = Array.from({ length: count }, (_, index) => `d${index}.test`);
    for (const name of names) {
      await add(name, { receive_enabled: true });
      verify(name);
      api.dns.set(name, 'MX', inboundMx);
    }
    return names;
  };

  test('reports none of 62 domains as broken when all MX records name SES', async () => {
    await addReceiving(62);
    expect(await readiness()).toMatchObject({ receiving: { mx_configured: true, complete: true }, health_issues: [] });
  });

  test('reports one of 62 domains whose MX record names another server, at any position in the list', async () => {
    const names = await addReceiving(62);
    for (const name of [names[0]!, names[30]!, names[61]!]) {
      api.dns.set(name, 'MX', '10 mx.elsewhere.test');
      expect((await readiness()).health_issues).toMatchObject([{ type: 'MX_MISSING', title: `The domain ${name} does not receive mail` }]);
      api.dns.set(name, 'MX', inboundMx);
    }
  });

  test.each(['MX', 'TXT'])('looks up the %s records of a bounded number of domains at once', async (type) => {
    await addReceiving(62);
    const lookup = api.dns.lookup.bind(api.dns);
    let [underWay, most] = [0, 0];
    jest.spyOn(api.dns, 'lookup').mockImplementation(async (...query) => {
      const counted = Number(query[1] === type);
      underWay += counted;
      most = Math.max(most, underWay);
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      underWay -= counted;
      return lookup(...query);
    });
    await readiness();
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(25);
  });

  test('reports a domain without an MX record even if the lookup of another domain fails', async () => {
    await addReceiving(3);
    api.dns.set('d1.test', 'MX');
    const lookup = api.dns.lookup.bind(api.dns);
    jest.spyOn(api.dns, 'lookup').mockImplementation(async (name, type) => (name === 'd0.test' ? undefined : lookup(name, type)));
    expect((await readiness()).health_issues).toMatchObject([
      { type: 'MX_MISSING', title: 'The domain d1.test does not receive mail' },
      { title: 'Reading the public DNS failed' },
    ]);
  });

  test('reports the lookups that were made in time and the number of other domains, and begins with another domain the next time', async () => {
    const names = await addReceiving(200);
    for (const name of names) api.dns.set(name, 'MX');
    const lookup = api.dns.lookup.bind(api.dns);
    const seen = new Set<string>();
    jest.spyOn(api.dns, 'lookup').mockImplementation(async (name, type) => {
      seen.add(name);
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      now += 500;
      return lookup(name, type);
    });
    const seenTogether = new Set<string>();
    for (let call = 0; call < 60; call += 1) {
      seen.clear();
      const issues = (await readiness()).health_issues!;
      expect(seen.size).toBeLessThan(200);
      expect(issues.slice(0, -1).map(({ title }) => title)).toEqual([...seen].toSorted().map((name) => `The domain ${name} does not receive mail`));
      expect(issues.at(-1)).toMatchObject({
        type: 'MX_NOT_CHECKED',
        severity: 'INFO',
        title: `The MX records of ${200 - seen.size} of 200 domains were not looked up`,
      });
      for (const name of seen) seenTogether.add(name);
      now += 60_000;
    }
    expect(seenTogether.size).toBe(200);
  });

  test('looks up the deployment’s own domain first', async () => {
    await addReceiving(5);
    await add('example.test', { receive_enabled: true });
    const first: string[] = [];
    jest.spyOn(api.dns, 'lookup').mockImplementation(async (name) => {
      first.push(name);
      return [];
    });
    for (let call = 0; call < 3; call += 1, now += 61_000) {
      first.length = 0;
      await readiness();
      expect(first[0]).toBe('example.test');
    }
  });
});

describe('GetReadiness with a failing source', () => {
  beforeEach(async () => {
    await add('example.test', { receive_enabled: true });
    verify('example.test');
    api.dns.set('example.test', 'MX', inboundMx);
    await api.ok('/domains/ListDomains');
  });
  const unavailable = (source: string) => ({ type: 'SOURCE_UNAVAILABLE', title: `Reading the ${source} failed` });

  test.each<[title: string, fail: () => void, source: string, expected: object]>([
    [
      'reports sending as incomplete if the SES account status cannot be read',
      () => {
        jest.spyOn(api.emailProvider, 'accountStatus').mockImplementation(throttled);
      },
      'sending provider',
      { receiving: { complete: true }, sending: { production_access_enabled: false, verified_identity_count: 1, complete: false } },
    ],
    [
      'uses the last known status of a domain if the verified identities cannot be read',
      () => {
        jest.spyOn(api.senderAddresses, 'listVerifiedIdentities').mockImplementation(throttled);
      },
      'identities',
      { receiving: { complete: true }, sending: { verified_identity_count: 0, complete: false } },
    ],
    [
      'reports receiving as incomplete if DNS fails',
      () => api.dns.fail(),
      'public DNS',
      { receiving: { has_verified_domain: true, mx_configured: false, complete: false }, sending: { complete: true } },
    ],
  ])('%s', async (_title, fail, source, expected) => {
    fail();
    expect(await readiness()).toMatchObject({ ...expected, health_issues: [unavailable(source)] });
  });
  test('reports a listed problem when the source of its state fails', async () => {
    await api.directory.write([{ put: { pk: 'problem', sk: 'SENDING_PAUSED', name: 'SENDING_PAUSED', since: '2026-11-21T12:00:00.000Z' } }]);
    expect(await readiness()).toMatchObject({ health_issues: [] });
    jest.spyOn(api.emailProvider, 'accountStatus').mockImplementation(throttled);
    expect(await readiness()).toMatchObject({ health_issues: [{ type: 'SENDING_PAUSED', severity: 'CRITICAL' }, unavailable('sending provider')] });
  });
  test('still reports the rest if the role addresses cannot be read', async () => {
    const stored = memoryTable();
    let isThrottled = false;
    const failing = await adminApi({
      directory: { ...stored, batchGet: (keys) => (isThrottled && keys.some(({ pk }) => pk === 'address') ? throttled() : stored.batchGet(keys)) },
    });
    await createAccount(failing, { domain_id: await createDomain(failing, { receive_enabled: true }) });
    isThrottled = true;
    const { health_issues: issues, identity } = await readiness(failing);
    expect(issues).toContainEqual(expect.objectContaining(unavailable('addresses')));
    expect(identity).toMatchObject({ account_count: 1 });
  });
  test.each(['domain', 'account', 'setup', 'problem'])('still reports sending if the %s items of the directory cannot be read', async (partition) => {
    const stored = memoryTable();
    const failing = await adminApi({
      directory: {
        ...stored,
        get: (key) => (key.pk === partition ? throttled() : stored.get(key)),
        query: (query) => (query.pk === partition ? throttled() : stored.query(query)),
      },
    });
    const partial = await readiness(failing);
    expect(partial.health_issues).toEqual(expect.arrayContaining([expect.objectContaining({ type: 'SOURCE_UNAVAILABLE' })]));
    expect(partial.sending).toMatchObject({ production_access_enabled: true });
  });
});
