import { jmapDeployment, type JmapDeployment } from './jmap-deployment.ts';

/** A request that could not be read: whoever is turned away before it is looked at never hears of that. */
const unreadable = { body: '{not json' };

describe('who may call', () => {
  let deployment: JmapDeployment;
  beforeAll(async () => {
    deployment = await jmapDeployment();
  });
  const asked = (path: 'GET /.well-known/jmap' | 'POST /jmap', token: string | null) => {
    const [method, rawPath] = path.split(' ') as [string, string];
    return deployment.http(method, rawPath, { token, ...unreadable });
  };

  describe.each(['GET /.well-known/jmap', 'POST /jmap'] as const)('%s', (path) => {
    test.each([['no token', null], ['an unknown token', 'forged']])('%s is 401 that tells where to get one, before the body is looked at', async (_what, token) => {
      const response = await asked(path, token);
      expect(response.statusCode).toBe(401);
      expect(response.headers?.['www-authenticate']).toContain('resource_metadata="https://jmap.example.test/.well-known/oauth-protected-resource"');
      expect(response.headers?.['content-type']).toBe('application/problem+json');
    });

    test.each([['a token for the admin API', 'admin'], ['a deactivated person', 'carol'], ['a person the directory does not know', 'stranger']])('%s is 403, before the body is looked at', async (_what, token) => {
      const response = await asked(path, token);
      expect(response.statusCode).toBe(403);
      expect(JSON.parse(response.body!)).toMatchObject({ type: 'about:blank', status: 403 });
      expect(response.headers?.['www-authenticate']).toContain('Bearer resource_metadata="https://jmap.example.test/.well-known/oauth-protected-resource"');
    });
  });

  test('a request that nobody may read says so only to those who may call', async () => {
    expect((await asked('POST /jmap', 'alice')).statusCode).toBe(400);
    expect((await asked('POST /jmap', 'carol')).statusCode).toBe(403);
  });

  test('a path that is not there is 404, also with a token', async () => {
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
});

describe('what a caller may do', () => {
  let deployment: JmapDeployment;
  beforeAll(async () => {
    deployment = await jmapDeployment();
  });

  test('an account that is not the caller’s is accountNotFound, whether it exists or not', async () => {
    expect(await deployment.call('Mailbox/get', { accountId: 'acc_bob' })).toMatchObject({ type: 'accountNotFound' });
    expect(await deployment.call('Mailbox/get', { accountId: 'acc_none' })).toMatchObject({ type: 'accountNotFound' });
  });

  test('a missing accountId is invalidArguments', async () => {
    expect(await deployment.call('Mailbox/get', { accountId: undefined })).toMatchObject({ type: 'invalidArguments' });
  });

  test('a member who may only read reads', async () => {
    expect((await deployment.call('Mailbox/get', {}, { token: 'bob' }))['list']).toHaveLength(6);
  });

  test('a member who may only read gets accountReadOnly from set', async () => {
    expect(await deployment.call('Email/set', { destroy: ['x'] }, { token: 'bob' })).toMatchObject({ type: 'accountReadOnly' });
  });

  test('a token without MAIL_WRITE gets forbidden from set', async () => {
    expect(await deployment.call('Email/set', { destroy: ['x'] }, { token: 'reader' })).toMatchObject({ type: 'forbidden' });
  });

  test('a machine has the accounts it was given, and no others', async () => {
    expect(await deployment.call('Mailbox/get', {}, { token: 'machine' })).toMatchObject({ type: 'accountNotFound' });
    await deployment.addMember('headless', 'acc_alice', 'READ', false);
    expect((await deployment.call('Mailbox/get', {}, { token: 'machine' }))['list']).toHaveLength(6);
  });

  test('a member who was removed has lost the account at once', async () => {
    await deployment.directory.write([{ delete: { pk: 'member#bob', sk: 'acc_alice' } }]);
    expect(await deployment.call('Mailbox/get', {}, { token: 'bob' })).toMatchObject({ type: 'accountNotFound' });
  });
});
