import * as oauth from 'oauth4webapi';
import { cliCallbackUrls, mailScopes, profileMailScope } from '../../contract/oauth/oauth.ts';
import { deployed, describeWith } from './deployment.ts';
import { httpRequest } from './http-requests.ts';
import { listenOnLoopback, scopesOf, type Loopback } from './oauth-client.ts';
import { resetDailyCap } from './registration-cap.ts';
import { signInByForms } from './sign-in-by-forms.ts';

const sessionUrl = new URL(`${deployed.jmapUrl}/.well-known/jmap`);
/** Options of the library that permit HTTP, because a sandbox has no TLS. */
const options = { [oauth.allowInsecureRequests]: sessionUrl.protocol === 'http:' };
const publicClient = oauth.None();

/** A request of the library, which is repeated while the gateway throttles, as clients do. */
const patiently = async (request: () => Promise<Response>): Promise<Response> => {
  for (let tries = 1; ; tries += 1) {
    const response = await request();
    if (response.status !== 429 || tries >= 40) return response;
    await new Promise((resolve) => {
      setTimeout(resolve, 250);
    });
  }
};

/**
 * A mail client made only with oauth4webapi, which performs the checks that the RFCs require of clients. It knows only
 * the session's URL.
 */
describeWith('users')('a client with a strict OAuth library (oauth4webapi)', () => {
  let resource: oauth.ResourceServer;
  let server: oauth.AuthorizationServer;
  let loopback: Loopback;
  let client: oauth.Client;
  afterAll(() => loopback?.close());

  test('1. finds the metadata of the session’s URL (RFC 9728 §3), to which a challenge that arrives leads too (RFC 9728 §5)', async () => {
    const answer = await oauth.resourceDiscoveryRequest(sessionUrl, options);
    const refused: unknown = await oauth.protectedResourceRequest('none', 'GET', sessionUrl, undefined, undefined, options).catch((error: unknown) => error);
    // API Gateway may rename WWW-Authenticate.
    if (refused instanceof oauth.WWWAuthenticateChallengeError) expect(refused.cause[0]!.parameters.resource_metadata).toBe(answer.url);
    else expect(refused).toMatchObject({ status: 401 });
    resource = await oauth.processResourceDiscoveryResponse(sessionUrl, answer);
    expect(resource.authorization_servers).toEqual([deployed.jmapUrl]);
  });

  test('2. reads the metadata of the authorization server, with the issuer of the request (RFC 8414 §3.3)', async () => {
    const issuer = new URL(resource.authorization_servers![0]!);
    server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { ...options, algorithm: 'oauth2' }));
    expect(server.code_challenge_methods_supported).toContain('S256');
    expect(server.response_types_supported).toEqual(['code']);
  });

  test('3. registers as clients of the open profile do (RFC 7591)', async () => {
    loopback = await (server.registration_endpoint ? listenOnLoopback() : listenOnLoopback(Number(new URL(cliCallbackUrls[1]).port)));
    if (!server.registration_endpoint) throw new Error('an unknown client needs registration');
    await resetDailyCap();
    const metadata = {
      client_name: 'Strict mail',
      redirect_uris: [loopback.redirectUri],
      scope: `openid offline_access ${profileMailScope}`,
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      application_type: 'native',
      software_id: 'com.example.strict',
      software_version: '1.0',
      client_uri: 'https://example.com',
      logo_uri: 'https://example.com/logo.png',
      policy_uri: 'https://example.com/privacy',
      tos_uri: 'https://example.com/terms',
    };
    client = await oauth.processDynamicClientRegistrationResponse(await patiently(() => oauth.dynamicClientRegistrationRequest(server, metadata, options)));
    expect(client).toMatchObject({ client_id: expect.any(String) as string, scope: 'openid email profile' });
  });

  /**
   * Signs Alice in with the scopes, by code and PKCE (RFC 7636). With a nonce, checks the ID token and its signature.
   */
  const signIn = async (issuer: oauth.AuthorizationServer, scope: string, nonce?: string): Promise<oauth.TokenEndpointResponse> => {
    const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
    const url = new URL(issuer.authorization_endpoint!);
    for (const [name, value] of Object.entries({
      client_id: client.client_id,
      redirect_uri: loopback.redirectUri,
      response_type: 'code',
      scope,
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(nonce && { nonce }),
    }))
      url.searchParams.set(name, value);
    const redirect = loopback.nextRedirect();
    await signInByForms('alice', url.href, loopback.redirectUri);
    const parameters = oauth.validateAuthResponse(issuer, client, await redirect, state);
    const answer = await oauth.authorizationCodeGrantRequest(issuer, client, publicClient, parameters, loopback.redirectUri, verifier, options);
    const expected = nonce ? { expectedNonce: nonce, requireIdToken: true } : {};
    const tokens = await oauth.processAuthorizationCodeResponse(issuer, client, answer, expected);
    if (nonce) await oauth.validateApplicationLevelSignature(issuer, answer, options);
    return tokens;
  };
  const openSession = async (accessToken: string): Promise<Record<string, unknown>> => {
    const answer = await oauth.protectedResourceRequest(accessToken, 'GET', sessionUrl, undefined, undefined, options);
    return (await answer.json()) as Record<string, unknown>;
  };

  // @pitfall client metadata-scopes
  test('4. signs a person in with every scope that the metadata of the resource and of the server list, and opens the session', async () => {
    for (const scopes of [resource.scopes_supported!, server.scopes_supported!, ['openid', 'offline_access', profileMailScope]]) {
      const tokens = await signIn(server, scopes.join(' '));
      expect(scopesOf(tokens.access_token)).toEqual(mailScopes.toSorted());
      expect(tokens.id_token).toBeUndefined();
      expect(await openSession(tokens.access_token)).toMatchObject({ apiUrl: `${deployed.jmapUrl}/jmap` });
    }
  });

  test('5. refreshes, and opens the session again', async () => {
    const tokens = await signIn(server, resource.scopes_supported!.join(' '));
    const refreshed = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, publicClient, tokens.refresh_token!, options),
    );
    expect(refreshed.refresh_token).not.toBe(tokens.refresh_token);
    expect(scopesOf(refreshed.access_token)).toEqual(scopesOf(tokens.access_token));
    expect(await openSession(refreshed.access_token)).toMatchObject({ apiUrl: `${deployed.jmapUrl}/jmap` });
  });

  test('6. gets no more scopes than it requested by name, also after a refresh', async () => {
    const tokens = await signIn(server, 'jmapApi/MAIL_READ');
    const refreshed = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, publicClient, tokens.refresh_token!, options),
    );
    for (const { access_token: token } of [tokens, refreshed]) {
      expect(scopesOf(token)).toEqual(['jmapApi/MAIL_READ']);
      const { accounts } = (await openSession(token)) as { accounts: Record<string, { isReadOnly: boolean }> };
      expect(Object.values(accounts).map(({ isReadOnly }) => isReadOnly)).toEqual([true]);
    }
  });

  test('7. revokes its refresh token (RFC 7009)', async () => {
    const tokens = await signIn(server, resource.scopes_supported!.join(' '));
    await oauth.processRevocationResponse(await oauth.revocationRequest(server, client, publicClient, tokens.refresh_token!, options));
    const refused = oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, publicClient, tokens.refresh_token!, options),
    );
    await expect(refused).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  // @pitfall client metadata-issuer
  test('8. with OpenID Connect follows openid-configuration to the issuer of the ID token, whose signature it checks', async () => {
    const { json } = await httpRequest(`${deployed.jmapUrl}/.well-known/openid-configuration`);
    const issuer = new URL((json as { issuer: string }).issuer);
    const provider = await oauth.processDiscoveryResponse(issuer, Response.json(json));
    const nonce = oauth.generateRandomNonce();
    const tokens = await signIn(provider, provider.scopes_supported!.join(' '), nonce);
    expect(oauth.getValidatedIdTokenClaims(tokens)).toMatchObject({ iss: issuer.href.replace(/\/$/, ''), aud: client.client_id });
    expect(await openSession(tokens.access_token)).toMatchObject({ apiUrl: `${deployed.jmapUrl}/jmap` });
    const refreshed = await oauth.processRefreshTokenResponse(
      provider,
      client,
      await oauth.refreshTokenGrantRequest(provider, client, publicClient, tokens.refresh_token!, options),
    );
    expect(await openSession(refreshed.access_token)).toMatchObject({ apiUrl: `${deployed.jmapUrl}/jmap` });
  });

  test('9. is refused scopes that no metadata list', async () => {
    for (const scope of ['phone', 'adminApi/ADMIN', 'aws.cognito.signin.user.admin']) {
      const url = `${server.authorization_endpoint}?${new URLSearchParams({
        client_id: client.client_id,
        redirect_uri: loopback.redirectUri,
        response_type: 'code',
        scope,
        state: 's',
      }).toString()}`;
      const page = (await httpRequest(url)).headers.get('location') ?? '';
      expect((await httpRequest(page)).headers.get('location')).toMatch(/[?&]error(?:_description)?=invalid_scope\b/);
    }
  });
});
