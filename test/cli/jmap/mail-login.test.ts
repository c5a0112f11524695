import { readFile, stat, writeFile } from 'node:fs/promises';
import { runMailCommandLine } from '../../../cli/program/run-mail-command-line.ts';
import type { MailContext } from '../../../cli/terminal/cli-context.ts';
import { cliCallbackUrls } from '../../../contract/oauth/oauth.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const jmapUrl = 'https://jmap.example.test';
const authUrl = 'https://auth.example.test';

type Sent = { readonly url: string; readonly body: string; readonly authorization: string | null };

const session = {
  capabilities: {
    'urn:ietf:params:jmap:core': {
      maxSizeUpload: 1000,
      maxConcurrentUpload: 4,
      maxSizeRequest: 1000,
      maxConcurrentRequests: 4,
      maxObjectsInGet: 10,
      maxObjectsInSet: 10,
    },
  },
  accounts: { acc_1: { name: 'Ada', isReadOnly: false, accountCapabilities: { 'urn:ietf:params:jmap:mail': {} } } },
  primaryAccounts: {},
  apiUrl: `${jmapUrl}/jmap`,
  uploadUrl: `${jmapUrl}/upload/{accountId}`,
  downloadUrl: `${jmapUrl}/download`,
};

const home = temporaryDirectory();
let sent: Sent[];
let said: string;
let environment: Record<string, string>;
let metadata: Record<string, string>;
beforeEach(() => {
  [sent, said] = [[], ''];
  environment = { HOME: home() };
  metadata = { token_endpoint: `${authUrl}/oauth2/token`, registration_endpoint: `${jmapUrl}/oauth/register` };
});

/** A deployment that registers clients, issues tokens and has a session. */
const respond = ({ url }: Sent): Response => {
  const { pathname } = new URL(url);
  if (pathname === '/.well-known/oauth-authorization-server') return Response.json(metadata);
  if (pathname === '/oauth/register') return Response.json({ client_id: 'registered' }, { status: 201 });
  if (pathname === '/oauth2/token') return Response.json({ access_token: 'good', expires_in: 3600, refresh_token: 'refresh' });
  if (pathname === '/.well-known/jmap') return Response.json(session);
  return Response.json({ detail: 'the test ends here' }, { status: 400 });
};

const context = (): MailContext => ({
  environment,
  print: (text) => {
    said += text;
  },
  printMessage: (text) => {
    said += text;
  },
  readInput: async () => '',
  now: () => 0,
  fetch: async (target, init = {}) => {
    const body = init.body instanceof URLSearchParams ? init.body.toString() : typeof init.body === 'string' ? init.body : '';
    const url = target instanceof Request ? target.url : target.toString();
    sent.push({ url, body, authorization: new Headers(init.headers).get('authorization') });
    return respond(sent.at(-1)!);
  },
  openBrowser: (url) => {
    const { searchParams } = new URL(url);
    void fetch(`${cliCallbackUrls[1]}?code=code&state=${searchParams.get('state')}`);
  },
  terminal: { isInteractive: false, columns: () => 80, write: () => undefined },
  readSecret: async () => '',
  signal: new AbortController().signal,
  pause: async () => undefined,
});
const run = async (...args: string[]): Promise<{ code: number; said: string }> => {
  [sent, said] = [[], ''];
  return { code: await runMailCommandLine(args, context()), said };
};
const asked = (path: string) => sent.find(({ url }) => new URL(url).pathname === path);

