import { cliCallbackUrls } from '../../contract/oauth.ts';
import { signIn, type SignIn } from '../../sandbox/hosted-sign-in.ts';
import { parseForms, type HtmlForm } from '../../sandbox/html-forms.ts';
import { call, expectError } from './admin-calls.ts';
import { deployed, describeWith, sandboxUser } from './deployment.ts';
import { httpRequest, bearer } from './http-requests.ts';
import { getSession } from './jmap-client.ts';
import { authorizationUrl, claimsOf, discover, listenOnLoopback, postForm, proofKey, registerClient, type ServerMetadata, type TokenAnswer } from './oauth-client.ts';
import { machineToken } from './access-tokens.ts';

const redirectUri = cliCallbackUrls[1];
const { origin } = new URL(redirectUri);

let metadata: ServerMetadata;
beforeAll(async () => { metadata = await discover(deployed.jmapUrl); });

const request = (more: Record<string, string>): Record<string, string> => ({
  client_id: deployed.clients.cli.clientId, redirect_uri: redirectUri, state: 's', code_challenge: proofKey().challenge, code_challenge_method: 'S256', ...more,
});

/** What the authorization endpoint does with a request: the page that it shows, or where outside it leads. */
const authorize = async (more: Record<string, string>): Promise<{ leads: string; asks: boolean; page: string; url: string }> => {
  const own = new URL(metadata.authorization_endpoint).origin;
  for (let url = authorizationUrl(metadata, request(more)); ;) {
    const answer = await httpRequest(url);
    const location = answer.headers.get('location');
    const leads = location === null ? '' : new URL(location, url).href;
    if (leads === '' || new URL(leads).origin !== own) return { leads, asks: formToSignIn(answer.text) !== undefined, page: answer.text, url };
    url = leads;
  }
};

const formToSignIn = (page: string): HtmlForm | undefined => parseForms(page).find(({ fields }) => fields.some(({ name }) => name === 'username'));

