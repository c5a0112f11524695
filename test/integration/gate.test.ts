import { generateKeyPairSync, sign } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { CognitoIdentityProviderClient, CreateUserPoolClientCommand, DeleteUserPoolClientCommand } from '@aws-sdk/client-cognito-identity-provider';
import { services } from '../../contract/admin/index.ts';
import { requestTokens } from '../../sandbox/clients/hosted-sign-in.ts';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { accessTokenOf, adminMachineToken, machineToken, tokensOf } from './access-tokens.ts';
import { call, expectError, rawCall } from './admin-calls.ts';
import { deployed, describeWith } from './deployment.ts';
import { type HttpResponse, bearer, challengeOf, eventually, httpRequest } from './http-requests.ts';
import { getSession } from './jmap-client.ts';

/** A megabyte that is not JSON. If the gate read the body before the token, it would respond with 400. */
const invalidBody = `{${'x'.repeat(1_000_000)}`;

const methods = Object.values(services).flatMap((service) => Object.keys(service.methods).map((name) => `${service.name}/${name}`));
const firstMethods = Object.values(services).map((service) => `${service.name}/${Object.keys(service.methods)[0]}`);

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const partsOf = (token: string): [Record<string, unknown>, Record<string, unknown>] =>
  token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>) as never;

/** The token's header and claims, signed with another key. */
const forged = (good: string): string => {
  const [header, claims] = partsOf(good);
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const signed = `${encoded(header)}.${encoded(claims)}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
};
const unsigned = (good: string): string => `${encoded({ alg: 'none', typ: 'JWT' })}.${encoded(partsOf(good)[1])}.`;
const raisedExpiry = (good: string): string => {
  const [header, signature] = [good.split('.')[0], good.split('.')[2]];
  return `${header}.${encoded({ ...partsOf(good)[1], exp: 4_000_000_000 })}.${signature}`;
};

/** Tokens that both APIs refuse. */
const invalidTokens: Record<string, () => Promise<string | undefined>> = {
  'no token': async () => undefined,
  garbage: async () => 'garbage',
  'three parts of garbage': async () => 'a.b.c',
  'a valid token signed with another key': async () => forged(await adminMachineToken()),
  'a valid token without a signature': async () => unsigned(await adminMachineToken()),
  'a valid token with changed claims': async () => raisedExpiry(await adminMachineToken()),
};

const jmapCalls: Record<string, (token: string | undefined, body: string) => Promise<HttpResponse>> = {
  'GET /.well-known/jmap': (token) => getSession(token),
  'POST /jmap': (token, body) =>
    httpRequest(`${deployed.jmapUrl}/jmap`, { method: 'POST', body, headers: { 'content-type': 'application/json', ...bearer(token) } }),
  'POST /upload': (token, body) =>
    httpRequest(`${deployed.jmapUrl}/upload/acc_x`, { method: 'POST', body, headers: { 'content-type': 'text/plain', ...bearer(token) } }),
  'GET /download': (token) => httpRequest(`${deployed.outputs['downloadUrl']}?accountId=acc_x&blobId=Bx&type=text/plain&name=x`, { headers: bearer(token) }),
};

const expectChallenge = (answer: HttpResponse): void => {
  expect(answer.status).toBe(401);
  expect(challengeOf(answer)).toContain(`resource_metadata="${deployed.jmapUrl}/.well-known/oauth-protected-resource/`);
};

describe('the admin gate', () => {
  test.each(methods)('%s without a token responds with 401 before it reads the body', async (method) => {
    expectError(await rawCall(undefined, method, '{ broken'), 401, 'unauthenticated');
  });

  describe.each(Object.keys(invalidTokens))('%s', (kind) => {
    test.each(firstMethods)('%s responds with 401 before it reads the body', async (method) => {
      expectError(await rawCall(await invalidTokens[kind]!(), method, invalidBody), 401, 'unauthenticated');
    });
  });

  describe('a headless client of the JMAP API', () => {
    test.each(firstMethods)('%s responds with 403 before it reads the body', async (method) => {
      expectError(await rawCall(await machineToken('jmapHeadless', 'jmapApi/MAIL_READ'), method, invalidBody), 403, 'permission_denied');
    });
  });

  test('responds with 401 to an unknown method without a token', async () => {
    expectError(await call(undefined, 'domains/NoSuchMethod'), 401, 'unauthenticated');
    expectError(await call(undefined, 'nowhere/AddDomain'), 401, 'unauthenticated');
  });

  test('accepts a headless client with the scope ADMIN', async () => {
    expect((await call(await adminMachineToken(), 'status/Ping')).status).toBe(200);
  });
});

