import { cliCallbackUrls, mailScopes, profileMailScope } from '../../contract/oauth/oauth.ts';
import { authorizationCode, passSignInPage, signIn, type SignIn } from '../../sandbox/clients/hosted-sign-in.ts';
import { parseForms, type HtmlForm } from '../../sandbox/clients/html-forms.ts';
import { machineToken } from './access-tokens.ts';
import { call, expectError } from './admin-calls.ts';
import { deployed, describeWith, sandboxUser } from './deployment.ts';
import { bearer, httpRequest } from './http-requests.ts';
import { getSession } from './jmap-client.ts';
import {
  authorizationUrl,
  discover,
  listenOnLoopback,
  postForm,
  proofKey,
  registerClient,
  requestRefresh,
  scopesOf,
  type ServerMetadata,
  type TokenAnswer,
} from './oauth-client.ts';

const redirectUri = cliCallbackUrls[1];
const { origin } = new URL(redirectUri);

let metadata: ServerMetadata;
beforeAll(async () => {
  metadata = await discover(deployed.jmapUrl);
});

const authorizationRequest = (more: Record<string, string>): Record<string, string> => ({
  client_id: deployed.clients.cli.clientId,
  redirect_uri: redirectUri,
  state: 's',
  code_challenge: proofKey().challenge,
  code_challenge_method: 'S256',
  ...more,
});

/**
 * Sends a request to the authorization endpoint, and follows redirects to the hosted page and within it.
 * @returns the shown page, or the URL of another origin to which the request is redirected (`redirect`).
 */
const authorize = async (more: Record<string, string>): Promise<{ redirect: string; showsSignIn: boolean; page: string; url: string }> => {
  const ownOrigins = [metadata.authorization_endpoint, metadata.token_endpoint].map((url) => new URL(url).origin);
  for (let url = authorizationUrl(metadata, authorizationRequest(more)); ;) {
    const answer = await httpRequest(url);
    const location = answer.headers.get('location');
    const redirect = location === null ? '' : new URL(location, url).href;
    if (redirect === '' || !ownOrigins.includes(new URL(redirect).origin)) {
      return { redirect, showsSignIn: signInFormIn(answer.text) !== undefined, page: answer.text, url };
    }
    url = redirect;
  }
};

const signInFormIn = (page: string): HtmlForm | undefined => parseForms(page).find(({ fields }) => fields.some(({ name }) => name === 'username'));

