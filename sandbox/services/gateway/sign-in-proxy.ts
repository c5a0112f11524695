import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import {
  CognitoIdentityProviderClient,
  DescribeUserPoolClientCommand,
  ResourceNotFoundException,
  RevokeTokenCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import { emulatorConfig, type DeployedStack } from './deployed-apis.ts';
import { sendJson, endToEnd, readBody, forwardResponse, UpstreamError, type EmulatorUpstream } from './emulator-upstream.ts';
import { forgotPasswordPaths, serveForgotPassword } from './forgot-password-page.ts';
import { notDeployed } from './http-api-proxy.ts';

/** The paths of a user pool's domain. Other paths of the emulator are not reachable through the gateway. */
const servedPaths = new Set([
  '/oauth2/authorize',
  '/oauth2/token',
  '/oauth2/userInfo',
  '/oauth2/revoke',
  '/oauth2/idpresponse',
  '/saml2/idpresponse',
  '/login',
  '/logout',
  '/signup',
  '/confirmUser',
  ...forgotPasswordPaths,
]);

/** Paths that scripts of web pages call. A user pool allows any origin. */
const corsPaths = new Set(['/oauth2/token', '/oauth2/userInfo', '/oauth2/revoke']);

const maximumFormBytes = 64 * 1024;
const upstreamTimeout = 30_000;

const corsHeaders = (path: string): OutgoingHttpHeaders =>
  corsPaths.has(path)
    ? {
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, POST, OPTIONS',
        'access-control-allow-headers': 'authorization, content-type',
        'access-control-max-age': '86400',
      }
    : {};

const basicCredentials = (authorization: string | undefined): { clientId: string; clientSecret: string } | undefined => {
  const encoded = /^basic +(\S+)$/i.exec(authorization ?? '')?.[1];
  if (!encoded) return undefined;
  const [clientId = '', ...secret] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return { clientId: decodeURIComponent(clientId), clientSecret: decodeURIComponent(secret.join(':')) };
};

const payloadOf = (token: string): Record<string, unknown> => {
  try {
    const payload: Record<string, unknown> = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    return payload;
  } catch {
    return {};
  }
};

const clientOf = async (client: CognitoIdentityProviderClient, userPoolId: string, clientId: string) => {
  try {
    return (await client.send(new DescribeUserPoolClientCommand({ UserPoolId: userPoolId, ClientId: clientId }))).UserPoolClient;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
};

/**
 * The revocation endpoint (RFC 7009), which the emulator lacks, by means of its RevokeToken call.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/revocation-endpoint.html
 */
const revoke = async (emulator: string, userPoolId: string, request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> => {
  const refuse = (status: number, error: string): void => sendJson(response, status, { error }, corsHeaders('/oauth2/revoke'));
  if (request.method !== 'POST') return refuse(405, 'invalid_request');
  const form = new URLSearchParams(body.toString('utf8'));
  const token = form.get('token');
  const basic = basicCredentials(request.headers.authorization);
  const clientId = basic?.clientId ?? form.get('client_id');
  if (!token || !clientId) return refuse(400, 'invalid_request');
  const cognito = new CognitoIdentityProviderClient(emulatorConfig(emulator));
  try {
    const client = await clientOf(cognito, userPoolId, clientId);
    if (!client || (client.ClientSecret ?? '') !== (basic?.clientSecret ?? form.get('client_secret') ?? '')) {
      return refuse(400, 'invalid_client');
    }
    if (client.EnableTokenRevocation === false) return refuse(400, 'unauthorized_client');
    const { token_use: use, client_id: owner } = payloadOf(token);
    if (use === 'access' || use === 'id') return refuse(400, 'unsupported_token_type');
    if (owner !== undefined && owner !== clientId) return refuse(400, 'invalid_request');
    await cognito.send(new RevokeTokenCommand({ Token: token, ClientId: clientId, ClientSecret: client.ClientSecret }));
    return sendJson(response, 200, undefined, corsHeaders('/oauth2/revoke'));
  } finally {
    cognito.destroy();
  }
};

/** Replaces the emulator's address in a redirect with the gateway's. */
const publicLocation = (location: string, emulator: string, publicUrl: string): string =>
  location.startsWith(`${emulator}/`) ? publicUrl + location.slice(emulator.length) : location;

/** The emulator's path for a request: GET /login shows the page of the authorization endpoint. */
const emulatorPath = (method: string, url: string): string =>
  method === 'GET' && /^\/login(?=\?|$)/.test(url) ? url.replace('/login', '/oauth2/authorize') : url;

/** Serves the user pool's domain: the hosted sign-in and the OAuth endpoints. */
export const signInProxy = (upstream: EmulatorUpstream, publicUrl: string, find: () => DeployedStack | undefined): RequestListener => {
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const deployment = find();
    const body = await readBody(request, maximumFormBytes);
    const [path = ''] = (request.url ?? '').split('?', 1);
    if (!deployment) return sendJson(response, 503, notDeployed);
    if (!servedPaths.has(path)) return sendJson(response, 404, { message: 'Not Found' });
    if (!body) return sendJson(response, 413, { message: 'Request Entity Too Large' });
    if (request.method === 'OPTIONS' && corsPaths.has(path)) return sendJson(response, 204, undefined, corsHeaders(path));
    if (forgotPasswordPaths.includes(path)) {
      const parameters = new URLSearchParams(request.method === 'POST' ? body.toString('utf8') : request.url!.slice(path.length));
      return serveForgotPassword(upstream.endpoint, { path, method: request.method!, parameters }, response);
    }
    if (path === '/oauth2/revoke') return revoke(upstream.endpoint, deployment.userPoolId, request, body, response);
    const from = await upstream.send(
      {
        method: request.method!,
        path: emulatorPath(request.method!, request.url!),
        headers: { ...endToEnd(request.headers), host: new URL(upstream.endpoint).host },
        body,
      },
      upstreamTimeout,
    );
    const { location } = from.headers;
    forwardResponse(from, response, { ...corsHeaders(path), ...(location ? { location: publicLocation(location, upstream.endpoint, publicUrl) } : {}) });
  };
  return (request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (error instanceof UpstreamError && !response.headersSent) sendJson(response, 503, { message: error.message });
      else response.destroy();
    });
  };
};
