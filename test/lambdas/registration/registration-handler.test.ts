import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import * as fc from 'fast-check';
import { registrationLimits } from '../../../contract/oauth/registration.ts';
import { ProviderRefusal } from '../../../core/aws/provider-errors.ts';
import { systemClock } from '../../../core/runtime/clock.ts';
import type { Table } from '../../../core/storage/table.ts';
import { assertProperty } from '../../support/assert-property.ts';
import { acceptedRedirectUri, rejectedRedirectUri } from '../../support/redirect-uris.ts';
import { client, registrationDeployment, registrationHttpRequest } from './registration-deployment.ts';

const aDay = 24 * 60 * 60 * 1000;

describe('POST /oauth/register', () => {
  test('returns a client id and what is granted', async () => {
    const { register, registrar, time } = registrationDeployment();
    const answer = await register({
      client_name: 'A mail client',
      redirect_uris: ['http://127.0.0.1:51234/callback', 'com.example.mail:/callback'],
      scope: '',
    });
    expect(answer).toEqual({
      status: 201,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store', pragma: 'no-cache' },
      body: {
        client_id: [...registrar.apps.keys()][0],
        client_id_issued_at: time.clock().getTime() / 1000,
        client_name: 'A mail client',
        redirect_uris: ['http://127.0.0.1:51234/callback', 'com.example.mail:/callback'],
        scope: 'openid email profile',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      },
    });
    expect([...registrar.apps.values()]).toEqual([
      { fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) as string, redirectUris: ['http://127.0.0.1:51234/callback', 'com.example.mail:/callback'] },
    ]);
  });

  test('accepts any redirect URIs on loopback hosts and of private-use schemes', async () => {
    const uris = fc.uniqueArray(acceptedRedirectUri, { minLength: 1, maxLength: registrationLimits.redirectUris });
    await assertProperty(
      fc.asyncProperty(uris, async (redirect_uris) => {
        expect(await registrationDeployment().register({ client_name: 'mail', redirect_uris })).toMatchObject({ status: 201, body: { redirect_uris } });
      }),
    );
  });

  test.each([
    ['no scope', {}],
    ['an empty scope', { scope: '' }],
    ['every scope of ours', { scope: 'adminApi/ADMIN jmapApi/MAIL_READ' }],
  ])('grants openid email profile for %s', async (_, scope) => {
    expect((await registrationDeployment().register({ ...client('mail'), ...scope })).body.scope).toBe('openid email profile');
  });

  test('returns the known metadata, with what is granted in place of what was requested', async () => {
    const said = {
      client_uri: 'https://example.com',
      logo_uri: 'https://example.com/logo',
      tos_uri: 'https://example.com/tos',
      policy_uri: 'https://example.com/policy',
      contacts: ['ada@example.com'],
      software_id: 'mail',
      software_version: '1.2',
    };
    const { body } = await registrationDeployment().register({
      ...client('mail'),
      ...said,
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['client_credentials'],
      response_types: ['token'],
      client_id: 'mine',
      client_secret: 'mine',
      jwks_uri: 'https://example.com/jwks',
      favourite_colour: 'blue',
      __proto__: { scope: 'x' },
    });
    expect(body).toMatchObject({ ...said, token_endpoint_auth_method: 'none', grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] });
    expect(Object.keys(body).sort()).toEqual(
      [
        'client_id',
        'client_id_issued_at',
        'client_name',
        'redirect_uris',
        ...Object.keys(said),
        'grant_types',
        'response_types',
        'scope',
        'token_endpoint_auth_method',
      ].sort(),
    );
    expect(body.client_id).not.toBe('mine');
  });

  test('accepts a name of 128 characters in any script, ten redirect URIs, and a content type with a charset', async () => {
    const { send } = registrationDeployment();
    const asked = {
      client_name: '✉'.repeat(64) + '😀'.repeat(64),
      redirect_uris: Array.from({ length: 10 }, (_, n) => `http://localhost:${n + 1}/${'a'.repeat(900)}`),
    };
    expect((await send(registrationHttpRequest(JSON.stringify(asked), { contentType: 'Application/JSON; charset=utf-8' }))).status).toBe(201);
    expect((await send(registrationHttpRequest(Buffer.from(JSON.stringify(asked)).toString('base64'), { isBase64Encoded: true }))).status).toBe(201);
  });
});

