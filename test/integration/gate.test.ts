import { CognitoIdentityProviderClient, CreateUserPoolClientCommand, DeleteUserPoolClientCommand } from '@aws-sdk/client-cognito-identity-provider';
import { generateKeyPairSync, sign } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { services } from '../../contract/admin/index.ts';
import { awsClientConfig } from '../../sandbox/aws-target.ts';
import { requestTokens } from '../../sandbox/hosted-sign-in.ts';
import { call, expectError, rawCall } from './admin-calls.ts';
import { deployed, describeWith } from './deployment.ts';
import { httpRequest, bearer, type HttpResponse } from './http-requests.ts';
import { getSession } from './jmap-client.ts';
import { adminMachineToken, machineToken, accessTokenOf, tokensOf } from './access-tokens.ts';

/** Nothing that could be read: whoever looks into it before the token has to say 400. */
const unreadable = `{${'x'.repeat(1_000_000)}`;

const methods = Object.values(services).flatMap((service) => Object.keys(service.methods).map((name) => `${service.name}/${name}`));
const firstMethods = Object.values(services).map((service) => `${service.name}/${Object.keys(service.methods)[0]}`);

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const partsOf = (token: string): [Record<string, unknown>, Record<string, unknown>] =>
  token.split('.').slice(0, 2).map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>) as never;

/** The good token's header and claims, signed with a key of ours. */
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

/** Tokens that nobody may be let in with, whatever they ask for. */
const worthless: Record<string, () => Promise<string | undefined>> = {
  'no token': async () => undefined,
  'garbage': async () => 'garbage',
  'three parts of garbage': async () => 'a.b.c',
  'a good token signed by somebody else': async () => forged(await adminMachineToken()),
  'a good token without a signature': async () => unsigned(await adminMachineToken()),
  'a good token whose claims were changed': async () => raisedExpiry(await adminMachineToken()),
};

const jmapCalls: Record<string, (token: string | undefined, body: string) => Promise<HttpResponse>> = {
  'GET /.well-known/jmap': (token) => getSession(token),
  'POST /jmap': (token, body) => httpRequest(`${deployed.jmapUrl}/jmap`, { method: 'POST', body, headers: { 'content-type': 'application/json', ...bearer(token) } }),
  'POST /upload': (token, body) => httpRequest(`${deployed.jmapUrl}/upload/acc_x`, { method: 'POST', body, headers: { 'content-type': 'text/plain', ...bearer(token) } }),
  'GET /download': (token) => httpRequest(`${deployed.jmapUrl}/download?accountId=acc_x&blobId=Bx&type=text/plain&name=x`, { headers: bearer(token) }),
};

const expectChallenge = (answer: HttpResponse): void => {
  expect(answer.status).toBe(401);
  expect(answer.headers.get('www-authenticate')).toContain(`resource_metadata="${deployed.jmapUrl}/.well-known/oauth-protected-resource"`);
};

describe('the admin gate', () => {
  test.each(methods)('%s asks for a token before it looks at the body', async (method) => {
    expectError(await rawCall(undefined, method, '{ broken'), 401, 'unauthenticated');
  });

  describe.each(Object.keys(worthless))('%s', (kind) => {
    test.each(firstMethods)('%s answers 401 without a look at a megabyte of nothing', async (method) => {
      expectError(await rawCall(await worthless[kind]!(), method, unreadable), 401, 'unauthenticated');
    });
  });

  describe('a machine of the other API', () => {
    test.each(firstMethods)('%s answers 403 without a look at the body', async (method) => {
      expectError(await rawCall(await machineToken('jmapHeadless', 'jmapApi/MAIL_READ'), method, unreadable), 403, 'permission_denied');
    });
  });

  test('an unknown method says nothing to strangers', async () => {
    expectError(await call(undefined, 'domains/NoSuchMethod'), 401, 'unauthenticated');
    expectError(await call(undefined, 'nowhere/AddDomain'), 401, 'unauthenticated');
  });

  test('lets an admin’s machine through', async () => {
    expect((await call(await adminMachineToken(), 'status/Ping')).status).toBe(200);
  });
});