describe('the authorization endpoint (RFC 9700 §2.1)', () => {
  test('shows the sign-in page for a registered redirect URI', async () => {
    expect(await authorize({})).toMatchObject({ redirect: '', showsSignIn: true });
  });

  test.each([
    ['a trailing slash', `${redirectUri}/`],
    ['a longer path', `${redirectUri}/more`],
    ['a query', `${redirectUri}?next=https://evil.example`],
    ['a fragment', `${redirectUri}#x`],
    ['another path', `${origin}/other`],
    ['a parent segment', `${origin}/callback/../evil`],
    ['another case', `${origin}/Callback`],
    ['an encoded path', `${origin}/%63allback`],
    ['another port', 'http://127.0.0.1:8977/callback'],
    ['no port', 'http://127.0.0.1/callback'],
    ['another scheme', redirectUri.replace('http:', 'https:')],
    ['another loopback address', redirectUri.replace('127.0.0.1', '[::1]')],
    ['user info', redirectUri.replace('127.0.0.1', '127.0.0.1@evil.example')],
    ['a longer host', redirectUri.replace('127.0.0.1', '127.0.0.1.evil.example')],
    ['another site', 'https://evil.example/callback'],
    ['a javascript: URI', 'javascript:alert(1)'],
  ])('refuses a redirect URI changed to %s, without a redirect to it', async (_change, altered) => {
    expect(await authorize({ redirect_uri: altered })).toMatchObject({ redirect: '', showsSignIn: false });
  });

  test.each([
    ['a redirect URI given twice', `redirect_uri=${encodeURIComponent(redirectUri)}&redirect_uri=https%3A%2F%2Fevil.example`],
    ['a scope given twice', `redirect_uri=${encodeURIComponent(redirectUri)}&scope=openid&scope=adminApi%2FADMIN`],
    ['10 KB of scopes', `redirect_uri=${encodeURIComponent(redirectUri)}&scope=${'x'.repeat(8_200)}`],
  ])('shows a page in words for %s, without a redirect', async (_what, query) => {
    const answer = await httpRequest(`${metadata.authorization_endpoint}?response_type=code&client_id=${deployed.clients.cli.clientId}&${query}`);
    expect(answer).toMatchObject({ status: 400, text: expect.stringContaining('The sign-in did not start') as string });
    expect(answer.headers.get('location')).toBeNull();
  });

  test('redirects nobody to another site with a client that does not exist', async () => {
    expect(await authorize({ client_id: 'nobody', redirect_uri: 'https://evil.example/' })).toMatchObject({ redirect: '', showsSignIn: false });
  });

  test('refuses the PKCE method plain', async () => {
    const { redirect, showsSignIn } = await authorize({ code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' });
    expect(showsSignIn).toBe(false);
    expect(new URL(redirect).searchParams.get('error')).toBe('invalid_request');
  });

  test.each(['token', 'id_token', 'code token'])('refuses response_type %s: no token is put into a URL', async (response_type) => {
    const { redirect, showsSignIn } = await authorize({ response_type });
    expect(showsSignIn).toBe(false);
    expect(redirect).not.toMatch(/[?&#](?:access_token|id_token|code)=/);
  });

  test.each(['adminApi/ADMIN', 'openid jmapApi/MAIL_READ', 'aws.cognito.signin.user.admin'])(
    'refuses a request for the scope %s, which the directory grants',
    async (scope) => {
      const { redirect, showsSignIn } = await authorize({ scope });
      expect(showsSignIn).toBe(false);
      expect(redirect).toMatch(/[?&]error(?:_description)?=invalid_scope\b/);
    },
  );

  test('refuses the password grant', async () => {
    const answer = await postForm(metadata.token_endpoint, {
      grant_type: 'password',
      client_id: deployed.clients.cli.clientId,
      username: 'ada',
      password: 'x',
    });
    expect(answer).toMatchObject({ status: 400, json: { error: expect.stringMatching(/^(unsupported_grant_type|invalid_request)$/) } });
  });
});

describe('defence against mix-up attacks (RFC 9700 §4.4)', () => {
  test('the metadata do not promise an issuer in redirects (RFC 9207), because Cognito sends none', () => {
    expect(metadata).not.toHaveProperty('authorization_response_iss_parameter_supported');
  });
});

describeWith('users')('authorization codes and refresh tokens', () => {
  const { cli, console: consoleClient } = deployed.clients;
  /** Signs a user in at the hosted page. @returns the token request with the code, and the PKCE verifier. */
  const codeFor = async (name: Parameters<typeof sandboxUser>[0]): Promise<{ form: Record<string, string>; verifier: string }> => {
    const { verifier, challenge } = proofKey();
    const request = { authUrl: new URL(metadata.token_endpoint).origin, clientId: cli.clientId, redirectUri, ...sandboxUser(name) };
    const code = await authorizationCode(request, challenge);
    return { form: { grant_type: 'authorization_code', client_id: cli.clientId, redirect_uri: redirectUri, code }, verifier };
  };
  const refusal = { status: 400, json: { error: 'invalid_grant' } };

  test('a code needs its own verifier, redirect URI and client, and can be redeemed once', async () => {
    const { form, verifier } = await codeFor('alice');
    expect(await postForm(metadata.token_endpoint, form)).toMatchObject(refusal);
    expect(await postForm(metadata.token_endpoint, { ...form, code_verifier: proofKey().verifier })).toMatchObject(refusal);
    expect(await postForm(metadata.token_endpoint, { ...form, code_verifier: verifier, redirect_uri: cliCallbackUrls[0] })).toMatchObject(refusal);
    expect(await postForm(metadata.token_endpoint, { ...form, code_verifier: verifier, client_id: consoleClient.clientId })).toMatchObject(refusal);
    expect((await postForm(metadata.token_endpoint, { ...form, code_verifier: verifier })).status).toBe(200);
    expect(await postForm(metadata.token_endpoint, { ...form, code_verifier: verifier })).toMatchObject(refusal);
  });

  test('a refresh token is refused from another client', async () => {
    const { form, verifier } = await codeFor('alice');
    const { refresh_token: token = '' } = (await postForm(metadata.token_endpoint, { ...form, code_verifier: verifier })).json as TokenAnswer;
    expect(await requestRefresh(metadata.token_endpoint, consoleClient.clientId, token)).toMatchObject(refusal);
    expect((await requestRefresh(metadata.token_endpoint, cli.clientId, token)).status).toBe(200);
  });

  test('a registered client that an admin signs in to can read their mail but not call the admin API, also after a refresh', async () => {
    expect(metadata.registration_endpoint).toBeDefined();
    const loopback = await listenOnLoopback();
    await loopback.close();
    const registered = await registerClient(metadata, 'Third-party client', [loopback.redirectUri]);
    expect(registered.status).toBe(201);
    const { client_id: clientId } = registered.json as { client_id: string };
    const admin: SignIn = { authUrl: new URL(metadata.token_endpoint).origin, clientId, redirectUri: loopback.redirectUri, ...sandboxUser('admin') };
    const first = await signIn(admin);
    const again = (await requestRefresh(metadata.token_endpoint, clientId, first.refresh_token)).json as TokenAnswer;
    for (const { access_token: token } of [first, again]) {
      const grantedScopes = scopesOf(token);
      expect(grantedScopes).toContain('jmapApi/MAIL_READ');
      expect(grantedScopes).not.toContain('adminApi/ADMIN');
      expectError(await call(token, 'domains/ListDomains'), 403, 'permission_denied');
      expect((await getSession(token)).status).toBe(200);
    }
    await expect(signIn({ ...admin, scope: 'openid adminApi/ADMIN' })).rejects.toThrow();

    const { verifier, challenge } = proofKey();
    const url = authorizationUrl(metadata, {
      client_id: clientId,
      redirect_uri: loopback.redirectUri,
      state: 's',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      scope: `adminApi/ADMIN ${profileMailScope}`,
    });
    const { searchParams } = await passSignInPage(url, loopback.redirectUri, sandboxUser('admin'));
    const { access_token: token } = (
      await postForm(metadata.token_endpoint, {
        grant_type: 'authorization_code',
        client_id: clientId,
        redirect_uri: loopback.redirectUri,
        code: searchParams.get('code') ?? '',
        code_verifier: verifier,
      })
    ).json as TokenAnswer;
    expect(scopesOf(token)).toEqual(mailScopes.toSorted());
  });
});

describe('an access token in the URL', () => {
  test('is refused, because histories and logs keep URLs (RFC 9700 §4.3.2)', async () => {
    const token = await machineToken('jmapHeadless', 'jmapApi/MAIL_READ');
    expect((await httpRequest(`${deployed.jmapUrl}/.well-known/jmap`, { headers: bearer(token) })).status).toBe(200);
    expect((await httpRequest(`${deployed.jmapUrl}/.well-known/jmap?access_token=${token}`)).status).toBe(401);
    expect((await httpRequest(`${deployed.jmapUrl}/jmap`, { method: 'POST', body: new URLSearchParams({ access_token: token }) })).status).toBe(401);
  });
});