describe('POST /oauth/register refuses', () => {
  const good = client('mail');
  const text = (value: unknown) => JSON.stringify(value);
  const unusedTable: Table = new Proxy({} as Table, {
    get: () => () => {
      throw new Error('an invalid request must not reach the table');
    },
  });
  const refusedBy = async (...given: Parameters<typeof registrationHttpRequest>) => {
    const { lambda, registrar } = registrationDeployment();
    const answer = await lambda({ table: unusedTable }).send(registrationHttpRequest(...given));
    expect(registrar.creations.count).toBe(0);
    return answer;
  };

  test.each([
    ['no body', undefined],
    ['an empty body', ''],
    ['no JSON', 'client_name=mail'],
    ['JSON cut short', '{"client_name":"mail"'],
    ['JSON with more behind it', `${text(good)}x`],
    ['a text', '"mail"'],
    ['a number', '1'],
    ['null', 'null'],
    ['a list', text([good])],
    ['nothing in it', '{}'],
    ['no name', text({ redirect_uris: good.redirect_uris })],
    ['an empty name', text({ ...good, client_name: '' })],
    ['a name of 129 characters', text({ ...good, client_name: 'a'.repeat(129) })],
    ['a name that is a number', text({ ...good, client_name: 1 })],
    ['a name that is null', text({ ...good, client_name: null })],
    ['a name with a line end', text({ ...good, client_name: 'mail\n' })],
    ['a name with a NUL', text({ ...good, client_name: 'mail\0' })],
    ['a name with half a character', '{"client_name":"mail\\ud800","redirect_uris":["http://127.0.0.1/"]}'],
    ['no redirect URIs', text({ client_name: 'mail' })],
    ['an empty list of redirect URIs', text({ ...good, redirect_uris: [] })],
    ['eleven redirect URIs', text({ ...good, redirect_uris: Array.from({ length: 11 }, (_, n) => `http://localhost:${n + 1}/`) })],
    ['a thousand redirect URIs', text({ ...good, redirect_uris: Array.from({ length: 1000 }, (_, n) => `http://localhost:${n + 1}/`) })],
    ['a redirect URI twice', text({ ...good, redirect_uris: ['myapp://a', 'myapp://b', 'myapp://a'] })],
    ['a redirect URI that is no list', text({ ...good, redirect_uris: 'http://127.0.0.1/' })],
    ['a redirect URI that is a number', text({ ...good, redirect_uris: [1] })],
    ['a redirect URI that is null', text({ ...good, redirect_uris: [null] })],
    ['a redirect URI that is a list', text({ ...good, redirect_uris: [['http://127.0.0.1/']] })],
    ['a scope that is a list', text({ ...good, scope: ['openid'] })],
    ['a scope that is null', text({ ...good, scope: null })],
    ['contacts that are no list', text({ ...good, contacts: 'ada@example.com' })],
    ['grant types that are no list', text({ ...good, grant_types: 'authorization_code' })],
    ['an address of the client that is none', text({ ...good, client_uri: 1 })],
    ['an endless description', text({ ...good, software_id: 'a'.repeat(2049) })],
    ['a body of 64 KiB and one', text(good).padEnd(registrationLimits.bodySize + 1)],
    ['a megabyte', text({ ...good, client_name: 'a'.repeat(1_000_000) })],
    ['JSON of a hundred thousand brackets', '['.repeat(50_000)],
  ])('%s with invalid_client_metadata', async (_, body) => {
    expect(await refusedBy(body)).toMatchObject({ status: 400, body: { error: 'invalid_client_metadata', error_description: expect.any(String) as string } });
  });

  test.each([
    ['another content type', 'application/x-www-form-urlencoded'],
    ['no content type', ''],
    ['text', 'text/plain'],
    ['JSON of some kind', 'application/ld+json'],
    ['several', 'application/json, text/plain'],
  ])('%s with invalid_client_metadata', async (_, contentType) => {
    expect(await refusedBy(text(good), { contentType })).toMatchObject({ status: 400, body: { error: 'invalid_client_metadata' } });
  });

  test('a body that is not UTF-8 with invalid_client_metadata', async () => {
    const body = Buffer.concat([Buffer.from('{"client_name":"'), Buffer.from([0xff, 0xfe]), Buffer.from('","redirect_uris":["http://127.0.0.1/"]}')]).toString(
      'base64',
    );
    expect(await refusedBy(body, { isBase64Encoded: true })).toMatchObject({ status: 400, body: { error: 'invalid_client_metadata' } });
  });

  test('one invalid redirect URI of several with invalid_redirect_uri and its index', async () => {
    const answer = await refusedBy(text({ ...good, redirect_uris: ['myapp://callback', 'https://example.com/secret', 'http://localhost/'] }));
    expect(answer).toMatchObject({
      status: 400,
      body: { error: 'invalid_redirect_uri', error_description: expect.stringContaining('redirect_uris[1]') as string },
    });
    expect(answer.body.error_description).not.toContain('secret');
  });

  test('any redirect URI on another host, and any ambiguous one, with invalid_redirect_uri', async () => {
    await assertProperty(
      fc.asyncProperty(rejectedRedirectUri, async (uri) => {
        expect(await refusedBy(text({ ...good, redirect_uris: [uri] }))).toMatchObject({ status: 400, body: { error: 'invalid_redirect_uri' } });
      }),
      { numRuns: 500 },
    );
  });

  test('a redirect URI that the identity provider refuses with invalid_redirect_uri, and stores nothing', async () => {
    const { register, registrar, table } = registrationDeployment();
    registrar.duringCreate.before = () => {
      throw new ProviderRefusal('the identity provider refuses a redirect URI');
    };
    expect(await register(client('mail'))).toMatchObject({ status: 400, body: { error: 'invalid_redirect_uri' } });
    expect(await table.query({ pk: 'client-registration' })).toEqual([]);
  });

  test('every request while registration is off, with the remedy', async () => {
    process.env['DYNAMIC_REGISTRATION'] = 'false';
    const { handler } = await import('../../../lambdas/registration/index.ts');
    const { statusCode, headers, body } = await handler(registrationHttpRequest(text(good)), { awsRequestId: 'run-1' });
    expect([statusCode, headers?.['content-type']]).toEqual([404, 'application/json']);
    expect(JSON.parse(body!)).toEqual({ error: 'invalid_client_metadata', error_description: expect.stringContaining('operator') as string });
  });
});

