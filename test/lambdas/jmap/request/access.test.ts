import { memoryTable } from '../../../fakes/memory-table.ts';
import { wrappedTable } from '../../../support/wrapped-table.ts';
import { jmapDeployment, type JmapDeployment } from '../jmap-deployment.ts';

/** A request with an invalid body: a caller without access gets 401 or 403 instead of 400. */
const unreadable = { body: '{not json' };

describe('Access to the JMAP API', () => {
  let deployment: JmapDeployment;
  beforeAll(async () => {
    deployment = await jmapDeployment();
  });
  const callRoute = (path: 'GET /.well-known/jmap' | 'POST /jmap', token: string | null) => {
    const [method, rawPath] = path.split(' ') as [string, string];
    return deployment.http(method, rawPath, { token, ...unreadable });
  };

  describe.each(['GET /.well-known/jmap', 'POST /jmap'] as const)('%s', (path) => {
    // @pitfall http challenge
    // @requirement 8620 §1.7 authentication
    test.each([
      ['no token', null],
      ['an unknown token', 'forged'],
    ])('%s gets 401 with the protected resource metadata, before the body is read', async (_what, token) => {
      const response = await callRoute(path, token);
      expect(response.statusCode).toBe(401);
      expect(response.headers?.['www-authenticate']).toContain(
        `resource_metadata="https://jmap.example.test/.well-known/oauth-protected-resource${path.split(' ')[1]}"`,
      );
      expect(response.headers?.['content-type']).toBe('application/problem+json');
    });

    test.each([
      ['a token for the admin API', 'admin'],
      ['a deactivated user', 'carol'],
      ['an unknown user', 'stranger'],
    ])('%s gets 403, before the body is read', async (_what, token) => {
      const response = await callRoute(path, token);
      expect(response.statusCode).toBe(403);
      expect(JSON.parse(response.body!)).toMatchObject({ type: 'about:blank', status: 403 });
      expect(response.headers?.['www-authenticate']).toContain(
        `Bearer resource_metadata="https://jmap.example.test/.well-known/oauth-protected-resource${path.split(' ')[1]}"`,
      );
    });
  });

  test('an unreadable request gets 400 for an active user and 403 for a deactivated one', async () => {
    expect((await callRoute('POST /jmap', 'alice')).statusCode).toBe(400);
    expect((await callRoute('POST /jmap', 'carol')).statusCode).toBe(403);
  });

  test('an unknown path is 404 with a token', async () => {
    expect((await deployment.http('GET', '/jmap/more')).statusCode).toBe(404);
  });

  test('a directory that can not be read is 500 without its cause', async () => {
    const failing = await jmapDeployment();
    failing.jmap.principals.find = () => Promise.reject(new Error('secret place'));
    const response = await failing.http('GET', '/.well-known/jmap');
    expect(response.statusCode).toBe(500);
    expect(response.body).not.toContain('secret place');
    expect(failing.logged).toHaveLength(1);
  });

  test('a directory that does not respond in time is 503 with Retry-After', async () => {
    const slow = await jmapDeployment();
    slow.jmap.principals.find = () => Promise.reject(Object.assign(new Error('no answer'), { name: 'TimeoutError' }));
    const response = await slow.http('GET', '/.well-known/jmap');
    expect(response).toMatchObject({ statusCode: 503, headers: { 'retry-after': '5' } });
  });
});

