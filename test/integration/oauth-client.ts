import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { httpRequest, type HttpResponse } from './http-requests.ts';
import { resetDailyCap } from './registration-cap.ts';

/** The properties of an authorization server's metadata (RFC 8414) that clients read. */
export type ServerMetadata = {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly registration_endpoint?: string;
  readonly revocation_endpoint: string;
  readonly end_session_endpoint: string;
  readonly jwks_uri: string;
  readonly code_challenge_methods_supported: readonly string[];
  readonly token_endpoint_auth_methods_supported: readonly string[];
};

/**
 * Finds the authorization server from the base URL alone (RFC 9728 §5, RFC 8414 §3). The 401 of the session names the
 * metadata of the session's URL; where WWW-Authenticate does not arrive, they are at the well-known URL (RFC 9728 §3.1).
 * These name the authorization server, whose metadata must have the same issuer.
 */
export const discover = async (baseUrl: string): Promise<ServerMetadata> => {
  const sessionUrl = `${baseUrl}/.well-known/jmap`;
  const unauthorized = await httpRequest(sessionUrl);
  const metadataUrl =
    /resource_metadata="([^"]+)"/.exec(unauthorized.headers.get('www-authenticate') ?? '')?.[1] ??
    `${baseUrl}/.well-known/oauth-protected-resource/.well-known/jmap`;
  const resource = (await httpRequest(metadataUrl)).json as { resource: string; authorization_servers: string[] };
  expect(resource.resource).toBe(sessionUrl);
  const [issuer = ''] = resource.authorization_servers;
  const metadata = (await httpRequest(`${issuer}/.well-known/oauth-authorization-server`)).json as ServerMetadata;
  expect(metadata.issuer).toBe(issuer);
  return metadata;
};

/** A PKCE verifier and its challenge (RFC 7636 §4). */
export const proofKey = (): { readonly verifier: string; readonly challenge: string } => {
  const verifier = randomBytes(48).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
};

/** The URL at which the browser signs in. */
export const authorizationUrl = (metadata: Pick<ServerMetadata, 'authorization_endpoint'>, parameters: Record<string, string>): string =>
  `${metadata.authorization_endpoint}?${new URLSearchParams({ response_type: 'code', scope: 'openid email profile', ...parameters }).toString()}`;

/** Registers a client (RFC 7591). */
export const registerClient = async (metadata: ServerMetadata, client_name: string, redirect_uris: readonly string[]): Promise<HttpResponse> => {
  await resetDailyCap();
  return httpRequest(metadata.registration_endpoint ?? '', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name, redirect_uris }),
  });
};

export const postForm = (url: string, form: Record<string, string>): Promise<HttpResponse> =>
  httpRequest(url, { method: 'POST', body: new URLSearchParams(form) });

/** Sends a refresh token of a public client to the token endpoint (RFC 6749 §6). */
export const requestRefresh = (tokenEndpoint: string, clientId: string, refreshToken = ''): Promise<HttpResponse> =>
  postForm(tokenEndpoint, { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken });

export type TokenAnswer = {
  readonly access_token: string;
  readonly id_token?: string;
  readonly refresh_token?: string;
  readonly token_type: string;
  readonly expires_in: number;
};

/** The claims of a token, unverified. */
export const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;

/** The scopes of an access token, sorted. */
export const scopesOf = (accessToken: string): string[] => String(claimsOf(accessToken)['scope']).split(' ').toSorted();

/** A native client's listener on a loopback port (RFC 8252 §7.3). */
export type Loopback = { readonly redirectUri: string; nextRedirect(): Promise<URLSearchParams>; close(): Promise<void> };

export const listenOnLoopback = async (port = 0, path = '/callback'): Promise<Loopback> => {
  const waiting: ((parameters: URLSearchParams) => void)[] = [];
  const server: Server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://127.0.0.1');
    response.writeHead(url.pathname === path ? 200 : 404, { 'content-type': 'text/plain' }).end('Signed in. Return to your mail program.');
    if (url.pathname === path) waiting.shift()?.(url.searchParams);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  return {
    redirectUri: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    nextRedirect: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
      }),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
};