describe('postrider login', () => {
  test('finds the sign-in of a server, registers itself, and stores both for later commands', async () => {
    expect(await run('login', '--server', 'jmap.example.test')).toEqual({
      code: 0,
      said: expect.stringContaining('You are signed in to https://jmap.example.test.'),
    });
    expect(JSON.parse(asked('/oauth/register')!.body)).toEqual({ client_name: 'Postrider command line', redirect_uris: [...cliCallbackUrls] });
    expect(new URLSearchParams(asked('/oauth2/token')!.body).get('client_id')).toBe('registered');
    const file = home('.config/postrider/mail.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ jmap_url: jmapUrl, auth_url: authUrl, client_id: 'registered' });
    expect(await run('export', '--account', 'ada', '--to', home('out'))).toEqual({ code: 1, said: 'jmap.example.test refused a request: the test ends here' });
    expect(asked('/jmap')!.authorization).toBe('Bearer good');
  });

  test('uses the client of --client-id, and of a stack’s outputs, without a registration', async () => {
    expect(await run('login', '--server', jmapUrl, '--client-id', 'given')).toMatchObject({ code: 0 });
    expect(asked('/oauth/register')).toBeUndefined();
    await writeFile(home('outputs.json'), JSON.stringify({ Stack: { adminApiUrl: 'https://api.example.test', authUrl, jmapUrl, cliClientId: 'cli' } }));
    expect(await run('login', '--outputs', home('outputs.json'))).toMatchObject({ code: 0 });
    expect(new URLSearchParams(asked('/oauth2/token')!.body).get('client_id')).toBe('cli');
  });

  test('names the remedy when clients cannot register, and when no deployment is known', async () => {
    delete metadata['registration_endpoint'];
    expect(await run('login', '--server', jmapUrl)).toEqual({ code: 3, said: expect.stringContaining('--client-id ID') });
    metadata = {};
    expect(await run('login', '--server', jmapUrl)).toEqual({ code: 1, said: expect.stringContaining('no metadata of a Postrider deployment') });
    expect(await run('login', '--server', 'http://jmap.example.test')).toEqual({ code: 2, said: expect.stringContaining('https://') });
    expect(await run('login')).toEqual({ code: 2, said: expect.stringContaining('no server is known') });
  });
});

describe('postrider token', () => {
  test('prints a token of the person who is signed in, for a mail program, and nothing else', async () => {
    await run('login', '--server', jmapUrl);
    expect(await run('token')).toEqual({ code: 0, said: 'good' });
    expect(sent).toEqual([]);
  });

  test('says how to sign in when nobody is', async () => {
    expect(await run('token')).toMatchObject({ code: 2, said: expect.stringContaining('postrider login') });
    expect(await run('token', '--server', jmapUrl)).toMatchObject({ code: 3, said: expect.stringContaining('npx postrider login') });
  });
});

describe('a machine', () => {
  beforeEach(() => {
    Object.assign(environment, { POSTRIDER_CLIENT_ID: 'mover', POSTRIDER_CLIENT_SECRET: 's3cret', POSTRIDER_JMAP_URL: jmapUrl });
  });

  test('requests only the scopes that the command needs, and stores the tokens separately', async () => {
    await run('import', '--account', 'acc_1', '/nowhere');
    expect(new URLSearchParams(asked('/oauth2/token')!.body).get('scope')).toBe('jmapApi/MAIL_READ jmapApi/MAIL_WRITE');
    await run('export', '--account', 'acc_1', '--to', home('out'));
    expect(new URLSearchParams(asked('/oauth2/token')!.body).get('scope')).toBe('jmapApi/MAIL_READ');
    await run('import', '--account', 'acc_1', '/nowhere');
    expect(asked('/oauth2/token')).toBeUndefined();
  });

  test('without its own account must name one', async () => {
    expect(await run('import', '/nowhere')).toEqual({ code: 2, said: expect.stringContaining('give --account. Your accounts: acc_1 (Ada)') });
  });
});

describe('postrider', () => {
  test('shows its commands, and the options of each', async () => {
    expect(await run('--help')).toMatchObject({ code: 0, said: expect.stringContaining('postrider import --account ACCOUNT SOURCE') });
    for (const command of ['login', 'logout', 'token', 'import', 'export']) {
      expect(await run(command, '--help')).toMatchObject({ code: 0, said: expect.stringContaining('postrider ') });
    }
    expect(await run()).toMatchObject({ code: 2 });
    expect(await run('imports')).toMatchObject({ code: 2, said: expect.stringContaining('no command') });
    expect(sent).toEqual([]);
  });

  test('deletes its tokens with logout', async () => {
    await run('login', '--server', jmapUrl);
    expect(await run('logout')).toMatchObject({ code: 0 });
    expect(await run('export', '--to', home('out'))).toEqual({ code: 3, said: expect.stringContaining('npx postrider login') });
  });
});
