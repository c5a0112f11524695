import { capability, coreLimits } from '../../../../contract/jmap/core.ts';
import { email } from '../../../../contract/jmap/email.ts';
import { jmapDeployment, type JmapDeployment, type Json } from '../jmap-deployment.ts';

describe('the session resource', () => {
  let deployment: JmapDeployment;
  let session: Json;
  const sessionFor = async (token: string): Promise<Json> => JSON.parse((await deployment.http('GET', '/.well-known/jmap', { token })).body!) as Json;
  beforeAll(async () => {
    deployment = await jmapDeployment();
    session = await sessionFor('alice');
  });

  // @requirement 8620 §2 session-properties
  test('has all properties of RFC 8620 §2, and webSocketUrl', () => {
    expect(Object.keys(session).sort()).toEqual([
      'accounts',
      'apiUrl',
      'capabilities',
      'downloadUrl',
      'eventSourceUrl',
      'primaryAccounts',
      'state',
      'uploadUrl',
      'username',
      'webSocketUrl',
    ]);
    expect(session['username']).toBe('alice@example.test');
    expect(session['state']).toMatch(/^[\w-]{22}$/);
  });

  // @requirement 8620 §2 no-store
  test('is not cacheable', async () => {
    const response = await deployment.http('GET', '/.well-known/jmap');
    expect(response.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
  });

  // @requirement 8620 §2 download-url
  // @requirement 8620 §2 upload-url
  // @requirement 8620 §2 event-source-url
  test('has absolute URLs, with the variables of their URI templates', () => {
    expect(session).toMatchObject({
      apiUrl: 'https://jmap.example.test/jmap',
      uploadUrl: 'https://jmap.example.test/upload/{accountId}',
      downloadUrl: 'https://jmap.example.test/download?accountId={accountId}&blobId={blobId}&type={type}&name={name}&encoding=%25%3B',
      webSocketUrl: 'wss://ws.example.test/jmap',
    });
    expect(session['eventSourceUrl']).toMatch(/^https:\/\/jmap\.example\.test\/.*\{types\}.*\{closeafter\}.*\{ping\}/);
  });

  test('has the capabilities of all methods, and of push, with their values', () => {
    expect(session['capabilities']).toEqual({
      [capability.core]: coreLimits,
      [capability.mail]: { mayCreateTopLevelMailbox: true },
      [capability.blob]: {},
      [capability.contacts]: {},
      [capability.forwarding]: {},
      [capability.quota]: {},
      [capability.submission]: {},
      [capability.vacationResponse]: {},
      [capability.webSocket]: { url: 'wss://ws.example.test/jmap', supportsPush: true },
      'https://example.test/jmap/websocket': { maxSubscriptions: 10 },
    });
  });

  // @requirement 8620 §2 core-capability
  test('advertises the documented limits', () => {
    expect(coreLimits).toMatchObject({
      maxCallsInRequest: 32,
      maxObjectsInGet: 5000,
      maxObjectsInSet: 500,
      maxSizeRequest: 5_000_000,
      maxConcurrentRequests: 8,
      maxConcurrentUpload: 4,
    });
    expect((coreLimits.maxSizeUpload * 4) / 3).toBeLessThan(6 * 1024 * 1024);
  });

  test('has the capability of Web Push when the deployment has a VAPID key; without it when the key can not be read', async () => {
    const other = await jmapDeployment();
    const withKey = (key: () => Promise<string>) => Object.assign(other.jmap.settings, { applicationServerKey: key });
    const readSession = async () => JSON.parse((await other.http('GET', '/.well-known/jmap')).body!) as Json;
    withKey(async () => 'BKey');
    const offered = await readSession();
    expect(offered['capabilities'][capability.webPushVapid]).toEqual({ applicationServerKey: 'BKey' });
    const using = Object.keys(offered['capabilities'] as Json);
    expect(await other.request({ using, methodCalls: [] })).toMatchObject({ status: 200, body: { sessionState: offered['state'] } });
    withKey(() => Promise.reject(new Error('denied')));
    expect(await readSession()).toMatchObject({ username: 'alice@example.test', state: offered['state'] });
  });

  // @requirement 8621 §1.3.1 mail-capability
  // @requirement 8621 §4.4.2 query-sort-options
  test('has the six properties of the mail capability for each account', () => {
    expect(session['accounts']['acc_alice'].accountCapabilities[capability.mail]).toEqual({
      maxMailboxesPerEmail: 100,
      maxMailboxDepth: 10,
      maxSizeMailboxName: 255,
      maxSizeAttachmentsPerEmail: 25_000_000,
      emailQuerySortOptions: Object.keys(email.sorts),
      mayCreateTopLevelMailbox: true,
    });
  });

  test('an account has the capabilities of the methods with an accountId', () => {
    expect(Object.keys(session['accounts']['acc_alice'].accountCapabilities).sort()).toEqual(
      [
        capability.core,
        capability.mail,
        capability.quota,
        capability.blob,
        capability.submission,
        capability.vacationResponse,
        capability.forwarding,
        capability.contacts,
      ].sort(),
    );
  });

  test('only a member with the role ADMIN, with a token that may write, may change the forwarding of an account', async () => {
    const valueFor = async (token: string, accountId: string) =>
      (await sessionFor(token))['accounts'][accountId].accountCapabilities[capability.forwarding] as Json;
    const value = { maxAddresses: 5, mayForwardOutside: true, mayChange: true };
    expect(await valueFor('alice', 'acc_alice')).toEqual(value);
    expect(await valueFor('bob', 'acc_alice')).toEqual({ ...value, mayChange: false });
    expect(await valueFor('reader', 'acc_alice')).toEqual({ ...value, mayChange: false });
  });

  test('the owner’s account is personal and writable', () => {
    expect(session['accounts']['acc_alice']).toMatchObject({ name: 'acc_alice’s mail', isPersonal: true, isReadOnly: false });
  });

  test('a shared account is not personal, and read-only for the role READ', async () => {
    const { accounts } = await sessionFor('bob');
    expect(accounts.acc_alice).toMatchObject({ isPersonal: false, isReadOnly: true });
    expect(accounts.acc_alice.accountCapabilities[capability.mail].mayCreateTopLevelMailbox).toBe(false);
    expect(accounts.acc_bob).toMatchObject({ isPersonal: true, isReadOnly: false });
  });

  test('a shared mailbox that a person owns beside their own account is not personal', async () => {
    const owner = await jmapDeployment();
    await owner.addMember('alice', 'acc_sales', 'ADMIN', true);
    const { accounts } = JSON.parse((await owner.http('GET', '/.well-known/jmap', { token: 'alice' })).body!) as Json;
    expect([accounts.acc_alice.isPersonal, accounts.acc_sales.isPersonal]).toEqual([true, false]);
  });

  test('accounts are read-only for a token without MAIL_WRITE', async () => {
    expect((await sessionFor('reader'))['accounts']['acc_alice'].isReadOnly).toBe(true);
  });

  describe('primaryAccounts', () => {
    const primaryOf = async (other: JmapDeployment, token: string) => {
      const { primaryAccounts } = JSON.parse((await other.http('GET', '/.well-known/jmap', { token })).body!) as Json;
      expect(Object.keys(primaryAccounts as Json)).toEqual([
        capability.core,
        capability.mail,
        capability.blob,
        capability.submission,
        capability.quota,
        capability.vacationResponse,
        capability.forwarding,
        capability.contacts,
      ]);
      const values = new Set(Object.values(primaryAccounts as Record<string, string>));
      expect(values.size).toBe(1);
      return [...values][0];
    };

    test('is the person’s own account of each capability', async () => {
      expect(await primaryOf(deployment, 'bob')).toBe('acc_bob');
    });

    test('is the person’s primary_account_id, and stays when they are given other accounts, own ones too', async () => {
      const other = await jmapDeployment();
      await other.addUser('alice', { primary_account_id: 'acc_alice' });
      await other.addMember('alice', 'acc_aaa', 'ADMIN', true);
      await other.addMember('alice', 'acc_bob', 'READ', false);
      expect(await primaryOf(other, 'alice')).toBe('acc_alice');
      await other.addUser('alice', { primary_account_id: 'acc_bob' });
      expect(await primaryOf(other, 'alice')).toBe('acc_bob');
    });

    test('is the account of the longest membership, own ones first, for a person without a primary account', async () => {
      const other = await jmapDeployment();
      await other.addMember('bob', 'acc_aaa', 'ADMIN', true);
      await other.addUser('bob', { primary_account_id: 'acc_deleted' });
      expect(await primaryOf(other, 'bob')).toBe('acc_bob');
    });

    test('is the account of the longest membership for a machine, and stays when it is given another', async () => {
      const other = await jmapDeployment();
      await other.addMember('headless', 'acc_bob', 'READ', false);
      await other.addMember('headless', 'acc_alice', 'READ', false);
      expect(await primaryOf(other, 'machine')).toBe('acc_bob');
    });

    test('takes no further round trip', async () => {
      expect(await deployment.tripsOf(() => deployment.http('GET', '/.well-known/jmap'))).toBe(1);
    });
  });

  test('a machine without accounts has a session without accounts', async () => {
    expect(await sessionFor('machine')).toMatchObject({ username: 'headless', accounts: {}, primaryAccounts: {} });
  });

  // @requirement 8620 §2 session-state
  // @requirement 8620 §2.2 well-known
  test('state is the sessionState of API responses, and changes with the memberships', async () => {
    const currentState = async () => (await deployment.request({ using: [capability.core], methodCalls: [] })).body['sessionState'] as string;
    expect(await currentState()).toBe(session['state']);
    await deployment.addMember('alice', 'acc_bob', 'READ', false);
    const after = await sessionFor('alice');
    expect(after['state']).not.toBe(session['state']);
    expect(await currentState()).toBe(after['state']);
  });

  test('state depends on the token: one without MAIL_WRITE has another session', async () => {
    const states: unknown[] = [];
    for (const token of ['alice', 'reader', 'alice', 'reader']) {
      const { body } = await deployment.request({ using: [capability.core], methodCalls: [] }, { token });
      expect(body['sessionState']).toBe((await sessionFor(token))['state']);
      states.push(body['sessionState']);
    }
    expect(new Set(states).size).toBe(2);
  });

  test('all its capabilities can be used', async () => {
    const { status } = await deployment.request({ using: Object.keys(session['capabilities']), methodCalls: [] });
    expect(status).toBe(200);
  });
});
