import * as oauth from 'oauth4webapi';
import type { HttpRequest, HttpResponse } from '../../../core/runtime/http/http.ts';
import { jmapGate } from '../../../core/runtime/http/jmap-gate.ts';
import { discoveryHandler } from '../../../lambdas/discovery/discovery-handler.ts';
import { downloadSlots } from '../../../lambdas/downloads/download-slots.ts';
import { serveDownloads } from '../../../lambdas/downloads/serve-downloads.ts';
import { serveUploads } from '../../../lambdas/uploads/serve-uploads.ts';
import { memoryLog } from '../../fakes/memory-log.ts';
import { downloadRequest, uploadRequest } from '../../support/blob-requests.ts';
import { perTest } from '../../support/per-test.ts';
import { jmapDeploymentPerTest, settings } from '../jmap/jmap-deployment.ts';
import { registrationDeployment } from '../registration/registration-deployment.ts';

const { jmapUrl } = settings;
/** Cognito's own metadata, limited to properties that contradict what registered clients may request. */
const pool = {
  issuer: 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_abc',
  authorization_endpoint: 'https://auth.example.test/oauth2/authorize',
  token_endpoint: 'https://auth.example.test/oauth2/token',
  userinfo_endpoint: 'https://auth.example.test/oauth2/userInfo',
  jwks_uri: 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_abc/.well-known/jwks.json',
  response_types_supported: ['code', 'token'],
  scopes_supported: ['openid', 'email', 'phone', 'profile'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
};
const mailScopes = ['jmapApi/MAIL_READ', 'jmapApi/MAIL_WRITE', 'jmapApi/MAIL_SEND'];
const requestable = ['urn:ietf:params:oauth:scope:mail', 'offline_access', ...mailScopes];

const jmap = jmapDeploymentPerTest();
const registration = perTest(() => registrationDeployment());

/** A fetch function for the library. The handlers behind the JMAP URL respond. */
const throughHandlers = (async (input: string, init: { method?: string; headers: Record<string, string>; body?: unknown }) => {
  const url = new URL(input);
  const method = init.method ?? 'GET';
  const request = {
    rawPath: url.pathname,
    rawQueryString: url.search.slice(1),
    queryStringParameters: Object.fromEntries(url.searchParams),
    headers: init.headers,
    body: init.body,
    requestContext: { http: { method, sourceIp: '192.0.2.1' }, stage: '$default' },
    routeKey: `${method} ${url.pathname}`,
  } as unknown as HttpRequest;
  const { statusCode = 500, headers, body } = await handlerOf(url, request);
  return new Response(body, { status: statusCode, headers: headers as Record<string, string> });
}) as unknown as typeof fetch;

const register = async (request: HttpRequest): Promise<HttpResponse> => {
  const { status, headers, body } = await registration.send(request);
  return { statusCode: status, headers: headers as Record<string, string>, body: JSON.stringify(body) };
};

const handlerOf = (url: URL, request: HttpRequest): Promise<HttpResponse> => {
  if (url.origin !== jmapUrl) throw new Error(`unexpected request to ${url.origin}`);
  const gate = jmapGate(jmap.verify, jmapUrl);
  if (url.pathname === '/oauth/register') return register(request);
  const blobs = { gate, principals: jmap.jmap.principals, jmapUrl, log: memoryLog() };
  if (url.pathname === '/download') {
    const query = Object.fromEntries(url.searchParams);
    return serveDownloads({ ...blobs, blobs: jmap.jmap.dependencies.blobs, slots: downloadSlots(jmap.mail, jmap.now, blobs.log) })(
      downloadRequest(query, request.headers as Record<string, string>),
    );
  }
  if (url.pathname.startsWith('/upload/')) {
    const serve = serveUploads({ ...blobs, objects: jmap.objects, uploadedOctets: jmap.jmap.dependencies.uploadedOctets, clock: jmap.now });
    return serve(uploadRequest(url.pathname.slice('/upload/'.length), Buffer.from(request.body ?? ''), request.headers as Record<string, string>));
  }
  if (url.pathname.startsWith('/.well-known/') && url.pathname !== '/.well-known/jmap') {
    return discoveryHandler({
      deployment: { jmapUrl, authorizationUrl: jmapUrl, authUrl: 'https://auth.example.test', cliClientId: 'cli', dynamicRegistration: true },
      authorizationApiId: 'authorization',
      readProviderMetadata: async () => pool,
      log: memoryLog(),
    })(request);
  }
  const [method, body] = [request.requestContext.http.method, request.body];
  return jmap.http(method, url.pathname, {
    token: request.headers['authorization']?.slice('Bearer '.length) ?? null,
    rawQueryString: url.search.slice(1),
    query: Object.fromEntries(url.searchParams),
    body,
  });
};

const options = { [oauth.customFetch]: throughHandlers };

const discoverServer = async (issuer: string) => {
  const url = new URL(issuer);
  return oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, { ...options, algorithm: 'oauth2' }));
};

/** The challenge in the response to a request with a token, parsed by the library. */
const challengeOf = async (method: string, url: URL, token: string) => {
  const headers = new Headers();
  const body = method === 'POST' ? '{}' : undefined;
  const challenge: unknown = await oauth.protectedResourceRequest(token, method, url, headers, body, options).catch((error: unknown) => error);
  expect(challenge).toBeInstanceOf(oauth.WWWAuthenticateChallengeError);
  return (challenge as oauth.WWWAuthenticateChallengeError).cause[0]!.parameters;
};

const protectedUrls: readonly (readonly [method: string, pathAndQuery: string])[] = [
  ['GET', '/.well-known/jmap'],
  ['POST', '/jmap'],
  ['GET', '/eventsource?types=*&closeafter=no&ping=0'],
  ['POST', '/upload/acc_alice'],
  ['GET', '/download?accountId=acc_alice&blobId=B1&type=text%2Fplain&name=r%C3%A9sum%C3%A9.txt'],
];