describe('the authorization endpoint (RFC 9700 §2.1)', () => {
  test('a redirect URI that is registered is let sign in', async () => {
    expect(await authorize({})).toMatchObject({ leads: '', asks: true });
  });

  test.each([
    ['a slash at the end', `${redirectUri}/`],
    ['a path below', `${redirectUri}/more`],
    ['a query', `${redirectUri}?next=https://evil.example`],
    ['a fragment', `${redirectUri}#x`],
    ['another path', `${origin}/other`],
    ['a way around', `${origin}/callback/../evil`],
    ['another case', `${origin}/Callback`],
    ['an encoded path', `${origin}/%63allback`],
    ['another port', 'http://127.0.0.1:8977/callback'],
    ['no port', 'http://127.0.0.1/callback'],
    ['another scheme', redirectUri.replace('http:', 'https:')],
    ['another loopback address', redirectUri.replace('127.0.0.1', '[::1]')],
    ['user info', redirectUri.replace('127.0.0.1', '127.0.0.1@evil.example')],
    ['a longer host', redirectUri.replace('127.0.0.1', '127.0.0.1.evil.example')],
    ['a stranger', 'https://evil.example/callback'],
    ['a script', 'javascript:alert(1)'],
  ])('a redirect URI with %s is refused, and nobody is sent there', async (_what, altered) => {
    expect(await authorize({ redirect_uri: altered })).toMatchObject({ leads: '', asks: false });
  });

  test('PKCE is with S256: the plain method is refused', async () => {
    const { leads, asks } = await authorize({ code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' });
    expect(asks).toBe(false);
    expect(new URL(leads).searchParams.get('error')).toBe('invalid_request');
  });

  test.each(['token', 'id_token', 'code token'])('tokens never come through the browser’s address: response_type %s is refused', async (response_type) => {
    const { leads, asks } = await authorize({ response_type });
    expect(asks).toBe(false);
    expect(leads).not.toMatch(/[?&#](?:access_token|id_token|code)=/);
  });

  test.each(['adminApi/ADMIN', 'openid jmapApi/MAIL_READ', 'aws.cognito.signin.user.admin'])('the scope %s can not be asked for: rights are given, not taken', async (scope) => {
    const { leads, asks } = await authorize({ scope });
    expect(asks).toBe(false);
    expect(leads).toMatch(/[?&]error(?:_description)?=invalid_scope\b/);
  });

  test('a password is nothing that a client may hand in', async () => {
    const answer = await postForm(metadata.token_endpoint, { grant_type: 'password', client_id: deployed.clients.cli.clientId, username: 'ada', password: 'x' });
    expect(answer).toMatchObject({ status: 400, json: { error: expect.stringMatching(/^(unsupported_grant_type|invalid_request)$/) } });
  });
});

describe('mix-up (RFC 9700 §4.4)', () => {
  test('each document names what was asked: the resource its URL, the server its issuer', async () => {
    const [resource, server] = await Promise.all(['oauth-protected-resource', 'oauth-authorization-server'].map((name) => httpRequest(`${deployed.jmapUrl}/.well-known/${name}`)));
    expect(resource!.json).toMatchObject({ resource: deployed.jmapUrl, authorization_servers: [deployed.jmapUrl] });
    expect(server!.json).toMatchObject({ issuer: deployed.jmapUrl });
  });

  test('no issuer in redirects is promised, since the provider names none (RFC 9207)', () => {
    expect(metadata).not.toHaveProperty('authorization_response_iss_parameter_supported');
  });
});

describeWith('people')('codes and refresh tokens', () => {
  const { cli, console: consoleClient } = deployed.clients;
  /** Somebody signs in at the page, and the client is left with a code and what it takes to redeem it. */
  const codeFor = async (name: Parameters<typeof sandboxUser>[0]): Promise<{ form: Record<string, string>; verifier: string }> => {
    const { verifier, challenge } = proofKey();
    const { email, password } = sandboxUser(name);
    const typed: Record<string, string> = { username: email, password };
    const { page, url } = await authorize({ code_challenge: challenge });
    const form = formToSignIn(page)!;
    const filled = new URLSearchParams(form.fields.map(({ name: field, value }): [string, string] => [field, typed[field] ?? value]));
    const answer = await httpRequest(new URL(form.action, url).href, { method: 'POST', body: filled });
    const code = new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? '';
    expect(code).not.toBe('');
    return { form: { grant_type: 'authorization_code', client_id: cli.clientId, redirect_uri: redirectUri, code }, verifier };
  };
  const refusal = { status: 400, json: { error: 'invalid_grant' } };

  test('a code is worthless without its verifier, with another one, and for another redirect URI or client; then it is good once', async () => {
    const { form, verifier } = await codeFor('alice');
    expect(await postForm(metadata.token_endpoint, form)).toMatchObject(refusal);
    expect(await postForm(metadata.token_endpoint, { ...form, code_verifier: proofKey().verifier })).toMatchObject(refusal);
    expect(await postForm(metadata.token_endpoint, { ...form, code_verifier: verifier, redirect_uri: cliCallbackUrls[0] })).toMatchObject(refusal);
    expect(await postForm(metadata.token_endpoint, { ...form, code_verifier: verifier, client_id: consoleClient.clientId })).toMatchObject(refusal);
    expect((await postForm(metadata.token_endpoint, { ...form, code_verifier: verifier })).status).toBe(200);
    expect(await postForm(metadata.token_endpoint, { ...form, code_verifier: verifier })).toMatchObject(refusal);
  }, 20_000);

  test('a refresh token is its client’s alone', async () => {
    const { form, verifier } = await codeFor('alice');
    const { refresh_token: token = '' } = (await postForm(metadata.token_endpoint, { ...form, code_verifier: verifier })).json as TokenAnswer;
    expect(await postForm(metadata.token_endpoint, { grant_type: 'refresh_token', client_id: consoleClient.clientId, refresh_token: token })).toMatchObject(refusal);
    expect((await postForm(metadata.token_endpoint, { grant_type: 'refresh_token', client_id: cli.clientId, refresh_token: token })).status).toBe(200);
  }, 20_000);

  test('what a stranger’s client gets of an admin is their mail and never the deployment, also after a refresh', async () => {
    expect(metadata.registration_endpoint).toBeDefined();
    const loopback = await listenOnLoopback();
    await loopback.close();
    const registered = await registerClient(metadata, 'Stranger', [loopback.redirectUri]);
    expect(registered.status).toBe(201);
    const { client_id: clientId } = registered.json as { client_id: string };
    const { email, password } = sandboxUser('admin');
    const admin: SignIn = { authUrl: new URL(metadata.token_endpoint).origin, clientId, redirectUri: loopback.redirectUri, email, password };
    const first = await signIn(admin);
    const again = (await postForm(metadata.token_endpoint, { grant_type: 'refresh_token', client_id: clientId, refresh_token: first.refresh_token ?? '' })).json as TokenAnswer;
    for (const { access_token: token } of [first, again]) {
      const granted = String(claimsOf(token)['scope']).split(' ');
      expect(granted).toContain('jmapApi/MAIL_READ');
      expect(granted).not.toContain('adminApi/ADMIN');
      expectError(await call(token, 'domains/ListDomains'), 403, 'permission_denied');
      expect((await getSession(token)).status).toBe(200);
    }
    await expect(signIn({ ...admin, scope: 'openid adminApi/ADMIN' })).rejects.toThrow();
  }, 30_000);
});

describe('a token in the address', () => {
  test('is no token: what stands in an address is kept by histories and logs (RFC 9700 §4.3.2)', async () => {
    const token = await machineToken('jmapHeadless', 'jmapApi/MAIL_READ');
    expect((await httpRequest(`${deployed.jmapUrl}/.well-known/jmap`, { headers: bearer(token) })).status).toBe(200);
    expect((await httpRequest(`${deployed.jmapUrl}/.well-known/jmap?access_token=${token}`)).status).toBe(401);
    expect((await httpRequest(`${deployed.jmapUrl}/jmap`, { method: 'POST', body: new URLSearchParams({ access_token: token }) })).status).toBe(401);
  });
});
