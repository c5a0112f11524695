import { spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  CognitoIdentityProviderClient,
  CreateUserPoolClientCommand,
  paginateListUserPoolClients,
  UpdateUserPoolClientCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import { DynamoDBClient, QueryCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import * as fc from 'fast-check';
import { registrationPath } from '../../contract/jmap/discovery.ts';
import { registeredClientScopes } from '../../contract/oauth/oauth.ts';
import { registrationLimits } from '../../contract/oauth/registration.ts';
import { signIn } from '../../sandbox/clients/hosted-sign-in.ts';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { acceptedRedirectUri } from '../support/redirect-uris.ts';
import { adminMachineToken } from './access-tokens.ts';
import { ok } from './admin-calls.ts';
import { deployed, describeWith, sandboxUser } from './deployment.ts';
import { httpRequest } from './http-requests.ts';
import { invokeLambda } from './invoke-lambda.ts';
import { resetDailyCap } from './registration-cap.ts';

type Registered = {
  readonly client_id?: string;
  readonly scope?: string;
  readonly redirect_uris?: readonly string[];
  readonly error?: string;
  readonly error_description?: string;
};
type Answer = { readonly status: number; readonly headers: Headers; readonly body: Registered };

beforeEach(resetDailyCap);
// The tests of other files register too.
afterAll(resetDailyCap);

/** Sends one registration. Repeats the request while API Gateway throttles: its own 429 has no `error` of RFC 7591. */
const register = async (name: string, ...redirectUris: string[]): Promise<Answer> => {
  const body = JSON.stringify({ client_name: name, redirect_uris: redirectUris });
  for (let tries = 0; ; tries++) {
    const answer = await fetch(`${deployed.jmapUrl}${registrationPath}`, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
    const text = await answer.text();
    if (answer.status !== 429 || text.includes('"error"') || tries > 200) {
      return { status: answer.status, headers: answer.headers, body: JSON.parse(text) as Registered };
    }
    await delay(200 + Math.random() * 200);
  }
};

/** A client name that is the same in every run, so that a permanent deployment registers its clients only once. */
const clientName = (what: string) => `Integration test: ${what}`;

/**
 * Whether registration is enabled. It is read while jest collects the tests, so that jest can skip tests with a reason.
 */
const isRegistrationOn =
  spawnSync(process.execPath, [
    '--input-type=module',
    '--eval',
    'const answer = await fetch(process.argv[1]); process.exitCode = "registration_endpoint" in await answer.json() ? 0 : 3;',
    `${deployed.jmapUrl}/.well-known/openid-configuration`,
  ]).status !== 3;

/** `describe` for tests that need registration and these requirements. */
const describeWithRegistration = (...required: Parameters<typeof describeWith>) =>
  isRegistrationOn
    ? describeWith(...required)
    : (title: string, body: () => void): void => describe.skip(`${title} [skipped: needs dynamic client registration]`, body);

const cognito = new CognitoIdentityProviderClient(awsClientConfig(deployed));
const UserPoolId = deployed.outputs['userPoolId'];
afterAll(() => cognito.destroy());

const listDynamicClients = async () => {
  const clients: { id: string; name: string }[] = [];
  for await (const page of paginateListUserPoolClients({ client: cognito }, { UserPoolId })) {
    clients.push(...(page.UserPoolClients ?? []).map(({ ClientId = '', ClientName = '' }) => ({ id: ClientId, name: ClientName })));
  }
  return clients.filter(({ name }) => name.startsWith('dynamic-'));
};

describeWithRegistration()('client registration', () => {
  test('returns a client id and the scope openid email profile, and the same id for an equal registration', async () => {
    const first = await register(clientName('once'), 'http://127.0.0.1:51234/callback', 'com.example.integration:/callback');
    expect(first).toMatchObject({ status: 201, body: { scope: 'openid email profile', client_id: expect.stringMatching(/^\w+$/) as string } });
    expect(first.headers.get('cache-control')).toBe('no-store');
    expect((await register(clientName('once'), 'com.example.integration:/callback', 'http://127.0.0.1:51234/callback')).body.client_id).toBe(
      first.body.client_id,
    );
    const other = await register(clientName('once, again'), 'com.example.integration:/callback', 'http://127.0.0.1:51234/callback');
    expect(other.body.client_id).not.toBe(first.body.client_id);
  });

  test('is allowed from any origin, with readable errors', async () => {
    const answer = await httpRequest(`${deployed.jmapUrl}${registrationPath}`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json', origin: 'https://mail.anywhere.example' },
    });
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect((answer.headers.get('access-control-expose-headers') ?? '').toLowerCase()).toContain('retry-after');
  });
});

// The unit tests show the refusals of registration: test/lambdas/registration/registration-handler.test.ts.
describeWithRegistration()('redirect URIs of a registration', () => {
  test('accepts private-use schemes and loopback hosts with any port', async () => {
    const uris = [
      'com.example.app:/oauth',
      'myapp://callback',
      'http://127.0.0.1/',
      'http://127.0.0.1:1/',
      'http://127.0.0.1:65535/cb',
      'http://[::1]/',
      'http://[::1]:8080/cb',
      'http://localhost/',
      'http://localhost:3000/cb',
      'https://localhost:8443/',
    ];
    const answer = await register(clientName('private-use schemes and loopback hosts with any port'), ...uris);
    expect(answer).toMatchObject({ status: 201, body: { redirect_uris: uris } });
  });
});

describeWithRegistration()('generated redirect URIs of registrations', () => {
  // The seed is the same in every run, so that a permanent deployment gets its clients only once.
  const someOf = (forms: fc.Arbitrary<string>, numRuns: number): string[] => [...new Set(fc.sample(forms, { numRuns, seed: 7591 }))];

  test('are accepted on loopback hosts and for private-use schemes', async () => {
    const uris = someOf(acceptedRedirectUri, 100);
    for (let start = 0; start < uris.length; start += registrationLimits.redirectUris) {
      await resetDailyCap();
      const slice = uris.slice(start, start + registrationLimits.redirectUris);
      expect({ slice, ...(await register(clientName(`generated from ${start}`), ...slice)) }).toMatchObject({
        slice,
        status: 201,
        body: { redirect_uris: slice },
      });
    }
  });
});

describeWithRegistration('emulator')('the daily cap and concurrent registrations', () => {
  // API Gateway lets five through at once.
  test('eight equal registrations at once create one client', async () => {
    const name = randomUUID();
    const before = await listDynamicClients();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => register(name, ...(n % 2 ? ['myapp://a', 'myapp://b'] : ['myapp://b', 'myapp://a']))),
    );
    expect([...new Set(answers.map(({ status, body }) => `${status} ${body.client_id}`))]).toEqual([`201 ${answers[0]!.body.client_id}`]);
    const created = (await listDynamicClients()).filter(({ id }) => !before.some((known) => known.id === id));
    expect(created).toEqual([{ id: answers[0]!.body.client_id, name: expect.stringMatching(/^dynamic-[0-9a-f]{64}$/) as string }]);
  });

  test('refuses the sixth new client of a network with 429 and Retry-After, and still accepts known clients', async () => {
    const name = randomUUID();
    const answers = await Promise.all(Array.from({ length: registrationLimits.newOfNetwork }, (_, n) => register(`${name} ${n}`, 'myapp://callback')));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    const refused = await register(`${name} one too many`, 'myapp://callback');
    expect(refused).toMatchObject({ status: 429, body: { error: 'invalid_client_metadata' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(23 * 60 * 60);
    expect((await register(`${name} 3`, 'myapp://callback')).body.client_id).toBe(answers[3]!.body.client_id);
    await resetDailyCap();
    expect((await register(`${name} one too many`, 'myapp://callback')).status).toBe(201);
  });
});

describeWithRegistration('emulator', 'users')('the daily sweep of app clients', () => {
  const sweep = () => invokeLambda('registration-sweep');
  /** Changes the time in a client's record, so that the client has been unused for too long. */
  const registeredLongAgo = async (clientId: string): Promise<void> => {
    const table = new DynamoDBClient(awsClientConfig(deployed));
    await table.send(
      new UpdateItemCommand({
        TableName: deployed.outputs['directoryTableName'],
        Key: { pk: { S: 'registered-client' }, sk: { S: clientId } },
        UpdateExpression: 'SET registered_at = :then',
        ExpressionAttributeValues: { ':then': { S: new Date(Date.now() - (registrationLimits.neverUsedDays + 1) * 24 * 3_600_000).toISOString() } },
      }),
    );
    table.destroy();
  };

  test('deletes a client without a sign-in, audited, and keeps one that was used', async () => {
    const redirectUri = 'http://127.0.0.1:51234/callback';
    const [used, unused] = [await register(clientName('used'), redirectUri), await register(clientName('never used'), redirectUri)];
    await signIn({ authUrl: deployed.authUrl, clientId: used.body.client_id!, redirectUri, ...sandboxUser('alice') });
    await Promise.all([used, unused].map(({ body }) => registeredLongAgo(body.client_id!)));
    await sweep();
    const remaining = (await listDynamicClients()).map(({ id }) => id);
    expect(remaining).toContain(used.body.client_id);
    expect(remaining).not.toContain(unused.body.client_id);
    const { audit_logs: entries } = await ok<{ audit_logs: readonly { entity_id: string }[] }>(await adminMachineToken(), 'audit/ListAuditLogs', {
      operation: 'registration/RemoveUnusedClient',
      actor: { actor_type: 'SYSTEM' },
    });
    expect(entries).toContainEqual(
      expect.objectContaining({ entity_id: unused.body.client_id, status: 'success', metadata: expect.objectContaining({ reason: 'never used' }) as object }),
    );
    expect((await register(clientName('never used'), redirectUri)).body.client_id).not.toBe(unused.body.client_id);
  });

  /** Gives the app client the settings of an earlier release, whose registration has no version of settings. */
  const madeByEarlierRelease = async (clientId: string, redirectUri: string): Promise<void> => {
    await cognito.send(
      new UpdateUserPoolClientCommand({
        UserPoolId,
        ClientId: clientId,
        CallbackURLs: [redirectUri],
        ExplicitAuthFlows: ['ALLOW_CUSTOM_AUTH'],
        AllowedOAuthFlowsUserPoolClient: true,
        AllowedOAuthFlows: ['code'],
        AllowedOAuthScopes: [...registeredClientScopes],
        SupportedIdentityProviders: ['COGNITO'],
      }),
    );
    const table = new DynamoDBClient(awsClientConfig(deployed));
    const TableName = deployed.outputs['directoryTableName'];
    const { Items: [registration] = [] } = await table.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: 'pk = :registrations',
        FilterExpression: 'client_id = :id',
        ExpressionAttributeValues: { ':registrations': { S: 'client-registration' }, ':id': { S: clientId } },
      }),
    );
    await table.send(
      new UpdateItemCommand({ TableName, Key: { pk: registration!['pk']!, sk: registration!['sk']! }, UpdateExpression: 'REMOVE settings_version' }),
    );
    table.destroy();
  };

  test.each([
    ['the daily sweep', sweep],
    ['another registration', (name: string, redirectUri: string) => register(name, redirectUri)],
  ])('a client of an earlier release can sign people in after %s', async (_, bringUpToDate) => {
    const redirectUri = 'http://127.0.0.1:51234/callback';
    const name = clientName('of an earlier release');
    const { client_id: clientId = '' } = (await register(name, redirectUri)).body;
    const signedIn = () => signIn({ authUrl: deployed.authUrl, clientId, redirectUri, ...sandboxUser('alice') });
    await madeByEarlierRelease(clientId, redirectUri);
    await expect(signedIn()).rejects.toThrow('Invalid parameter in request');
    await bringUpToDate(name, redirectUri);
    expect(await signedIn()).toHaveProperty('refresh_token');
  });

  test('deletes an app client without a registration, and keeps the others', async () => {
    const { body } = await register(clientName('kept by the sweep'), 'myapp://callback');
    const { UserPoolClient: stray } = await cognito.send(
      new CreateUserPoolClientCommand({ UserPoolId, ClientName: `dynamic-${createHash('sha256').update(randomUUID()).digest('hex')}` }),
    );
    await sweep();
    const remaining = (await listDynamicClients()).map(({ id }) => id);
    expect(remaining).toContain(body.client_id);
    expect(remaining).not.toContain(stray?.ClientId);
  });
});