describeWith('people')('the admin gate and people', () => {
  test.each(methods)('%s answers 403 to somebody who is no admin, without a look at the body', async (method) => {
    expectError(await rawCall(await accessTokenOf('alice'), method, '{ broken'), 403, 'permission_denied');
  });

  test.each(firstMethods)('%s answers 403 to somebody who is no admin, without a look at a megabyte of nothing', async (method) => {
    expectError(await rawCall(await accessTokenOf('alice'), method, unreadable), 403, 'permission_denied');
  });

  test('an id token is no access token', async () => {
    const { id_token: idToken } = await tokensOf('admin');
    expect(idToken).toEqual(expect.any(String));
    expectError(await call(idToken, 'status/Ping'), 401, 'unauthenticated');
    expectChallenge(await getSession(idToken));
  });

  test('lets the first admin through', async () => {
    expect((await call(await accessTokenOf('admin'), 'status/Ping')).status).toBe(200);
  });
});

describe('the JMAP gate', () => {
  describe.each(Object.keys(worthless))('%s', (kind) => {
    test.each(Object.keys(jmapCalls))('%s answers 401 and says where tokens come from', async (name) => {
      expectChallenge(await jmapCalls[name]!(await worthless[kind]!(), unreadable));
    });
  });

  test.each(Object.keys(jmapCalls))('%s answers 403 to a machine of the other API, without a look at the body', async (name) => {
    const answer = await jmapCalls[name]!(await adminMachineToken(), unreadable);
    expect(answer.status).toBe(403);
    expect(answer.json).toMatchObject({ status: 403 });
  });

  test.each(['jmapApi/MAIL_WRITE', 'jmapApi/MAIL_SEND'])('a token with %s alone may not read', async (scope) => {
    expect((await getSession(await machineToken('jmapHeadless', scope))).status).toBe(403);
  });

  test('lets a machine with MAIL_READ see a session of its own', async () => {
    const answer = await getSession(await machineToken('jmapHeadless', 'jmapApi/MAIL_READ'));
    expect(answer).toMatchObject({ status: 200, json: { username: deployed.clients.jmapHeadless.clientId } });
  });
});

/** Cognito lets no token live for less than five minutes; the emulator takes any number of seconds. */
describeWith('emulator')('a token that was good a second ago', () => {
  const cognito = new CognitoIdentityProviderClient(awsClientConfig(deployed));
  const UserPoolId = deployed.outputs['userPoolId'];
  let clientId: string | undefined;
  let expired: string;

  beforeAll(async () => {
    const { UserPoolClient: client } = await cognito.send(new CreateUserPoolClientCommand({
      UserPoolId, ClientName: 'short-lived', GenerateSecret: true, AllowedOAuthFlowsUserPoolClient: true, AllowedOAuthFlows: ['client_credentials'],
      AllowedOAuthScopes: ['adminApi/ADMIN', 'jmapApi/MAIL_READ'], AccessTokenValidity: 3, TokenValidityUnits: { AccessToken: 'seconds' },
    }));
    clientId = client?.ClientId;
    const form = new URLSearchParams({ grant_type: 'client_credentials', scope: 'adminApi/ADMIN jmapApi/MAIL_READ' });
    const authorization = `Basic ${Buffer.from(`${clientId}:${client?.ClientSecret}`).toString('base64')}`;
    expired = (await requestTokens(deployed.authUrl, form, { authorization })).access_token;
    expect((await call(expired, 'status/Ping')).status).toBe(200);
    expect((await getSession(expired)).status).toBe(200);
    await delay(4000);
  }, 20_000);
  afterAll(async () => {
    if (clientId) await cognito.send(new DeleteUserPoolClientCommand({ UserPoolId, ClientId: clientId }));
    cognito.destroy();
  });

  test.each(firstMethods)('%s answers 401 without a look at the body', async (method) => {
    expectError(await rawCall(expired, method, unreadable), 401, 'unauthenticated');
  });

  test.each(Object.keys(jmapCalls))('%s answers 401', async (name) => {
    expectChallenge(await jmapCalls[name]!(expired, unreadable));
  });
});