describe('oauth4webapi, a strict OAuth library,', () => {
  // @pitfall client metadata-resource
  test.each(protectedUrls)('follows the challenge of %s %s to metadata of that URL (RFC 9728 §3.3)', async (method, pathAndQuery) => {
    const asked = new URL(jmapUrl + pathAndQuery);
    const { resource_metadata: url, error } = await challengeOf(method, asked, 'expired');
    expect(error).toBe('invalid_token');
    const resource = await oauth.processResourceDiscoveryResponse(asked, await throughHandlers(url!, { headers: {} }));
    expect(resource).toMatchObject({ authorization_servers: [jmapUrl], scopes_supported: mailScopes });
    expect((await discoverServer(resource.authorization_servers![0]!)).issuer).toBe(jmapUrl);
  });

  test.each(protectedUrls)('finds the metadata of %s %s by itself (RFC 9728 §3.1)', async (_method, pathAndQuery) => {
    const resource = new URL(jmapUrl + pathAndQuery);
    const found = await oauth.processResourceDiscoveryResponse(resource, await oauth.resourceDiscoveryRequest(resource, options));
    expect(found.resource).toBe(resource.href);
  });

  test('finds the metadata of the whole API', async () => {
    const resource = new URL(jmapUrl);
    const found = await oauth.processResourceDiscoveryResponse(resource, await oauth.resourceDiscoveryRequest(resource, options));
    expect(found).toMatchObject({ resource: jmapUrl, authorization_servers: [jmapUrl] });
  });

  test.each([
    ['of a token without jmapApi/MAIL_READ', 'admin', 'insufficient_scope'],
    ['of a deactivated person', 'carol', undefined],
  ])('follows the challenge %s', async (_title, token, error) => {
    const asked = new URL(`${jmapUrl}/.well-known/jmap`);
    const parameters = await challengeOf('GET', asked, token);
    expect(parameters.error).toBe(error);
    await oauth.processResourceDiscoveryResponse(asked, await throughHandlers(parameters.resource_metadata!, { headers: {} }));
  });

  test('reads in RFC 8414’s document our authorization endpoint, and only scopes and response types that it grants', async () => {
    const server = await discoverServer(jmapUrl);
    expect(server).toMatchObject({
      authorization_endpoint: `${jmapUrl}/oauth/authorize`,
      scopes_supported: requestable,
      response_types_supported: ['code'],
      token_endpoint: pool.token_endpoint,
      jwks_uri: pool.jwks_uri,
      code_challenge_methods_supported: ['S256'],
    });
  });

  test('gets no OpenID Connect metadata from an issuer whose ID tokens would name another issuer', async () => {
    const server = await discoverServer(jmapUrl);
    expect(server.scopes_supported).not.toContain('openid');
    for (const name of ['userinfo_endpoint', 'subject_types_supported', 'id_token_signing_alg_values_supported']) {
      expect(server).not.toHaveProperty(name);
    }
  });

  // @pitfall client metadata-issuer
  test('reads in openid-configuration the issuer of ID tokens, with the scopes of OpenID Connect but no phone', async () => {
    const answer = await throughHandlers(`${jmapUrl}/.well-known/openid-configuration`, { headers: {} });
    const server = await oauth.processDiscoveryResponse(new URL(pool.issuer), answer);
    expect(server).toMatchObject({
      issuer: pool.issuer,
      scopes_supported: ['openid', 'email', 'profile', ...requestable],
      response_types_supported: ['code'],
      userinfo_endpoint: pool.userinfo_endpoint,
    });
  });

  test('registers', async () => {
    const metadata = { client_name: 'Strict mail', redirect_uris: ['http://127.0.0.1:51234/callback'], scope: mailScopes.join(' ') };
    const server = await discoverServer(jmapUrl);
    const client = await oauth.processDynamicClientRegistrationResponse(await oauth.dynamicClientRegistrationRequest(server, metadata, options));
    expect(client).toMatchObject({ client_id: expect.any(String) as string, scope: 'openid email profile', token_endpoint_auth_method: 'none' });
  });
});

describe('the URL of the metadata in a challenge', () => {
  const metadataUrlOf = async (path: string, rawQueryString: string) => {
    const { headers } = await jmap.http('GET', path, { token: null, rawQueryString });
    return /resource_metadata="([^"]*)"/.exec(String(headers?.['www-authenticate']))?.[1];
  };
  const document = `${jmapUrl}/.well-known/oauth-protected-resource`;

  test('does not contain the access token in the query', async () => {
    expect(await metadataUrlOf('/eventsource', 'access_token=secret&types=*')).toBe(`${document}/eventsource?types=*`);
    expect(await metadataUrlOf('/eventsource', 'access_token=secret')).toBe(`${document}/eventsource`);
  });

  test.each([
    ['an unknown path', '/nothing', ''],
    ['a quote in the query', '/eventsource', 'x="'],
    ['a line end', '/eventsource', 'x=\r\nset-cookie: a'],
    ['a long query', '/eventsource', `x=${'a'.repeat(3000)}`],
    ['the root', '/', ''],
  ])('names the document of the whole API for %s', async (_title, path, query) => {
    expect(await metadataUrlOf(path, query)).toBe(document);
  });
});

test('the metadata of a URL without a protected resource are 404', async () => {
  for (const path of ['/', '/nothing', '/jmap/', '/upload/', '/upload/a/b', '/oauth/register', '/.well-known/openid-configuration']) {
    expect((await throughHandlers(`${jmapUrl}/.well-known/oauth-protected-resource${path}`, { headers: {} })).status).toBe(404);
  }
});
