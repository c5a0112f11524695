import { spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { CognitoIdentityProviderClient, CreateUserPoolClientCommand, paginateListUserPoolClients } from '@aws-sdk/client-cognito-identity-provider';
import { DeleteItemCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import * as fc from 'fast-check';
import { registrationPath } from '../../contract/jmap/discovery.ts';
import { registrationLimits } from '../../contract/registration.ts';
import { awsClientConfig } from '../../sandbox/aws-target.ts';
import { deployed, describeWith } from './deployment.ts';

type Registered = { readonly client_id?: string; readonly scope?: string; readonly redirect_uris?: readonly string[]; readonly error?: string; readonly error_description?: string };
type Answer = { readonly status: number; readonly headers: Headers; readonly body: Registered };

/** One registration. The gateway's own 429 carries no error of RFC 7591: then this waits for its next token, as a client would. */
const post = async (body: string, contentType = 'application/json'): Promise<Answer> => {
  for (let tries = 0; ; tries++) {
    const answer = await fetch(`${deployed.jmapUrl}${registrationPath}`, { method: 'POST', body, headers: { 'content-type': contentType } });
    const text = await answer.text();
    if (answer.status !== 429 || text.includes('"error"') || tries > 200) return { status: answer.status, headers: answer.headers, body: JSON.parse(text) as Registered };
    await delay(200 + Math.random() * 200);
  }
};

const register = (name: string, ...redirectUris: string[]): Promise<Answer> => post(JSON.stringify({ client_name: name, redirect_uris: redirectUris }));

/** Names that stay the same from run to run against a deployment that lasts, so that its clients and its cap do. */
const named = (what: string) => `Integration test: ${what}`;

/** Asked before the tests are listed, so that those which can't be shown are skipped by name. */
const isOffered = spawnSync(process.execPath, ['--input-type=module', '--eval',
  'const answer = await fetch(process.argv[1]); process.exitCode = "registration_endpoint" in await answer.json() ? 0 : 3;',
  `${deployed.jmapUrl}/.well-known/openid-configuration`]).status !== 3;

const skipping = (need: string) => (title: string, body: () => void): void => describe.skip(`${title} [skipped: needs ${need}]`, body);
const describeOffered = isOffered ? describe : skipping('dynamic client registration');
/** Everything but a short way through is shown once: the run that enforces IAM is for grants. */
const describeOnce = isOffered && deployed.caCertificate !== undefined ? skipping('the emulator not enforcing IAM, where it is shown') : describeOffered;

const cognito = new CognitoIdentityProviderClient(awsClientConfig(deployed));
const UserPoolId = deployed.outputs['userPoolId'];
afterAll(() => cognito.destroy());

const dynamicClients = async () => {
  const found: { id: string; name: string }[] = [];
  for await (const page of paginateListUserPoolClients({ client: cognito }, { UserPoolId })) {
    found.push(...(page.UserPoolClients ?? []).map(({ ClientId = '', ClientName = '' }) => ({ id: ClientId, name: ClientName })));
  }
  return found.filter(({ name }) => name.startsWith('dynamic-'));
};

/** As if the last day had seen no new client. */
const emptyTheCap = async () => {
  const table = new DynamoDBClient(awsClientConfig(deployed));
  await table.send(new DeleteItemCommand({ TableName: deployed.outputs['directoryTableName'], Key: { pk: { S: 'client-registration-cap' }, sk: { S: 'slots' } } }));
  table.destroy();
};

describeOffered('registration', () => {
  test('gives a client an id and openid email profile, and the same id to whoever asks for the same again', async () => {
    const first = await register(named('once'), 'http://127.0.0.1:51234/callback', 'com.example.integration:/callback');
    expect(first).toMatchObject({ status: 201, body: { scope: 'openid email profile', client_id: expect.stringMatching(/^\w+$/) as string } });
    expect(first.headers.get('cache-control')).toBe('no-store');
    expect((await register(named('once'), 'com.example.integration:/callback', 'http://127.0.0.1:51234/callback')).body.client_id).toBe(first.body.client_id);
    expect((await register(named('once, again'), 'com.example.integration:/callback', 'http://127.0.0.1:51234/callback')).body.client_id).not.toBe(first.body.client_id);
  });

  test('can be asked for by any web page, which reads refusals too', async () => {
    const answer = await fetch(`${deployed.jmapUrl}${registrationPath}`, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json', origin: 'https://mail.anywhere.example' } });
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect((answer.headers.get('access-control-expose-headers') ?? '').toLowerCase()).toContain('retry-after');
  });
});

describeOnce('the forms of redirect URIs that the specification lists', () => {
  test.each([
    ['private-use schemes and loopback hosts with any port', ['com.example.app:/oauth', 'myapp://callback', 'http://127.0.0.1/', 'http://127.0.0.1:1/', 'http://127.0.0.1:65535/cb', 'http://[::1]/', 'http://[::1]:8080/cb', 'http://localhost/', 'http://localhost:3000/cb', 'https://localhost:8443/']],
  ])('%s are accepted', async (what, uris) => {
    const answer = await register(named(what), ...uris);
    expect(answer).toMatchObject({ status: 201, body: { redirect_uris: uris } });
  });

  test.each([
    'http://example.com/callback', 'https://example.com/callback', 'javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd',
    'http://127.0.0.1.evil.example/', 'http://127.0.0.1@evil.example/', 'http://127.0.0.1:80@evil.example/', 'https://localhost.evil.example/', 'https://evil.example/127.0.0.1',
  ])('%s is rejected', async (uri) => {
    expect(await register(named('rejected'), 'myapp://callback', uri)).toMatchObject({ status: 400, body: { error: 'invalid_redirect_uri', error_description: expect.any(String) as string } });
  });
});

describeOnce('two hundred more forms', () => {
  const seed = 7591;
  const label = fc.string({ unit: fc.constantFrom(...'abcdefghijklmnop0123456789'.split('')), minLength: 1, maxLength: 10 }).map((text) => `a${text}`);
  const port = fc.option(fc.integer({ min: 1, max: 65_535 })).map((number) => (number === null ? '' : `:${number}`));
  const path = fc.array(label, { maxLength: 3 }).map((labels) => labels.map((each) => `/${each}`).join(''));
  const loopback = fc.constantFrom('127.0.0.1', '[::1]', 'localhost');
  const urls = (host: fc.Arbitrary<string>) => fc.tuple(fc.constantFrom('http', 'https'), host, port, path).map(([scheme, name, at, rest]) => `${scheme}://${name}${at}${rest}`);
  const accepted = fc.oneof(urls(loopback), fc.tuple(label, label, label, path).map(([top, middle, app, rest]) => `${top}.${middle}.${app}:/cb${rest}`), fc.tuple(label, path).map(([scheme, rest]) => `x-${scheme}://cb${rest}`));
  const elsewhere = fc.oneof(
    fc.tuple(label, label).map(([name, top]) => `${name}.${top}`),
    fc.tuple(loopback, label).map(([host, name]) => `${host.replace(/[[\]]/g, '')}.${name}.example`),
    fc.tuple(loopback, label).map(([host, name]) => `${host}@${name}.example`),
    fc.tuple(label, loopback).map(([name, host]) => `${name}:${name}@${host}`),
    fc.tuple(label, fc.constantFrom('127.0.0.1', 'localhost')).map(([name, host]) => `${name}.${host}`),
    fc.ipV4().filter((address) => address !== '127.0.0.1'),
    fc.constantFrom('2130706433', '0x7f000001', '0177.0.0.1', '127.1', '127.0.1', 'localhost.', '127.0.0.1.', '%6cocalhost', 'löcalhost', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::1%25lo]', '[::]', '①27.0.0.1'),
  );
  const rejected = fc.oneof(
    { weight: 3, arbitrary: urls(elsewhere) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom('javascript', 'data', 'file', 'vbscript', 'blob', 'about', 'ftp', 'ws', 'mailto', 'JavaScript', 'java\tscript'), label).map(([scheme, rest]) => `${scheme}:${rest}`) },
    { weight: 1, arbitrary: fc.tuple(urls(loopback), fc.constantFrom('#', '#x', ' ', '\n', '\\', '/%zz', '/ü')).map(([url, end]) => url + end) },
  );
  const hundred = (forms: fc.Arbitrary<string>): string[] => {
    const distinct = new Set<string>();
    for (let round = 0; distinct.size < 100; round++) for (const form of fc.sample(forms, { numRuns: 100, seed: seed + round })) if (distinct.size < 100) distinct.add(form);
    return [...distinct];
  };

  test('a hundred that lead to the client’s own machine or program are accepted', async () => {
    if (deployed.awsEndpointUrl) await emptyTheCap();
    const uris = hundred(accepted);
    for (let at = 0; at < uris.length; at += registrationLimits.redirectUris) {
      const some = uris.slice(at, at + registrationLimits.redirectUris);
      expect({ some, ...(await register(named(`generated from ${at}`), ...some)) }).toMatchObject({ some, status: 201, body: { redirect_uris: some } });
    }
  }, 60_000);

  test('a hundred that lead elsewhere, or seem to, are rejected', async () => {
    const answers = await Promise.all(hundred(rejected).map(async (uri) => ({ uri, answer: await register(named('rejected'), uri) })));
    expect(answers.filter(({ answer }) => answer.status !== 400 || answer.body.error !== 'invalid_redirect_uri').map(({ uri, answer }) => [uri, answer.status, answer.body])).toEqual([]);
  }, 120_000);
});

describeOnce('a body that is none', () => {
  test.each([
    ['tampered JSON', '{"client_name":"mail","redirect_uris":["http://127.0.0.1/"'], ['no object', '[]'], ['nothing', ''], ['a name of 129 characters', JSON.stringify({ client_name: 'a'.repeat(129), redirect_uris: ['myapp://x'] })],
    ['a thousand redirect URIs', JSON.stringify({ client_name: 'mail', redirect_uris: Array.from({ length: 1000 }, (_, n) => `myapp://${n}`) })],
    ['a megabyte', JSON.stringify({ client_name: 'a'.repeat(1_000_000), redirect_uris: ['myapp://x'] })],
  ])('%s is invalid_client_metadata', async (_, body) => {
    expect(await post(body)).toMatchObject({ status: 400, body: { error: 'invalid_client_metadata', error_description: expect.any(String) as string } });
  });

  test('of another content type is invalid_client_metadata', async () => {
    expect(await post('client_name=mail&redirect_uris=myapp://x', 'application/x-www-form-urlencoded')).toMatchObject({ status: 400, body: { error: 'invalid_client_metadata' } });
  });
});

(isOffered && deployed.caCertificate === undefined ? describeWith('emulator') : describeOnce)('many at once', () => {
  beforeEach(emptyTheCap);
  afterAll(emptyTheCap);

  test('fifty equal registrations are one client', async () => {
    const name = randomUUID();
    const before = await dynamicClients();
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => register(name, ...(n % 2 ? ['myapp://a', 'myapp://b'] : ['myapp://b', 'myapp://a']))));
    expect([...new Set(answers.map(({ status, body }) => `${status} ${body.client_id}`))]).toEqual([`201 ${answers[0]!.body.client_id}`]);
    const made = (await dynamicClients()).filter(({ id }) => !before.some((known) => known.id === id));
    expect(made).toEqual([{ id: answers[0]!.body.client_id, name: expect.stringMatching(/^dynamic-[0-9a-f]{64}$/) as string }]);
  }, 60_000);

  test('the twenty-first new one in a day is told to come back later, and those that are known still pass', async () => {
    const name = randomUUID();
    const answers = await Promise.all(Array.from({ length: registrationLimits.newInWindow }, (_, n) => register(`${name} ${n}`, 'myapp://callback')));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    const refused = await register(`${name} one too many`, 'myapp://callback');
    expect(refused).toMatchObject({ status: 429, body: { error: 'invalid_client_metadata' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(23 * 60 * 60);
    expect((await register(`${name} 7`, 'myapp://callback')).body.client_id).toBe(answers[7]!.body.client_id);
    await emptyTheCap();
    expect((await register(`${name} one too many`, 'myapp://callback')).status).toBe(201);
  }, 60_000);
});

(isOffered ? describeWith('emulator') : describeOffered)('the daily sweep', () => {
  test('removes an app client that no registration names, and keeps the others', async () => {
    const { body } = await register(named('kept by the sweep'), 'myapp://callback');
    const { UserPoolClient: stray } = await cognito.send(new CreateUserPoolClientCommand({ UserPoolId, ClientName: `dynamic-${createHash('sha256').update(randomUUID()).digest('hex')}` }));
    const lambda = new LambdaClient(awsClientConfig(deployed));
    const { FunctionError } = await lambda.send(new InvokeCommand({ FunctionName: `${deployed.stackName}-registration-sweep` }));
    lambda.destroy();
    expect(FunctionError).toBeUndefined();
    const left = (await dynamicClients()).map(({ id }) => id);
    expect(left).toContain(body.client_id);
    expect(left).not.toContain(stray?.ClientId);
  });
});
