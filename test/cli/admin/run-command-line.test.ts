import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { services } from '../../../contract/admin/index.ts';
import { methodDescriptions } from '../../../contract/reference/description.ts';
import { adminApi } from '../../support/admin-api.ts';
import { openTerminal, type Terminal } from '../test-terminal.ts';

let terminal: Terminal;
beforeEach(async () => {
  terminal = await openTerminal();
  Object.assign(terminal.environment, { POSTRIDER_CLIENT_ID: 'adminheadless', POSTRIDER_CLIENT_SECRET: 's3cret' });
});
afterEach(() => terminal.close());

describe('a method call', () => {
  test('prints the response as JSON', async () => {
    const { code, out } = await terminal.run('domains', 'AddDomain', '--domain', 'example.test');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ domain: { domain: 'example.test', dmarc_policy: 'NONE' } });
    expect(terminal.calls).toEqual([{ path: '/domains/AddDomain', body: { domain: 'example.test' } }]);
  });

  test('accepts booleans, numbers, repeated values, JSON, and any spelling of the method name', async () => {
    await terminal.run('domains', 'add-domain', '--domain=example.test', '--no-send-enabled', '--receive-enabled', '--dmarc-enabled', 'false');
    await terminal.run('users', 'ListUsers', '--page-size', '10');
    await terminal.run('change-requests', 'ListChangeRequests', '--status', 'ACCEPTED', '--status', 'SUBMITTED');
    await terminal.run('audit', 'ListAuditLogs', '--actor', '{"actor_type":"USER"}');
    expect(terminal.calls.map(({ body }) => body)).toEqual([
      { domain: 'example.test', send_enabled: false, receive_enabled: true, dmarc_enabled: false },
      { page_size: 10 },
      { status: ['ACCEPTED', 'SUBMITTED'] },
      { actor: { actor_type: 'USER' } },
    ]);
  });

  test('accepts the whole request as JSON, also from standard input, and adds options to it', async () => {
    terminal.input.text = '{"domain":"example.test","sendEnabled":false}';
    await terminal.run('domains', 'AddDomain', '--json', '-', '--receive-enabled');
    expect(terminal.calls[0]?.body).toEqual({ domain: 'example.test', sendEnabled: false, receive_enabled: true });
  });

  test('prints a table with --table', async () => {
    await terminal.run('domains', 'AddDomain', '--domain', 'example.test');
    const { out } = await terminal.run('domains', 'ListDomains', '--table');
    const [head, first] = out.split('\n');
    expect(head).toMatch(/^ID +DOMAIN +/);
    expect(first).toMatch(/^dom_\S+ +example\.test +/);
    expect((await terminal.run('users', 'GetUser', '--user-id', 'user_admin', '--table')).out).toMatch(/^user_id +user_admin$/m);
  });

  test('says that a new domain receives no mail, unless the command says whether it does', async () => {
    const add = async (domain: string, ...options: readonly string[]) => (await terminal.run('domains', 'AddDomain', '--domain', domain, ...options)).err;
    expect(await add('sends.test')).toMatch(/^sends\.test receives no mail; domains UpdateDomain --domain sends\.test --receive-enabled changes that\.\n$/);
    expect([await add('never.test', '--no-receive-enabled'), await add('receives.test', '--receive-enabled')]).toEqual(['', '']);
  });

  test('says which SPF policy stayed after ApplyDomainRecords, and which one to publish', async () => {
    const api = await adminApi();
    const own = await openTerminal(api);
    Object.assign(own.environment, { POSTRIDER_CLIENT_ID: 'adminheadless', POSTRIDER_CLIENT_SECRET: 's3cret' });
    try {
      const { out: added } = await own.run('domains', 'AddDomain', '--domain', 'example.test');
      const {
        domain: { id },
      } = JSON.parse(added) as { readonly domain: { readonly id: string } };
      api.dnsProvider.addZone('example.test');
      api.dnsProvider.put('example.test', { name: 'example.test', type: 'TXT', values: ['"v=spf1 include:other.test -all"'] });
      api.dns.set('example.test', 'TXT', 'v=spf1 include:other.test -all');
      const kept =
        'SPF of example.test kept: yours is "v=spf1 include:other.test -all", publish this merged one in its place: ' +
        '"v=spf1 include:other.test include:amazonses.com -all".\n';
      for (const command of [
        ['ApplyDomainRecords', '--id', id],
        ['GetDomain', '--id', id, '--include-dns-validation'],
      ]) {
        const { code, err } = await own.run('domains', ...command);
        expect([code, err]).toEqual([0, kept]);
      }
      api.dns.set('example.test', 'TXT', 'v=spf1 include:other.test include:amazonses.com -all');
      expect((await own.run('domains', 'ApplyDomainRecords', '--id', id)).err).toBe('');
      // A forced value replaces the policy, which DNS may still have for a while.
      api.dns.set('example.test', 'TXT', 'v=spf1 include:other.test -all');
      await own.run('domains', 'UpdateDomain', '--id', id, '--spf-mode', 'FORCE_VALUE', '--spf-value', 'v=spf1 -all');
      for (const command of ['GetDomain --include-dns-validation', 'ApplyDomainRecords']) {
        const [method, ...options] = command.split(' ');
        expect((await own.run('domains', method!, '--id', id, ...options)).err).toBe('');
      }
    } finally {
      await own.close();
    }
  });

  test('prints the API’s error, with exit code 1', async () => {
    const { code, out, err } = await terminal.run('users', 'GetUser', '--user-id', 'user_nobody');
    expect([code, out]).toEqual([1, '']);
    expect(err).toBe('not_found: there is no such user (call request-1)\n');
  });

  test('prints a message when the API cannot be reached', async () => {
    await terminal.run('status', 'Ping');
    const { code, err } = await (async () => {
      const { runCommandLine } = await import('../../../cli/admin/run-command-line.ts');
      let err = '';
      const code = await runCommandLine(['status', 'Ping'], {
        ...terminal.context,
        printMessage: (text) => {
          err += text;
        },
        fetch: async () => {
          throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
        },
      });
      return { code, err };
    })();
    expect([code, err]).toEqual([1, 'the admin API cannot be reached: connect ECONNREFUSED']);
  });
});

