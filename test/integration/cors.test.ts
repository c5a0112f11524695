import { CognitoIdentityProviderClient, DescribeUserPoolClientCommand } from '@aws-sdk/client-cognito-identity-provider';
import { services } from '../../contract/admin/index.ts';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { adminMachineToken } from './access-tokens.ts';
import { deployed } from './deployment.ts';
import { type HttpResponse, bearer, challengeOf, httpRequest } from './http-requests.ts';

const preflight = (url: string, origin: string, method: string): Promise<HttpResponse> =>
  httpRequest(url, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'authorization,content-type' },
  });

/** The URL of a path below the JMAP URL. Without a custom domain, downloads have a host of their own. */
const urlOf = (path: string): string =>
  path.startsWith('/download') ? `${deployed.outputs['downloadUrl']}${path.slice('/download'.length)}` : deployed.jmapUrl + path;

const allowedHeaders = (answer: HttpResponse): string[] => (answer.headers.get('access-control-allow-headers') ?? '').toLowerCase().split(/\s*,\s*/);

/** The console's origin, from its callback URL. */
const findConsoleOrigin = async (): Promise<string> => {
  const cognito = new CognitoIdentityProviderClient(awsClientConfig(deployed));
  const { UserPoolClient: client } = await cognito.send(
    new DescribeUserPoolClientCommand({ UserPoolId: deployed.outputs['userPoolId'], ClientId: deployed.clients.console.clientId }),
  );
  cognito.destroy();
  return new URL(client!.CallbackURLs![0]!).origin;
};

const jmapEndpoints: [string, string][] = [
  ['GET', '/.well-known/jmap'],
  ['GET', '/.well-known/openid-configuration'],
  ['GET', '/.well-known/oauth-protected-resource'],
  ['GET', '/.well-known/oauth-authorization-server'],
  ['GET', '/.well-known/nothing'],
  ['POST', '/jmap'],
  ['GET', '/eventsource?types=*&closeafter=no&ping=0'],
  ['POST', '/upload/acc_x'],
  ['GET', '/download?accountId=a&blobId=b&type=text%2Fplain&name=n'],
  ['HEAD', '/download?accountId=a&blobId=b&type=text%2Fplain&name=n'],
  ['POST', '/oauth/register'],
];

