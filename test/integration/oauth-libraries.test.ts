import { InMemoryWebStorage, OidcClient, WebStorageStateStore, type OidcClientSettings } from 'oidc-client-ts';
import { mailScopes, profileMailScope } from '../../contract/oauth/oauth.ts';
import { passSignInPage } from '../../sandbox/clients/hosted-sign-in.ts';
import { deployed, describeWith, sandboxUser } from './deployment.ts';
import { jmapClient } from './jmap-client.ts';
import { discover, registerClient, requestRefresh, scopesOf } from './oauth-client.ts';
import { prepareRequestsOauthlib, runRequestsOauthlibFlow } from './requests-oauthlib/requests-oauthlib.ts';

const redirectUri = 'com.example.libraries:/callback';
/** What clients of the OAuth Profile for Open Public Clients ask for. */
const scope = `openid offline_access ${profileMailScope}`;
const signIn = (url: string): Promise<URL> => passSignInPage(url, redirectUri, sandboxUser('alice'));

const expectEmails = async (accessToken: string): Promise<void> => {
  const client = await jmapClient(accessToken);
  const [queried] = await client.call(['Email/query', { limit: 1 }]);
  const [emails] = await client.call(['Email/get', { ids: queried!['ids'], properties: ['subject'] }]);
  expect(emails!['list']).toHaveLength((queried!['ids'] as string[]).length);
};

describeWith('users')('with the scopes of the open profile, from registration to Email/get,', () => {
  let metadata: Awaited<ReturnType<typeof discover>>;
  let clientId: string;
  beforeAll(async () => {
    metadata = await discover(deployed.jmapUrl);
    const registered = await registerClient(metadata, 'Integration test: OAuth libraries', [redirectUri]);
    clientId = (registered.json as { client_id: string }).client_id;
  });

  const oidcClient = (settings: Pick<OidcClientSettings, 'metadataUrl' | 'resource' | 'scope'>): OidcClient =>
    new OidcClient({
      authority: deployed.jmapUrl,
      client_id: clientId,
      redirect_uri: redirectUri,
      stateStore: new WebStorageStateStore({ store: new InMemoryWebStorage() }),
      ...settings,
    });

  describe('requests-oauthlib for Python', () => {
    beforeAll(prepareRequestsOauthlib);

    // @pitfall client open-profile-scopes
    test('signs in, refreshes, opens the session and revokes', async () => {
      const flow = await runRequestsOauthlibFlow({ jmapUrl: deployed.jmapUrl, clientId, redirectUri, scope }, signIn);
      expect(flow).toMatchObject({ rotated: true, apiUrl: `${deployed.jmapUrl}/jmap`, revoked: 200 });
      expect(scopesOf(flow.accessToken)).toEqual(mailScopes.toSorted());
      await expectEmails(flow.accessToken);
    });
  });

  test('oidc-client-ts signs in by openid-configuration, with an ID token, refreshes and reads mail', async () => {
    const client = oidcClient({ scope });
    const { url } = await client.createSigninRequest({ request_type: 'si:r' });
    expect(url).toContain(`${deployed.jmapUrl}/oauth/authorize/openid?`);
    const response = await client.processSigninResponse((await signIn(url)).href);
    expect(response).toMatchObject({ isOpenId: true, profile: { aud: clientId }, refresh_token: expect.any(String) as string });
    expect(scopesOf(response.access_token)).toEqual(['openid', ...mailScopes].toSorted());
    await expectEmails(response.access_token);
    const refreshed = (await requestRefresh(metadata.token_endpoint, clientId, response.refresh_token)).json as { access_token: string };
    expect(scopesOf(refreshed.access_token)).toEqual(scopesOf(response.access_token));
  });

  test('oidc-client-ts without openid signs in by RFC 8414’s document, without an ID token, and names the resource (RFC 8707)', async () => {
    const client = oidcClient({
      metadataUrl: `${deployed.jmapUrl}/.well-known/oauth-authorization-server`,
      scope: `offline_access ${profileMailScope}`,
      resource: `${deployed.jmapUrl}/.well-known/jmap`,
    });
    const { url } = await client.createSigninRequest({ request_type: 'si:r', prompt: 'consent', login_hint: sandboxUser('alice').email });
    expect(url).toContain(`${deployed.jmapUrl}/oauth/authorize?`);
    const response = await client.processSigninResponse((await signIn(url)).href);
    expect(response.id_token).toBeUndefined();
    expect(scopesOf(response.access_token)).toEqual(mailScopes.toSorted());
    await expectEmails(response.access_token);
  });
});