describe('a registered client', () => {
  test('always gets the same client id, for any order of its redirect URIs', async () => {
    const { register, registrar, time } = registrationDeployment();
    const first = await register(client('mail', 'myapp://a', 'myapp://b', 'http://[::1]:1/'));
    time.advance(400 * aDay);
    const again = await register({ ...client('mail', 'http://[::1]:1/', 'myapp://b', 'myapp://a'), scope: 'openid', software_version: '2' });
    expect(again.status).toBe(201);
    expect(again.body).toEqual({ ...first.body, redirect_uris: ['http://[::1]:1/', 'myapp://b', 'myapp://a'], software_version: '2' });
    expect(registrar.apps.size).toBe(1);
  });

  test.each([
    ['another name', client('Mail', 'myapp://a', 'myapp://b')],
    ['a name with a space', client('mail ', 'myapp://a', 'myapp://b')],
    ['one redirect URI less', client('mail', 'myapp://a')],
    ['one redirect URI more', client('mail', 'myapp://a', 'myapp://b', 'myapp://c')],
    ['a slash more', client('mail', 'myapp://a/', 'myapp://b')],
    ['another port', client('mail', 'http://127.0.0.1:2/', 'myapp://b')],
    ['name and URI exchanged', client('b', 'myapp://a', 'myapp://mail')],
  ])('differs from one with %s', async (_, other) => {
    const { register } = registrationDeployment();
    const ids = [await register(client('mail', 'myapp://a', 'myapp://b')), await register(other)].map(({ body }) => body.client_id);
    expect(new Set(ids).size).toBe(2);
  });

  test('gets the settings of a later release when it registers again, and is answered even if that fails', async () => {
    const { register, registrar, lambda, log } = registrationDeployment();
    const { body } = await register(client('mail'));
    const updates: string[] = [];
    let failures = 1;
    const later = {
      ...registrar,
      settingsVersion: 'v2',
      async update(clientId: string) {
        if (failures-- > 0) throw new Error('throttled');
        updates.push(clientId);
      },
    };
    for (let round = 0; round < 3; round++) expect((await lambda({ registrar: later }).register(client('mail'))).body.client_id).toBe(body.client_id);
    expect(updates).toEqual([body.client_id]);
    expect(log.records.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual(['the settings of an app client could not be updated']);
  });

  test('is found by one read of the directory', async () => {
    const { register, lambda, table } = registrationDeployment();
    await register(client('mail'));
    const calls: string[] = [];
    const watched = new Proxy(table, {
      get: (target, name: keyof Table) =>
        name === 'reference'
          ? target.reference
          : (...given: never[]) => {
              calls.push(name);
              return (target[name] as (...args: never[]) => unknown)(...given);
            },
    });
    await lambda({ table: watched }).register(client('mail'));
    expect(calls).toEqual(['batchGet']);
  });

  test('is created once by fifty simultaneous requests', async () => {
    const { lambda, registrar } = registrationDeployment();
    registrar.duringCreate.before = async () => {
      await pause(80);
    };
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => {
        const redirectUris = n % 2 ? ['myapp://a', 'myapp://b'] : ['myapp://b', 'myapp://a'];
        return lambda({ clock: systemClock, pause }).register(client('mail', ...redirectUris));
      }),
    );
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.client_id}`)).size).toBe(1);
    expect(answers[0]!.status).toBe(201);
    expect(registrar.creations.count).toBe(1);
  });
});

describe('the cap on new registrations', () => {
  const full = async () => {
    const made = registrationDeployment();
    for (let count = 0; count < registrationLimits.newInWindow; count++) {
      expect((await made.register(client(`mail ${count}`))).status).toBe(201);
      made.time.advance(60_000);
    }
    return made;
  };

  test('permits twenty a day; the next is refused with Retry-After, and registered clients are returned', async () => {
    const { register, registrar, time } = await full();
    const refused = await register(client('one too many'));
    expect(refused).toMatchObject({ status: 429, body: { error: 'invalid_client_metadata', error_description: expect.stringContaining('later') as string } });
    expect(refused.headers['retry-after']).toBe(String(24 * 60 * 60 - 20 * 60));
    expect((await register(client('mail 7'))).status).toBe(201);
    expect(registrar.apps.size).toBe(20);
    time.advance(Number(refused.headers['retry-after']) * 1000);
    expect((await register(client('one too many'))).status).toBe(201);
    expect((await register(client('the next'))).status).toBe(429);
    time.advance(aDay);
    expect((await register(client('the next'))).status).toBe(201);
  });

  test.each([
    ['an IPv4 address', '192.0.2.1', '192.0.2.1', '192.0.2.2'],
    ['the first 64 bits of an IPv6 address', '2001:db8::1', '2001:0DB8:0:0:9:8:7:6', '2001:db8:0:1::1'],
  ])('refuses the sixth from %s until the first ends, and accepts others', async (_title, address, sameNetwork, otherNetwork) => {
    const { register, log, time } = registrationDeployment();
    for (let count = 0; count < registrationLimits.newOfNetwork; count++) {
      expect((await register(client(`mail ${count}`), count % 2 === 0 ? address : sameNetwork)).status).toBe(201);
      time.advance(60_000);
    }
    const refused = await register(client('the sixth'), sameNetwork);
    expect(refused).toMatchObject({
      status: 429,
      headers: { 'retry-after': String(24 * 60 * 60 - 5 * 60) },
      body: { error: 'invalid_client_metadata', error_description: expect.stringContaining('from your network') as string },
    });
    expect((await register(client('mail 3'), address)).status).toBe(201);
    expect((await register(client('the sixth'), otherNetwork)).status).toBe(201);
    expect((await register(client('another'), otherNetwork)).status).toBe(201);
    time.advance(aDay - 5 * 60_000);
    expect((await register(client('another of the first'), address)).status).toBe(201);
    expect(JSON.stringify(log.records)).not.toMatch(/192\.0\.2|2001:/i);
  });

  test('counts created registrations only, not failed, refused or repeated ones', async () => {
    const { register, registrar } = registrationDeployment();
    registrar.duringCreate.before = () => {
      throw new Error('throttled');
    };
    for (let count = 0; count < 30; count++) expect((await register(client(`failed ${count}`))).status).toBe(500);
    registrar.duringCreate.before = undefined;
    for (let count = 0; count < 30; count++) await register(client('mail', 'https://example.com/'));
    for (let count = 0; count < 30; count++) await register(client('known'));
    for (let count = 0; count < 19; count++) expect((await register(client(`mail ${count}`))).status).toBe(201);
    expect((await register(client('one too many'))).status).toBe(429);
  });

  test('holds for simultaneous registrations', async () => {
    const { lambda, registrar, recorded } = registrationDeployment();
    registrar.duringCreate.before = async () => {
      await pause(5);
    };
    const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => lambda({ clock: systemClock, pause }).register(client(`mail ${n}`))));
    expect(answers.map(({ status }) => status).filter((status) => ![201, 429].includes(status))).toEqual([]);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    expect(registrar.apps.size).toBe(20);
    expect(await recorded()).toHaveLength(20);
  });

  test('does not count an interrupted registration after its lease', async () => {
    const { lambda, register, registrar, time } = registrationDeployment();
    for (let count = 0; count < 19; count++) await register(client(`mail ${count}`));
    registrar.duringCreate.before = () => new Promise(() => undefined);
    void lambda().register(client('never done'));
    await pause(5);
    registrar.duringCreate.before = undefined;
    const refused = await register(client('waiting'));
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '12']);
    time.advance(12_000);
    expect((await register(client('waiting'))).status).toBe(201);
  });
});

describe('the log of registrations', () => {
  test('has outcomes and client ids, and neither names nor redirect URIs', async () => {
    const { register, registrar, log } = registrationDeployment();
    const secret = `secret-${randomUUID()}`;
    await register(client(secret, `http://127.0.0.1/${secret}`));
    await register(client(secret, `http://127.0.0.1/${secret}`));
    await register(client(secret, `https://example.com/${secret}`));
    await register({ client_name: secret, redirect_uris: secret, scope: [secret] });
    registrar.duringCreate.before = () => {
      throw new Error(`no ${secret}`);
    };
    await register(client(secret, `myapp://${secret}`));
    expect(log.records.map(({ message, details }) => [message, details?.outcome])).toEqual([
      ['client registered', 'created'],
      ['client registered', 'existing'],
      ['registration refused', 'invalid_redirect_uri'],
      ['registration refused', 'invalid_client_metadata'],
      ['registration failed', undefined],
    ]);
    expect(JSON.stringify(log.records)).toContain([...registrar.apps.keys()][0]);
    expect(JSON.stringify(log.records)).not.toContain(secret);
  });
});
