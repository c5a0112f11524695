import { deployed } from './deployed.ts';
import { ask } from './http.ts';

const wellKnown = (name: string) => ask(`${deployed.jmapUrl}/.well-known/${name}`);

describe('discovery', () => {
  test('openid-configuration says where to sign in, without a token', async () => {
    const answer = await wellKnown('openid-configuration');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.json).toMatchObject({
      issuer: expect.stringContaining(deployed.outputs['userPoolId']!),
      authorization_endpoint: `${deployed.authUrl}/oauth2/authorize`,
      token_endpoint: `${deployed.authUrl}/oauth2/token`,
      jwks_uri: expect.stringMatching(/\/\.well-known\/jwks\.json$/),
    });
  });

  test('the key set that it names is there', async () => {
    const { jwks_uri: keySet } = (await wellKnown('openid-configuration')).json as { jwks_uri: string };
    const answer = await ask(keySet);
    expect(answer).toMatchObject({ status: 200, json: { keys: expect.arrayContaining([expect.objectContaining({ kty: 'RSA', kid: expect.any(String) })]) } });
  });

  test('registration is not offered while it is off, and says so to whoever tries', async () => {
    expect((await wellKnown('openid-configuration')).json).not.toHaveProperty('registration_endpoint');
    const answer = await ask(`${deployed.jmapUrl}/oauth/register`, {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ client_name: 'x', redirect_uris: ['http://127.0.0.1/'] }),
    });
    expect(answer).toMatchObject({ status: 404, json: { error: expect.any(String), error_description: expect.any(String) } });
  });

  test('oauth-authorization-server carries our own issuer', async () => {
    expect(await wellKnown('oauth-authorization-server')).toMatchObject({
      status: 200, json: { issuer: deployed.jmapUrl, token_endpoint: `${deployed.authUrl}/oauth2/token` },
    });
  });

  test('oauth-protected-resource names the authorization server and the scopes', async () => {
    expect(await wellKnown('oauth-protected-resource')).toMatchObject({
      status: 200,
      json: {
        resource: deployed.jmapUrl, authorization_servers: [deployed.jmapUrl], bearer_methods_supported: ['header'],
        scopes_supported: expect.arrayContaining(['jmapApi/MAIL_READ', 'jmapApi/MAIL_WRITE', 'jmapApi/MAIL_SEND']), resource_name: expect.any(String),
      },
    });
  });

  test('an unknown path answers 404, below .well-known and elsewhere', async () => {
    expect((await wellKnown('nothing')).status).toBe(404);
    expect((await ask(`${deployed.jmapUrl}/nothing`)).status).toBe(404);
    expect((await ask(`${deployed.jmapUrl}/`)).status).toBe(404);
  });
});