describeWith('users')('the admin gate for users', () => {
  test.each(methods)('%s responds with 403 to a user who is not an admin, before it reads the body', async (method) => {
    expectError(await rawCall(await accessTokenOf('alice'), method, '{ broken'), 403, 'permission_denied');
  });

  test.each(firstMethods)('%s responds with 403 to a user who is not an admin, before it reads a megabyte', async (method) => {
    expectError(await rawCall(await accessTokenOf('alice'), method, invalidBody), 403, 'permission_denied');
  });

  test('refuses an id token', async () => {
    const { id_token: idToken } = await tokensOf('admin');
    expect(idToken).toEqual(expect.any(String));
    expectError(await call(idToken, 'status/Ping'), 401, 'unauthenticated');
    expectChallenge(await getSession(idToken));
  });

  test('accepts the first admin', async () => {
    expect((await call(await accessTokenOf('admin'), 'status/Ping')).status).toBe(200);
  });
});

describe('the JMAP gate', () => {
  describe.each(Object.keys(invalidTokens))('%s', (kind) => {
    test.each(Object.keys(jmapCalls))('%s responds with 401 and the URL of the resource metadata', async (name) => {
      expectChallenge(await jmapCalls[name]!(await invalidTokens[kind]!(), invalidBody));
    });
  });

  test.each(Object.keys(jmapCalls))('%s responds with 403 to an admin API client, before it reads the body', async (name) => {
    const answer = await jmapCalls[name]!(await adminMachineToken(), invalidBody);
    expect(answer.status).toBe(403);
    expect(answer.json).toMatchObject({ status: 403 });
  });

  test.each(['jmapApi/MAIL_WRITE', 'jmapApi/MAIL_SEND'])('refuses the session to a token with %s alone', async (scope) => {
    expect((await getSession(await machineToken('jmapHeadless', scope))).status).toBe(403);
  });

  test('gives a headless client with MAIL_READ its own session', async () => {
    const answer = await getSession(await machineToken('jmapHeadless', 'jmapApi/MAIL_READ'));
    expect(answer).toMatchObject({ status: 200, json: { username: deployed.clients.jmapHeadless.clientId } });
  });
});

/** With the emulator only, because a token of Cognito is valid for at least five minutes. */
describeWith('credentials')('an expired token', () => {
  const cognito = new CognitoIdentityProviderClient(awsClientConfig(deployed));
  const UserPoolId = deployed.outputs['userPoolId'];
  let clientId: string | undefined;
  let expired: string;

  beforeAll(async () => {
    const { UserPoolClient: client } = await cognito.send(
      new CreateUserPoolClientCommand({
        UserPoolId,
        ClientName: 'short-lived',
        GenerateSecret: true,
        AllowedOAuthFlowsUserPoolClient: true,
        AllowedOAuthFlows: ['client_credentials'],
        AllowedOAuthScopes: ['adminApi/ADMIN', 'jmapApi/MAIL_READ'],
        AccessTokenValidity: 3,
        TokenValidityUnits: { AccessToken: 'seconds' },
      }),
    );
    clientId = client?.ClientId;
    const form = new URLSearchParams({ grant_type: 'client_credentials', scope: 'adminApi/ADMIN jmapApi/MAIL_READ' });
    const authorization = `Basic ${Buffer.from(`${clientId}:${client?.ClientSecret}`).toString('base64')}`;
    // On a busy machine a token may expire before both calls.
    await eventually(async () => {
      expired = (await requestTokens(deployed.authUrl, form, { authorization })).access_token;
      expect([(await call(expired, 'status/Ping')).status, (await getSession(expired)).status]).toEqual([200, 200]);
    });
    await delay(4000);
  });
  afterAll(async () => {
    if (clientId) await cognito.send(new DeleteUserPoolClientCommand({ UserPoolId, ClientId: clientId }));
    cognito.destroy();
  });

  test.each(firstMethods)('%s responds with 401 before it reads the body', async (method) => {
    expectError(await rawCall(expired, method, invalidBody), 401, 'unauthenticated');
  });

  test.each(Object.keys(jmapCalls))('%s responds with 401', async (name) => {
    expectChallenge(await jmapCalls[name]!(expired, invalidBody));
  });
});