describe('Access to JMAP accounts', () => {
  let deployment: JmapDeployment;
  beforeAll(async () => {
    deployment = await jmapDeployment();
  });

  // @requirement 8620 §3.6.2 account-not-found
  test('an account without the caller as a member is accountNotFound, whether it exists or not', async () => {
    expect(await deployment.call('Mailbox/get', { accountId: 'acc_bob' })).toMatchObject({ type: 'accountNotFound' });
    expect(await deployment.call('Mailbox/get', { accountId: 'acc_none' })).toMatchObject({ type: 'accountNotFound' });
  });

  // @pitfall error missing-account
  test('a call without accountId is invalidArguments', async () => {
    expect(await deployment.call('Mailbox/get', { accountId: undefined })).toMatchObject({ type: 'invalidArguments' });
  });

  test('a member with the role READ may call /get', async () => {
    expect((await deployment.call('Mailbox/get', {}, { token: 'bob' }))['list']).toHaveLength(6);
  });

  // @requirement 8620 §3.6.2 account-read-only
  // @requirement 8620 §5.3 set-read-only
  test('a member with the role READ gets accountReadOnly from /set', async () => {
    expect(await deployment.call('Email/set', { destroy: ['x'] }, { token: 'bob' })).toMatchObject({ type: 'accountReadOnly' });
  });

  // @requirement 8620 §3.6.2 forbidden
  test('a token without MAIL_WRITE gets forbidden from /set', async () => {
    expect(await deployment.call('Email/set', { destroy: ['x'] }, { token: 'reader' })).toMatchObject({ type: 'forbidden' });
  });

  test('a machine may read only the accounts of which it is a member', async () => {
    expect(await deployment.call('Mailbox/get', {}, { token: 'machine' })).toMatchObject({ type: 'accountNotFound' });
    await deployment.addMember('headless', 'acc_alice', 'READ', false);
    expect((await deployment.call('Mailbox/get', {}, { token: 'machine' }))['list']).toHaveLength(6);
  });

  test('a removed member gets accountNotFound at once', async () => {
    await deployment.directory.write([{ delete: { pk: 'member#bob', sk: 'acc_alice' } }]);
    expect(await deployment.call('Mailbox/get', {}, { token: 'bob' })).toMatchObject({ type: 'accountNotFound' });
  });
});

describe('Accounts in the memory of the JMAP Lambda', () => {
  /** A deployment that counts the calls to its mail table. */
  const countedDeployment = async () => {
    const calls = { mailTable: 0 };
    const mail = wrappedTable(memoryTable(), (call) => {
      calls.mailTable += 1;
      return call();
    });
    return { calls, deployment: await jmapDeployment({ mail }) };
  };

  test('a caller who is not a member makes the Lambda read nothing of an account', async () => {
    const { calls, deployment } = await countedDeployment();
    calls.mailTable = 0;
    await deployment.request({ using: [], methodCalls: [['Mailbox/get', { accountId: 'acc_bob' }, 'a']] }, { token: 'stranger' });
    expect(await deployment.call('Mailbox/get', { accountId: 'acc_bob' })).toMatchObject({ type: 'accountNotFound' });
    expect(calls.mailTable).toBe(0);
    expect(deployment.store.holds('acc_bob')).toBe(false);
  });

  test('a caller who is not a member makes the Lambda read nothing of an account in its memory', async () => {
    const { calls, deployment } = await countedDeployment();
    await deployment.call('Mailbox/get', { accountId: 'acc_bob' }, { token: 'bob' });
    calls.mailTable = 0;
    expect(await deployment.call('Mailbox/get', { accountId: 'acc_bob' })).toMatchObject({ type: 'accountNotFound' });
    expect(calls.mailTable).toBe(0);
  });

  test('after a removal of a member, the Lambda reads the account at most once more for them', async () => {
    const { calls, deployment } = await countedDeployment();
    await deployment.call('Mailbox/get', {}, { token: 'bob' });
    await deployment.directory.write([{ delete: { pk: 'member#bob', sk: 'acc_alice' } }]);
    await deployment.call('Mailbox/get', {}, { token: 'bob' });
    calls.mailTable = 0;
    expect(await deployment.call('Mailbox/get', {}, { token: 'bob' })).toMatchObject({ type: 'accountNotFound' });
    expect(calls.mailTable).toBe(0);
  });

  test('opening accounts in memory takes one trip for a known member, and two for a principal that is new to the Lambda', async () => {
    const deployment = await jmapDeployment();
    const calls = [
      ['Mailbox/get', { accountId: 'acc_alice' }, 'a'],
      ['Mailbox/get', { accountId: 'acc_bob' }, 'b'],
    ] as const;
    const tripsAs = (token: string) => deployment.tripsOf(() => deployment.perform(calls, { token }));
    expect(await tripsAs('bob')).toBeLessThanOrEqual(5);
    expect(await tripsAs('bob')).toBe(1);
    expect(await tripsAs('alice')).toBe(2);
    expect(await tripsAs('alice')).toBe(1);
  });
});
