import { createHash } from 'node:crypto';
import { readFile, readdir, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { accessToken } from '../../../cli/sign-in/access-token.ts';
import { signInWithBrowser } from '../../../cli/sign-in/browser-sign-in.ts';
import { cliCallbackUrls } from '../../../contract/oauth/oauth.ts';
import { openTerminal, type Terminal } from '../test-terminal.ts';

const login = ['login', '--admin-api-url', 'https://api.example.test', '--auth-url', 'https://auth.example.test', '--client-id', 'cli'] as const;

let terminal: Terminal;
beforeEach(async () => {
  terminal = await openTerminal();
  for (const name of ['POSTRIDER_ADMIN_API_URL', 'POSTRIDER_AUTH_URL', 'POSTRIDER_CLI_CLIENT_ID']) delete terminal.environment[name];
});
afterEach(() => terminal.close());

const shownPage = async (): Promise<URL> => {
  while (terminal.opened.length === 0)
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  return new URL(terminal.opened.pop()!);
};
/** The query with which the browser returns to the callback. */
const comeBack = (page: URL, answer: Record<string, string>) =>
  fetch(`${page.searchParams.get('redirect_uri')}?${new URLSearchParams({ state: page.searchParams.get('state') ?? '', ...answer }).toString()}`);

const signInAs = async (answer: Record<string, string>) => {
  const done = terminal.run(...login);
  const page = await shownPage();
  await comeBack(page, answer);
  return { ...(await done), page };
};

test('login uses the authorization code grant with PKCE, and later calls use the token', async () => {
  const { code, out, err, page } = await signInAs({ code: 'c0de' });
  expect([code, out]).toEqual([0, '']);
  expect(err).toContain(page.href);
  expect(err).not.toMatch(/refresh-1|c0de/);
  expect(Object.fromEntries(page.searchParams)).toMatchObject({
    response_type: 'code',
    client_id: 'cli',
    code_challenge_method: 'S256',
    scope: 'openid email profile',
  });
  expect(cliCallbackUrls).toContain(page.searchParams.get('redirect_uri'));
  const { form } = terminal.auth.asked[0]!;
  expect(Object.fromEntries(form)).toMatchObject({
    grant_type: 'authorization_code',
    client_id: 'cli',
    code: 'c0de',
    redirect_uri: page.searchParams.get('redirect_uri'),
  });
  expect(
    createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url'),
  ).toBe(page.searchParams.get('code_challenge'));
  expect(await terminal.run('status', 'Ping')).toMatchObject({ code: 0, out: '{}\n' });
  for (const file of ['tokens.json', 'config.json']) expect((await stat(join(terminal.home, '.config', 'postrider', file))).mode & 0o777).toBe(0o600);
});

test('the callback ignores requests without our state', async () => {
  const done = terminal.run(...login);
  const page = await shownPage();
  expect((await comeBack(page, { code: 'forged', state: 'other' })).status).toBe(404);
  expect((await fetch(new URL('/other', page.searchParams.get('redirect_uri')!))).status).toBe(404);
  expect((await comeBack(page, { code: 'c0de' })).status).toBe(200);
  expect(await done).toMatchObject({ code: 0 });
  expect(terminal.auth.asked.map(({ form }) => form.get('code'))).toEqual(['c0de']);
});

test('login of a person who is not an admin fails with a remedy, and stores nothing', async () => {
  terminal.auth.grants.accessToken = 'person';
  const { code, err } = await signInAs({ code: 'c0de' });
  expect(code).toBe(1);
  expect(err).toContain('you are not an admin');
  expect(err).toContain('users UpdateUser');
  expect(err).not.toContain('You are signed in');
  expect(await readdir(terminal.home)).toEqual([]);
});

test('login with a token that is refused at once says where to sign out of the browser, and stores nothing', async () => {
  terminal.auth.grants.accessToken = 'ended';
  const { code, err } = await signInAs({ code: 'c0de' });
  expect(code).toBe(1);
  expect(err).toContain('the browser is still signed in');
  expect(err).toMatch(/\/logout\?client_id=cli&logout_uri=http%3A%2F%2F127/);
  expect(await readdir(terminal.home)).toEqual([]);
});

test('a refused login shows the error, without control characters', async () => {
  const { code, err } = await signInAs({ error: 'access_denied', error_description: 'not\u001b[2J you' });
  expect(code).toBe(3);
  expect(err).toContain('the sign-in was refused: not [2J you');
  expect(terminal.auth.asked).toEqual([]);
});

test.each([
  ['a code that Cognito has in its description', { error: 'invalid_request', error_description: 'invalid_scope' }, 'does not have. Ask your operator'],
  ['a code alone', { error: 'access_denied' }, 'you may not sign in here'],
  ['a code beside an unknown description', { error: 'server_error', error_description: 'E123' }, 'Try again in a minute'],
  ['an unknown code', { error: 'new_error' }, 'no reason that is known (new_error)'],
  ['no code', {}, 'no reason that is known. Try again'],
])('a refused login shows words for %s', async (_what, answer, text) => {
  expect(await signInAs(answer as Record<string, string>)).toMatchObject({ code: 3, err: expect.stringContaining(text) as string });
});

test('login fails after its timeout, and when the callback port is taken', async () => {
  await expect(signInWithBrowser(terminal.context, { authUrl: 'https://auth.example.test', clientId: 'cli' }, 20)).rejects.toMatchObject({
    exitCode: 3,
    message: expect.stringContaining('no sign-in within'),
  });
  const { port, hostname } = new URL(cliCallbackUrls[1]);
  const other = createServer();
  await new Promise<void>((resolve) => {
    other.listen(Number(port), hostname, resolve);
  });
  try {
    expect(await terminal.run(...login)).toMatchObject({ code: 3, err: expect.stringContaining(`port ${port} is taken`) });
  } finally {
    other.close();
  }
});

test('login --no-browser only prints the URL', async () => {
  const done = terminal.run(...login, '--no-browser');
  await new Promise((resolve) => {
    setTimeout(resolve, 100);
  });
  expect(terminal.opened).toEqual([]);
  const port = new URL(cliCallbackUrls[1]).origin;
  expect((await fetch(`${port}/callback`)).status).toBe(404);
  // Ends the login: the printed URL contains the state.
  const told = terminal.messagesSoFar();
  const page = new URL(/https:\S+/.exec(told)?.[0] ?? '');
  await comeBack(page, { code: 'c0de' });
  expect(await done).toMatchObject({ code: 0 });
});

describe('an expired access token', () => {
  beforeEach(async () => {
    await signInAs({ code: 'c0de' });
    terminal.clock.now += 3600_000;
  });
  const kept = async () =>
    JSON.parse(await readFile(join(terminal.home, '.config', 'postrider', 'tokens.json'), 'utf8')) as Record<string, { refresh_token: string }>;

  const refreshTokensAsked = () => terminal.auth.asked.flatMap(({ form }) => form.getAll('refresh_token'));

  test('is refreshed, and the next time with the new refresh token', async () => {
    expect(await terminal.run('status', 'Ping')).toMatchObject({ code: 0 });
    expect(Object.fromEntries(terminal.auth.asked[1]!.form)).toEqual({ grant_type: 'refresh_token', client_id: 'cli', refresh_token: 'refresh-1' });
    expect(await terminal.run('status', 'Ping')).toMatchObject({ code: 0 });
    terminal.clock.now += 3600_000;
    expect(await terminal.run('status', 'Ping')).toMatchObject({ code: 0 });
    expect(refreshTokensAsked()).toEqual(['refresh-1', 'refresh-2']);
    expect((await kept())['https://auth.example.test cli']?.refresh_token).toBe('refresh-3');
    expect((await stat(join(terminal.home, '.config', 'postrider', 'tokens.json'))).mode & 0o777).toBe(0o600);
  });

  test('the refresh token is kept when the response has no new one', async () => {
    terminal.auth.grants.rotate = false;
    await terminal.run('status', 'Ping');
    expect((await kept())['https://auth.example.test cli']?.refresh_token).toBe('refresh-1');
  });

  test('is refreshed once by concurrent calls', async () => {
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => terminal.run('status', 'Ping')));
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
    expect(refreshTokensAsked()).toEqual(['refresh-1']);
    expect((await kept())['https://auth.example.test cli']?.refresh_token).toBe('refresh-2');
  });

  test('storing a headless client’s token concurrently loses no tokens', async () => {
    const machine = { ...terminal.context, environment: { ...terminal.environment, POSTRIDER_CLIENT_ID: 'adminheadless', POSTRIDER_CLIENT_SECRET: 's3cret' } };
    const deployment = { adminApiUrl: 'https://api.example.test', authUrl: 'https://auth.example.test', clientId: 'cli' };
    expect(await Promise.all([accessToken(terminal.context, deployment), accessToken(machine, deployment)])).toEqual(['admin', 'machine']);
    const after = await kept();
    expect(Object.keys(after).sort()).toEqual(['https://auth.example.test adminheadless', 'https://auth.example.test cli']);
    expect(after['https://auth.example.test cli']?.refresh_token).not.toBe('refresh-1');
  });

  test('a refused refresh asks for a new login, with exit code 3', async () => {
    terminal.auth.grants.refuse = true;
    const { code, err } = await terminal.run('status', 'Ping');
    expect(code).toBe(3);
    expect(err).toContain('Sign in again: postrider-admin login');
    expect(err).not.toContain('refresh-1');
  });
});

test('a call without a login fails with exit code 3 and writes no file', async () => {
  Object.assign(terminal.environment, {
    POSTRIDER_ADMIN_API_URL: 'https://api.example.test',
    POSTRIDER_AUTH_URL: 'https://auth.example.test',
    POSTRIDER_CLI_CLIENT_ID: 'cli',
  });
  expect(await terminal.run('status', 'Ping')).toMatchObject({ code: 3, err: expect.stringContaining('Sign in first') });
  expect(await readdir(terminal.home)).toEqual([]);
});

test('logout deletes the tokens and revokes them', async () => {
  await signInAs({ code: 'c0de' });
  expect(await terminal.run('logout')).toMatchObject({ code: 0 });
  expect(terminal.auth.asked.at(-1)).toMatchObject({ path: '/oauth2/revoke' });
  expect(Object.fromEntries(terminal.auth.asked.at(-1)!.form)).toEqual({ token: 'refresh-1', client_id: 'cli' });
  expect(await terminal.run('status', 'Ping')).toMatchObject({ code: 3, err: expect.stringContaining('Sign in first') });
});