describe('CORS', () => {
  // @pitfall http cors
  // @pitfall http preflight
  test.each(jmapEndpoints)('%s %s of JMAP can be called from any origin, and the preflight is cached', async (method, path) => {
    const answer = await preflight(urlOf(path), 'https://mail.anywhere.example', method);
    expect([200, 204]).toContain(answer.status);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-allow-methods')?.split(/\s*,\s*/)).toContain(method);
    expect(allowedHeaders(answer)).toEqual(expect.arrayContaining(['authorization', 'content-type', 'range', 'if-none-match']));
    expect(Number(answer.headers.get('access-control-max-age'))).toBeGreaterThan(0);
  });

  test('no other origin may call or read the authorization endpoint', async () => {
    const origin = 'https://mail.anywhere.example';
    const documents = ['oauth-authorization-server', 'openid-configuration'].map((name) => `${deployed.jmapUrl}/.well-known/${name}`);
    for (const document of documents) {
      const { authorization_endpoint: url } = (await httpRequest(document)).json as { readonly authorization_endpoint: string };
      const asked = await httpRequest(`${url}?client_id=c&redirect_uri=com.example%3A%2Fcb`, { headers: { origin } });
      expect(asked.status).toBe(302);
      for (const answer of [asked, await preflight(url, origin, 'GET'), await httpRequest(url, { headers: { origin } })]) {
        expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
      }
    }
  });

  test('a 401 of JMAP is readable from any origin', async () => {
    const answer = await httpRequest(`${deployed.jmapUrl}/.well-known/jmap`, { headers: { origin: 'https://mail.anywhere.example' } });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect((answer.headers.get('access-control-expose-headers') ?? '').toLowerCase()).toContain('www-authenticate');
  });

  test.each([
    ['GET', '/.well-known/jmap'],
    ['POST', '/jmap'],
    ['POST', '/upload/acc_x'],
    ['GET', '/download?accountId=a&blobId=b&type=text%2Fplain&name=n'],
  ])('the 401 and 403 of %s %s expose WWW-Authenticate with the URL of the resource metadata', async (method, path) => {
    for (const [token, status] of [
      [undefined, 401],
      ['forged', 401],
      [await adminMachineToken(), 403],
    ] as const) {
      const answer = await httpRequest(urlOf(path), {
        method,
        headers: { origin: 'https://mail.anywhere.example', ...bearer(token) },
        ...(method === 'POST' && { body: '{}' }),
      });
      expect(answer.status).toBe(status);
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect(answer.headers.get('access-control-expose-headers')?.toLowerCase()).toContain('www-authenticate');
      expect(challengeOf(answer)).toContain(`Bearer resource_metadata="${deployed.jmapUrl}/.well-known/oauth-protected-resource${path}"`);
    }
  });

  const firstMethods = Object.values(services).map((service) => `${service.name}/${Object.keys(service.methods)[0]}`);
  test.each(firstMethods)('%s refuses the preflight of other origins than the console’s', async (method) => {
    const response = await preflight(`${deployed.adminApiUrl}/${method}`, 'https://evil.example', 'POST');
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  test.each(['token', 'revoke'])('web clients of any origin can read the answers of the sign-in at /oauth2/%s', async (endpoint) => {
    const answer = await httpRequest(`${deployed.authUrl}/oauth2/${endpoint}`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: deployed.clients.cli.clientId, token: 'none', grant_type: 'refresh_token', refresh_token: 'none' }),
      headers: { origin: 'https://mail.anywhere.example' },
    });
    expect(answer.status).toBeLessThan(500);
    expect(answer.headers.get('access-control-allow-origin')).toMatch(/^(?:\*|https:\/\/mail\.anywhere\.example)$/);
  });

  test('the console can call the admin API and read its errors', async () => {
    const consoleOrigin = await findConsoleOrigin();
    for (const service of Object.keys(services)) {
      const answer = await preflight(`${deployed.adminApiUrl}/${service}/Any`, consoleOrigin, 'POST');
      expect([200, 204]).toContain(answer.status);
      expect(answer.headers.get('access-control-allow-origin')).toBe(consoleOrigin);
      expect(allowedHeaders(answer)).toEqual(expect.arrayContaining(['authorization', 'content-type']));
    }
    const refused = await httpRequest(`${deployed.adminApiUrl}/status/Ping`, { method: 'POST', body: '{}', headers: { origin: consoleOrigin } });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('access-control-allow-origin')).toBe(consoleOrigin);
    const answered = await httpRequest(`${deployed.adminApiUrl}/status/Ping`, {
      method: 'POST',
      body: '{}',
      headers: { origin: consoleOrigin, ...bearer(await adminMachineToken()) },
    });
    expect(answered.headers.get('access-control-allow-origin')).toBe(consoleOrigin);
  });

  test('the console’s origin serves the methods of the admin API too, where pages have the same paths, and no other origin', async () => {
    const consoleOrigin = await findConsoleOrigin();
    const post = (path: string, token?: string) =>
      httpRequest(consoleOrigin + path, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json', ...bearer(token) } });
    const token = await adminMachineToken();
    expect((await post('/status/Ping', token)).status).toBe(200);
    for (const service of Object.keys(services)) {
      expect([(await post(`/${service}/Any`, token)).status, (await post(`/${service}/Any`)).status]).toEqual([404, 401]);
      const page = await httpRequest(`${consoleOrigin}/${service}/Any`, { headers: bearer(token) });
      expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
    }
    for (const path of ['/', '/users', '/nothing/Any']) expect((await post(path, token)).status).toBe(405);
    const refused = await preflight(`${consoleOrigin}/status/Ping`, 'https://evil.example', 'POST');
    expect(refused.headers.get('access-control-allow-origin')).toBeNull();
  });
});