describe('a wrong command line', () => {
  test.each([
    [['domain'], 'no service'],
    [['domains', 'Nothing'], 'no method'],
    [['domains', 'AddDomain'], 'domain is required'],
    [['domains', 'AddDomain', '--domain'], 'takes a value'],
    [['domains', 'AddDomain', '--colour', 'red'], 'no option --colour'],
    [['domains', 'AddDomain', 'example.test'], 'unexpected'],
    [['domains', 'AddDomain', '--domain', 'a.test', '--domain', 'b.test'], 'only once'],
    [['domains', 'AddDomain', '--domain', 'a.test', '--spf-mode', 'MAYBE'], 'one of OFF'],
    [['domains', 'AddDomain', '--domain', 'a.test', '--send-enabled=perhaps'], 'true or false'],
    [['domains', 'AddDomain', '--no-domain'], 'negated'],
    [['users', 'ListUsers', '--page-size', '0'], '1 to 1000'],
    [['users', 'ListUsers', '--page-size', 'ten'], 'number'],
    [['audit', 'ListAuditLogs', '--actor', '{'], 'takes JSON'],
    [['users', 'ListUsers', '--json', '[]'], 'JSON object'],
    [['users', 'ListUsers', '--json', '{'], 'JSON object'],
    [['users', 'ListUsers', '--outputs'], 'takes a value'],
    [['users', 'ListUsers', '--outputs', '/nowhere'], 'no file'],
    [['constructor'], 'no service'],
    [['users', 'constructor'], 'no method'],
    [['logout', 'now'], 'no options'],
    [['login', '--colour'], 'colour'],
    [['login', '--client-id', 'x'], 'must be given together'],
    [[], 'Services:'],
  ])('%j is refused with exit code 2 before a request is sent', async (args, words) => {
    const { code, out, err } = await terminal.run(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(words);
    expect([terminal.calls, terminal.auth.asked]).toEqual([[], []]);
  });
});

describe('help', () => {
  test('is available in general, for each service and for each method, without a deployment', async () => {
    for (const name of Object.keys(terminal.environment)) if (name !== 'HOME') delete terminal.environment[name];
    expect((await terminal.run('--help')).out).toContain('email-identities');
    for (const service of Object.keys(services)) expect(await terminal.run(service, '--help')).toMatchObject({ code: 0, err: '' });
    for (const { service, name, request } of methodDescriptions()) {
      const { code, out } = await terminal.run(service, name, '--help');
      expect(code).toBe(0);
      for (const { name: field } of request) expect(out).toContain(`--${field.replaceAll('_', '-')}`);
    }
    expect((await terminal.run('login', '--help')).out).toContain('--admin-api-url');
  });

  test('shows types, defaults, limits and values, also of nested messages', async () => {
    const { out } = await terminal.run('domains', 'ListDomains', '--help');
    expect(out).toMatch(/--page-size NUMBER +1 to 100; default 50/);
    expect((await terminal.run('domains', 'AddDomain', '--help')).out).toMatch(/--dmarc-policy VALUE +NONE \| QUARANTINE \| REJECT; default "NONE"/);
    expect((await terminal.run('support', 'OpenSupportCase', '--help')).out).toMatch(/--allowed-tiers VALUE +may be repeated; DIAG \| CONFIG_READ/);
    expect((await terminal.run('audit', 'ListAuditLogs', '--help')).out).toMatch(/--actor takes JSON with these fields:\n +actor_type +ActorType; required/);
  });
});

describe('a headless client', () => {
  test('authenticates with HTTP Basic and reuses its token until it expires', async () => {
    await terminal.run('status', 'Ping');
    await terminal.run('status', 'Ping');
    expect(terminal.auth.asked).toHaveLength(1);
    const [{ path, form, authorization }] = terminal.auth.asked as [(typeof terminal.auth.asked)[number]];
    expect([path, Object.fromEntries(form), authorization]).toEqual([
      '/oauth2/token',
      { grant_type: 'client_credentials', scope: 'adminApi/ADMIN' },
      `Basic ${Buffer.from('adminheadless:s3cret').toString('base64')}`,
    ]);
    terminal.clock.now += 3600_000 - 30_000;
    await terminal.run('status', 'Ping');
    expect(terminal.auth.asked).toHaveLength(2);
  });

  test('tokens are stored in a file that only its owner can read, and are not printed', async () => {
    const { out, err } = await terminal.run('status', 'Ping');
    const file = join(terminal.home, '.config', 'postrider', 'tokens.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(file, '..'))).mode & 0o777).toBe(0o700);
    const kept = await readFile(file, 'utf8');
    expect(kept).toContain('"access_token": "machine"');
    expect(kept).not.toContain('s3cret');
    expect(out + err).not.toMatch(/machine|s3cret/);
  });

  test('the token file is below XDG_CONFIG_HOME', async () => {
    terminal.environment['XDG_CONFIG_HOME'] = join(terminal.home, 'elsewhere');
    await terminal.run('status', 'Ping');
    expect(await readFile(join(terminal.home, 'elsewhere', 'postrider', 'tokens.json'), 'utf8')).toContain('machine');
  });

  test('an incomplete or refused client fails with exit code 3', async () => {
    delete terminal.environment['POSTRIDER_CLIENT_SECRET'];
    expect(await terminal.run('status', 'Ping')).toMatchObject({ code: 3, err: expect.stringContaining('missing') });
    terminal.environment['POSTRIDER_CLIENT_SECRET'] = 'wrong';
    terminal.auth.grants.refuse = true;
    const { code, err } = await terminal.run('status', 'Ping');
    expect([code, err]).toEqual([3, 'the sign-in was refused: invalid_grant: Refresh token [2J has expired\n']);
  });

  test('a damaged token file is ignored', async () => {
    await terminal.run('status', 'Ping');
    await writeFile(join(terminal.home, '.config', 'postrider', 'tokens.json'), '{"x');
    expect(await terminal.run('status', 'Ping')).toMatchObject({ code: 0 });
  });
});

describe('the deployment', () => {
  const outputs = { adminApiUrl: 'https://api.example.test/', authUrl: 'https://auth.example.test', cliClientId: 'cli' };

  test.each([
    ['cdk deploy’s outputs file', { Postrider: outputs }],
    ['an object with outputs', { outputs, users: [] }],
  ])('is read from %s', async (_, content) => {
    delete terminal.environment['POSTRIDER_ADMIN_API_URL'];
    const file = join(terminal.home, 'outputs.json');
    await writeFile(file, JSON.stringify(content));
    expect(await terminal.run('status', 'Ping', '--outputs', file)).toMatchObject({ code: 0 });
    terminal.environment['POSTRIDER_OUTPUTS'] = file;
    expect(await terminal.run('status', 'Ping')).toMatchObject({ code: 0 });
    expect(terminal.calls).toHaveLength(2);
  });

  test.each([
    ['http://api.example.test', 'https://'],
    ['not a url', 'URL'],
    ['https://user:secret@api.example.test', 'URL'],
  ])('at %s is refused, because a token must not be sent without TLS', async (url, words) => {
    terminal.environment['POSTRIDER_ADMIN_API_URL'] = url;
    expect(await terminal.run('status', 'Ping')).toMatchObject({ code: 2, err: expect.stringContaining(words) });
    expect(terminal.auth.asked).toEqual([]);
  });

  test('that is unknown fails with a message about how to log in', async () => {
    delete terminal.environment['POSTRIDER_ADMIN_API_URL'];
    expect(await terminal.run('status', 'Ping')).toMatchObject({ code: 2, err: expect.stringContaining('login --outputs FILE') });
  });
});
