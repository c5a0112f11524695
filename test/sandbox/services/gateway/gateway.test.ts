import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { AdminCreateUserCommand, AdminSetUserPasswordCommand, CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { WebSocket } from 'ws';
import { startGateway, type EndpointName, type Gateway, type GatewayRequest } from '../../../../sandbox/services/gateway/gateway.ts';
import type { SocketTimeouts } from '../../../../sandbox/services/gateway/web-socket-proxy.ts';
import { eventually, freePort, freePorts, withEmulator } from '../../../support/test-emulator.ts';
import { endpointNames, template } from './gateway-template.ts';

const fixture = withEmulator();
let gateway: Gateway;
let ports: Record<EndpointName, number>;
let outputs: Record<string, string>;
let before: number[];
const seen: GatewayRequest[] = [];

const url = (name: EndpointName, path = ''): string => `http://127.0.0.1:${ports[name]}${path}`;

beforeAll(async () => {
  ports = await freePorts(...endpointNames);
  gateway = await startGateway({ ports, emulator: fixture.emulator.endpoint, stackName: 'Trial1', onRequest: (request) => seen.push(request) });
  before = await Promise.all((['admin', 'jmap', 'auth', 'identityProvider'] as const).map(async (name) => (await fetch(url(name, '/status/Ping'))).status));
  outputs = await fixture.deploy(template);
  await gateway.refresh();
});
afterAll(() => gateway.stop());

type Echo = {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly route: string;
};
const echoOf = async (answer: Response): Promise<Echo> => (await answer.json()) as Echo;

describe('before a deployment', () => {
  test('each port answers 503', async () => {
    expect(before).toEqual([503, 503, 503, 503]);
  });
});

describe('an HTTP API behind the gateway', () => {
  test('gets method, path, query, headers and body unchanged', async () => {
    const body = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const answer = await fetch(url('jmap', '/upload/a%20b?x=1&y=%2F&x=2'), {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/octet-stream', 'x-trial': 'yes' },
    });
    const echo = await echoOf(answer);
    expect(answer.headers.get('x-answer')).toBe('from the lambda');
    expect(echo).toMatchObject({
      method: 'POST',
      path: '/upload/a b',
      query: 'x=1&y=%2F&x=2',
      body: body.toString('base64'),
      route: 'POST /upload/{accountId}',
    });
    expect(echo.headers).toMatchObject({ 'x-trial': 'yes', host: `${outputs['jmapApi']}.execute-api.us-east-1.amazonaws.com` });
  });

  test('is found by its routes', async () => {
    expect((await echoOf(await fetch(url('admin', '/status/Ping'), { method: 'POST' }))).route).toBe('POST /status/{proxy+}');
    expect((await echoOf(await fetch(url('jmap', '/jmap'), { method: 'POST' }))).route).toBe('POST /jmap');
  });

  test('gets a trailing slash and an empty body unchanged', async () => {
    expect(await echoOf(await fetch(url('admin', '/elsewhere/'), { method: 'DELETE' }))).toMatchObject({
      method: 'DELETE',
      path: '/elsewhere/',
      route: '$default',
    });
  });

  test('returns a binary response unchanged', async () => {
    const answer = await fetch(url('jmap', '/download'));
    expect([...Buffer.from(await answer.arrayBuffer())]).toEqual([0, 255, 128, 10]);
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
  });

  test('refuses more than 10 MB with 413', async () => {
    const answer = await fetch(url('admin', '/status/Ping'), { method: 'POST', body: Buffer.alloc(10 * 1024 * 1024 + 1, 'x') });
    expect([answer.status, await answer.json()]).toEqual([413, { message: 'Request Entity Too Large' }]);
  });

  test('refuses more than 10,240 bytes of headers with 431', async () => {
    const answer = await fetch(url('admin', '/status/Ping'), { method: 'POST', headers: { 'x-long': 'x'.repeat(10_240) } });
    expect(answer.status).toBe(431);
  });

  test('answers a preflight request', async () => {
    const answer = await fetch(url('jmap', '/jmap'), {
      method: 'OPTIONS',
      headers: { origin: 'https://webmail.example.test', 'access-control-request-method': 'POST' },
    });
    expect([answer.status, answer.headers.get('access-control-allow-origin'), answer.headers.get('access-control-allow-headers')]).toEqual([
      204,
      '*',
      'authorization,content-type',
    ]);
  });

  test('reports requests without their query', async () => {
    await fetch(url('jmap', '/download?access_token=secret'));
    const request = await eventually(async () => seen.findLast((each) => each.path === '/download'));
    expect(request).toMatchObject({ endpoint: 'jmap', method: 'GET', path: '/download', status: 200 });
    expect(JSON.stringify(seen)).not.toContain('secret');
  });
});

describe('the WebSocket API behind the gateway', () => {
  const open = (token: string): Promise<WebSocket> =>
    new Promise((done, fail) => {
      const socket = new WebSocket(`ws://127.0.0.1:${ports.webSocket}/?access_token=${token}`, ['jmap']);
      socket.once('open', () => done(socket));
      socket.once('unexpected-response', (_, response) => {
        response.resume();
        fail(new Error(`status ${response.statusCode}`));
      });
      socket.once('error', fail);
    });
  const messageFrom = (socket: WebSocket): Promise<string> =>
    new Promise((done) => {
      socket.once('message', (data: Buffer) => done(data.toString()));
    });
  const closingOf = (socket: WebSocket): Promise<number> =>
    new Promise((done) => {
      socket.once('close', done);
    });

  test('forwards the query, the subprotocol and messages in both directions', async () => {
    const socket = await open('good');
    const answer = messageFrom(socket);
    socket.send('{"say":"grüß dich"}');
    expect([socket.protocol, socket.extensions, await answer]).toEqual(['jmap', '', '{"say":"grüß dich"}']);
    socket.close();
    await closingOf(socket);
  });

  test('returns the Lambda’s status of a refused handshake', async () => {
    await expect(open('wrong')).rejects.toThrow('status 401');
  });

  // @pitfall client large-frame
  test('closes the connection with 1009 after a frame of more than 32 KB', async () => {
    const socket = await open('good');
    const answer = messageFrom(socket);
    socket.send(JSON.stringify({ say: 'x'.repeat(32_000) }));
    expect((await answer).length).toBeGreaterThan(32_000);
    const closing = closingOf(socket);
    socket.send('x'.repeat(32 * 1024 + 1));
    expect(await closing).toBe(1009);
  });
});

describe('a WebSocket connection', () => {
  const gateways: Gateway[] = [];
  afterEach(async () => {
    await Promise.all(gateways.splice(0).map((each) => each.stop()));
  });
  const openWith = async (socketTimeouts: SocketTimeouts): Promise<{ socket: WebSocket; closing: Promise<number> }> => {
    const own = await freePorts(...endpointNames);
    gateways.push(await startGateway({ ports: own, emulator: fixture.emulator.endpoint, stackName: 'Trial1', socketTimeouts }));
    const socket = new WebSocket(`ws://127.0.0.1:${own.webSocket}/?access_token=good`, ['jmap']);
    const closing = new Promise<number>((done) => {
      socket.once('close', done);
    });
    await new Promise((done, fail) => {
      socket.once('open', done);
      socket.once('error', fail);
    });
    return { socket, closing };
  };

  test('is closed with 1001 when it is idle too long', async () => {
    const { socket, closing } = await openWith({ idle: 600, total: 60_000 });
    const begun = Date.now();
    const talking = setInterval(() => socket.send('{}'), 200);
    await new Promise((done) => {
      setTimeout(done, 1200);
    });
    expect(socket.readyState).toBe(WebSocket.OPEN);
    clearInterval(talking);
    expect(await closing).toBe(1001);
    expect(Date.now() - begun).toBeGreaterThan(1500);
  });

  test('is closed with 1001 after its maximum duration, even when it is busy', async () => {
    const { socket, closing } = await openWith({ idle: 60_000, total: 800 });
    const talking = setInterval(() => socket.send('{}'), 100);
    expect(await closing).toBe(1001);
    clearInterval(talking);
  });

  test('comes with a binary frame, as 1003', async () => {
    const { socket, closing } = await openWith({ idle: 60_000, total: 60_000 });
    socket.send(Buffer.from('{}'), { binary: true });
    expect(await closing).toBe(1003);
  });
});

describe('the hosted sign-in behind the gateway', () => {
  const callback = 'http://localhost:8976/callback';
  const verifier = 'a-verifier-that-is-long-enough-for-anybody-to-be-content';

  /** Signs in with the page's form, like a browser, and exchanges the code for tokens. */
  const signIn = async (): Promise<{ access_token: string; refresh_token: string }> => {
    const query = new URLSearchParams({
      client_id: outputs['client']!,
      response_type: 'code',
      redirect_uri: callback,
      scope: 'openid',
      state: 's',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    const page = await (await fetch(`${url('auth')}/login?${query.toString()}`)).text();
    const action = /<form[^>]*action="([^"]+)"/.exec(page)![1]!;
    const form = new URLSearchParams(
      [...page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map((field): [string, string] => [field[1]!, field[2]!]),
    );
    form.set('username', 'ada@example.test');
    form.set('password', 'Correct-horse-1');
    const redirect = await fetch(new URL(action, url('auth', '/login')), { method: 'POST', body: form, redirect: 'manual' });
    const code = new URL(redirect.headers.get('location')!).searchParams.get('code')!;
    return token({ grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: callback });
  };
  const tokenAnswer = (form: Record<string, string>): Promise<Response> =>
    fetch(url('auth', '/oauth2/token'), { method: 'POST', body: new URLSearchParams({ client_id: outputs['client']!, ...form }) });
  const token = async (form: Record<string, string>) => (await (await tokenAnswer(form)).json()) as { access_token: string; refresh_token: string };
  const revoke = (form: Record<string, string>): Promise<Response> => fetch(url('auth', '/oauth2/revoke'), { method: 'POST', body: new URLSearchParams(form) });

  beforeAll(async () => {
    const cognito = new CognitoIdentityProviderClient(fixture.clientConfig);
    const user = { UserPoolId: outputs['pool'], Username: 'ada@example.test' };
    await cognito.send(new AdminCreateUserCommand({ ...user, MessageAction: 'SUPPRESS' }));
    await cognito.send(new AdminSetUserPasswordCommand({ ...user, Password: 'Correct-horse-1', Permanent: true }));
  });

  test('signs a browser in through the gateway only', async () => {
    expect(await signIn()).toMatchObject({ access_token: expect.any(String), refresh_token: expect.any(String) });
  });

  test('a revoked refresh token gives no tokens any more', async () => {
    const { refresh_token: refreshToken } = await signIn();
    expect((await tokenAnswer({ grant_type: 'refresh_token', refresh_token: refreshToken })).status).toBe(200);
    const answer = await revoke({ token: refreshToken, client_id: outputs['client']! });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
    const after = await tokenAnswer({ grant_type: 'refresh_token', refresh_token: refreshToken });
    expect([after.status, await after.json()]).toMatchObject([400, { error: 'invalid_grant' }]);
  });

  test('a revocation that names no token, another client or an access token is refused', async () => {
    const { access_token: accessToken } = await signIn();
    const errorOf = async (form: Record<string, string>): Promise<unknown> => {
      const answer = await revoke(form);
      return [answer.status, await answer.json()];
    };
    expect(await errorOf({ client_id: outputs['client']! })).toEqual([400, { error: 'invalid_request' }]);
    expect(await errorOf({ token: 'x', client_id: 'nobody' })).toEqual([400, { error: 'invalid_client' }]);
    expect(await errorOf({ token: accessToken, client_id: outputs['client']! })).toEqual([400, { error: 'unsupported_token_type' }]);
  });

  test('a web page may call the token endpoint', async () => {
    const preflight = await fetch(url('auth', '/oauth2/token'), { method: 'OPTIONS', headers: { origin: 'https://console.example.test' } });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
  });

  test('nothing else of the emulator is reached through it', async () => {
    expect((await fetch(url('auth', '/_ministack/health'))).status).toBe(404);
    expect((await fetch(url('auth', '/'), { method: 'POST', headers: { 'x-amz-target': 'DynamoDB_20120810.ListTables' }, body: '{}' })).status).toBe(404);
  });
});

describe('the identity provider behind the gateway', () => {
  test('returns the gateway’s URLs and the tokens’ issuer', async () => {
    const configuration = await (await fetch(url('identityProvider', `/${outputs['pool']}/.well-known/openid-configuration`))).json();
    expect(configuration).toMatchObject({
      issuer: `https://cognito-idp.us-east-1.amazonaws.com/${outputs['pool']}`,
      authorization_endpoint: url('auth', '/oauth2/authorize'),
      token_endpoint: url('auth', '/oauth2/token'),
      revocation_endpoint: url('auth', '/oauth2/revoke'),
      jwks_uri: url('identityProvider', `/${outputs['pool']}/.well-known/jwks.json`),
    });
  });

  test('serves the pool’s keys and nothing else', async () => {
    const keys = (await (await fetch(url('identityProvider', `/${outputs['pool']}/.well-known/jwks.json`))).json()) as { keys: unknown[] };
    expect(keys.keys[0]).toMatchObject({ kty: 'RSA', alg: 'RS256' });
    expect((await fetch(url('identityProvider', '/us-east-1_Nobody123/.well-known/jwks.json'))).status).toBe(404);
  });
});

describe('a taken gateway port', () => {
  test('is named in the error', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((done) => {
      other.once('listening', done);
    });
    const { port } = other.address() as { port: number };
    const free = await freePort();
    await expect(startGateway({ ports: { ...ports, admin: free, console: port }, emulator: fixture.emulator.endpoint, stackName: 'Trial1' })).rejects.toThrow(
      `Port ${port} is taken by another program.`,
    );
    expect(await freeAgain(free)).toBe(true);
    other.close();
  });

  const freeAgain = (port: number): Promise<boolean> =>
    new Promise((answer) => {
      const server = createServer();
      server.once('error', () => answer(false));
      server.listen(port, '127.0.0.1', () => server.close(() => answer(true)));
    });
});
