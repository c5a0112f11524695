import { createHmac, createPublicKey, generateKeyPairSync, randomUUID, sign, type JsonWebKey } from 'node:crypto';
import {
  CognitoIdentityProviderClient,
  CreateResourceServerCommand,
  CreateUserPoolClientCommand,
  CreateUserPoolCommand,
  DeleteUserPoolCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import { resourceServers, scopes } from '../../contract/oauth/oauth.ts';
import { requestTokens } from '../../sandbox/clients/hosted-sign-in.ts';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { openLambdaLogs, type LogLine } from '../../sandbox/deployment/lambda-logs.ts';
import { accessTokenOf, adminMachineToken, machineToken, tokensOf } from './access-tokens.ts';
import { call, expectError, ok } from './admin-calls.ts';
import { deployed, describeWith } from './deployment.ts';
import { bearer, challengeOf, eventually, httpRequest } from './http-requests.ts';
import { getSession } from './jmap-client.ts';
import { claimsOf, discover, requestRefresh } from './oauth-client.ts';
import { createUserWithAccount } from './user-with-account.ts';

type Header = Record<string, unknown>;

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const headerOf = (token: string): Header => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as Header;
const unsigned = (token: string, header: Header): string => `${encoded({ ...headerOf(token), ...header })}.${encoded(claimsOf(token))}`;

/** The public keys that both APIs trust. */
const publicKeys = async (): Promise<(JsonWebKey & { kid: string })[]> => {
  const { jwks_uri: keySetUrl } = await discover(deployed.jmapUrl);
  return ((await httpRequest(keySetUrl)).json as { keys: (JsonWebKey & { kid: string })[] }).keys;
};

const attacker = generateKeyPairSync('rsa', { modulusLength: 2048 });
const signedByAttacker = (token: string, header: Header): string => {
  const text = unsigned(token, header);
  return `${text}.${sign('sha256', Buffer.from(text), attacker.privateKey).toString('base64url')}`;
};

/** Forgeries of a valid token (RFC 8725 §2.1, §3.1). */
const forged: Record<string, (good: string) => Promise<string>> = {
  'alg none': async (good) => `${unsigned(good, { alg: 'none' })}.`,
  'alg None': async (good) => `${unsigned(good, { alg: 'None' })}.`,
  'HS256 with the public key as the secret': async (good) => {
    const key = (await publicKeys()).find(({ kid }) => kid === headerOf(good)['kid'])!;
    const pem = createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
    const text = unsigned(good, { alg: 'HS256' });
    return `${text}.${createHmac('sha256', pem).update(text).digest('base64url')}`;
  },
  'the attacker’s key in the header': async (good) =>
    signedByAttacker(good, { jwk: { ...attacker.publicKey.export({ format: 'jwk' }), kid: headerOf(good)['kid'] } }),
  'the URL of the attacker’s key set in the header': async (good) =>
    signedByAttacker(good, { jku: 'https://evil.example/jwks.json', x5u: 'https://evil.example/x5u' }),
  'an unknown key id': async (good) => signedByAttacker(good, { kid: randomUUID() }),
};

const expectInvalidToken = async (token: string): Promise<void> => {
  expectError(await call(token, 'status/Ping'), 401, 'unauthenticated');
  const refused = await getSession(token);
  expect(refused.status).toBe(401);
  expect(challengeOf(refused)).toContain('error="invalid_token"');
};

describe('a forged token', () => {
  test.each(Object.keys(forged))('both APIs refuse %s', async (kind) => {
    for (const good of [await adminMachineToken(), await machineToken('jmapHeadless', 'jmapApi/MAIL_READ')]) {
      await expectInvalidToken(await forged[kind]!(good));
    }
  });
});

describe('a token for the other API', () => {
  test('a headless client’s token for one API gets 403 from the other, with the missing scope', async () => {
    const denied = await call(await machineToken('jmapHeadless', 'jmapApi/MAIL_READ'), 'status/Ping');
    expectError(denied, 403, 'permission_denied');
    expect(challengeOf(denied)).toBe('Bearer error="insufficient_scope", scope="adminApi/ADMIN"');
    const refused = await getSession(await adminMachineToken());
    expect(refused.status).toBe(403);
    expect(challengeOf(refused)).toBe(
      `Bearer resource_metadata="${deployed.jmapUrl}/.well-known/oauth-protected-resource/.well-known/jmap", ` +
        'error="insufficient_scope", scope="jmapApi/MAIL_READ"',
    );
  });
});

/** With the emulator only: on AWS each run would create a user pool. */
describeWith('credentials')('a token of another user pool', () => {
  const cognito = new CognitoIdentityProviderClient(awsClientConfig(deployed));
  let UserPoolId: string | undefined;
  afterAll(async () => {
    if (UserPoolId) await cognito.send(new DeleteUserPoolCommand({ UserPoolId }));
    cognito.destroy();
  });

  test('is refused by both APIs, even with all scopes', async () => {
    UserPoolId = (await cognito.send(new CreateUserPoolCommand({ PoolName: 'elsewhere' }))).UserPool?.Id;
    for (const { identifier, name, permissions } of Object.values(resourceServers)) {
      const Scopes = Object.entries(permissions).map(([ScopeName, ScopeDescription]) => ({ ScopeName, ScopeDescription }));
      await cognito.send(new CreateResourceServerCommand({ UserPoolId, Identifier: identifier, Name: name, Scopes }));
    }
    const requestedScopes = [scopes.ADMIN, scopes.MAIL_READ];
    const { UserPoolClient: client } = await cognito.send(
      new CreateUserPoolClientCommand({
        UserPoolId,
        ClientName: 'elsewhere',
        GenerateSecret: true,
        AllowedOAuthFlowsUserPoolClient: true,
        AllowedOAuthFlows: ['client_credentials'],
        AllowedOAuthScopes: requestedScopes,
      }),
    );
    const authorization = `Basic ${Buffer.from(`${client?.ClientId}:${client?.ClientSecret}`).toString('base64')}`;
    const { access_token: token } = await requestTokens(
      deployed.authUrl,
      new URLSearchParams({ grant_type: 'client_credentials', scope: requestedScopes.join(' ') }),
      { authorization },
    );
    expect(String(claimsOf(token)['iss'])).toContain(UserPoolId);
    await expectInvalidToken(token);
  });
});

describeWith('users', 'credentials')('deactivation of a user', () => {
  test('ends access to both APIs at once, and refreshing', async () => {
    const machine = await adminMachineToken();
    const { user, signIn } = await createUserWithAccount(machine, `deactivated-${randomUUID().slice(0, 8)}`);
    await ok(machine, 'users/UpdateUser', { user_id: user.user_id, is_admin: true });
    const tokens = await signIn();
    expect((await call(tokens.access_token, 'status/Ping')).status).toBe(200);
    expect((await getSession(tokens.access_token)).status).toBe(200);

    await ok(machine, 'users/UpdateUser', { user_id: user.user_id, is_active: false });
    expectError(await call(tokens.access_token, 'status/Ping'), 403, 'permission_denied');
    const refused = await getSession(tokens.access_token);
    expect(refused.status).toBe(403);
    expect(challengeOf(refused)).toBe(`Bearer resource_metadata="${deployed.jmapUrl}/.well-known/oauth-protected-resource/.well-known/jmap"`);
    expect(await requestRefresh(`${deployed.authUrl}/oauth2/token`, deployed.clients.cli.clientId, tokens.refresh_token)).toMatchObject({
      status: 400,
      json: { error: 'invalid_grant' },
    });
  });
});

describeWith('users', 'emulator')('the logs of the Lambdas', () => {
  const logs = openLambdaLogs(deployed, deployed.stackName ?? 'Postrider');
  afterAll(() => logs.close());
  const linesSince = async (since: number): Promise<LogLine[]> => (await Promise.all((await logs.lambdas()).map((lambda) => logs.read(lambda, since)))).flat();

  test('contain no token, wherever a request had it', async () => {
    const { access_token: good, refresh_token: refresh = '', id_token: id = '' } = await tokensOf('alice');
    const tokens = [good, refresh, id, await accessTokenOf('admin'), await adminMachineToken()];
    const startedAt = Date.now() - 1000;
    for (const token of [...tokens, `${good}x`]) {
      const query = `access_token=${token}`;
      await getSession(token);
      await httpRequest(`${deployed.jmapUrl}/.well-known/jmap?${query}`);
      await httpRequest(`${deployed.jmapUrl}/.well-known/oauth-protected-resource?${query}`);
      await httpRequest(`${deployed.jmapUrl}/nothing?${query}`);
      await httpRequest(`${deployed.outputs['downloadUrl']}?accountId=a&blobId=Bx&type=text/plain&name=n&${query}`);
      await httpRequest(`${deployed.jmapUrl}/jmap?${query}`, {
        method: 'POST',
        body: `{"using":["${token}"]`,
        headers: { 'content-type': 'application/json', ...bearer(token) },
      });
      await call(token, 'status/Ping', { token });
      await httpRequest(`${deployed.adminApiUrl}/status/Ping?${query}`, { method: 'POST', body: '{}' });
      await new Promise<void>((resolve) => {
        const socket = new WebSocket(`${deployed.webSocketUrl}?${query}`, 'jmap');
        socket.addEventListener('open', () => socket.close());
        socket.addEventListener('close', () => resolve());
      });
    }
    await ok(await adminMachineToken(), 'status/Ping');
    // Each Lambda that received a token must have logged something; otherwise this test checks nothing.
    const lines = await eventually(async () => {
      const logged = await linesSince(startedAt);
      for (const lambda of ['jmap', 'downloads', 'discovery', 'status', 'web-socket']) {
        expect(logged.map((line) => line.lambda)).toContain(lambda);
      }
      return logged;
    }, 500);
    const parts = [...tokens, `${good}x`].flatMap((token) => token.split('.').slice(1)).filter((part) => part.length > 20);
    expect(parts.length).toBeGreaterThan(8);
    expect(lines.filter(({ message }) => parts.some((part) => message.includes(part)))).toEqual([]);
  });
});
