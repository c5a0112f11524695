import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { userPoolIssuer } from '../../../contract/oauth/hosted-page.ts';
import { emulated } from '../../emulator/emulator-process.ts';
import type { DeployedStack } from './deployed-apis.ts';
import { sendJson, UpstreamError, type EmulatorUpstream } from './emulator-upstream.ts';
import { notDeployed } from './http-api-proxy.ts';

const anyOrigin = { 'access-control-allow-origin': '*' };

/**
 * A user pool's OpenID configuration, with the gateway's URLs instead of the pool's domain. The issuer is that of the
 * tokens.
 */
const openidConfiguration = (userPoolId: string, authUrl: string, identityProviderUrl: string) => ({
  authorization_endpoint: `${authUrl}/oauth2/authorize`,
  end_session_endpoint: `${authUrl}/logout`,
  id_token_signing_alg_values_supported: ['RS256'],
  issuer: userPoolIssuer(emulated.region, userPoolId),
  jwks_uri: `${identityProviderUrl}/${userPoolId}/.well-known/jwks.json`,
  response_types_supported: ['code', 'token'],
  revocation_endpoint: `${authUrl}/oauth2/revoke`,
  scopes_supported: ['openid', 'email', 'phone', 'profile'],
  subject_types_supported: ['public'],
  token_endpoint: `${authUrl}/oauth2/token`,
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  userinfo_endpoint: `${authUrl}/oauth2/userInfo`,
});

/** Serves the public part of `cognito-idp.<region>.amazonaws.com`: a pool's keys and OpenID configuration. */
export const identityProviderProxy = (
  upstream: EmulatorUpstream,
  urls: { readonly auth: string; readonly identityProvider: string },
  find: () => DeployedStack | undefined,
): RequestListener => {
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    request.resume();
    const deployment = find();
    if (!deployment) return sendJson(response, 503, notDeployed);
    const [path = ''] = (request.url ?? '').split('?', 1);
    const base = `/${deployment.userPoolId}/.well-known`;
    if (request.method !== 'GET') return sendJson(response, 405, { message: 'Method Not Allowed' }, { allow: 'GET' });
    if (path === `${base}/openid-configuration`) {
      return sendJson(response, 200, openidConfiguration(deployment.userPoolId, urls.auth, urls.identityProvider), anyOrigin);
    }
    if (path !== `${base}/jwks.json`) return sendJson(response, 404, { message: 'Not Found' });
    const from = await upstream.send({ method: 'GET', path, headers: { host: new URL(upstream.endpoint).host }, body: Buffer.alloc(0) }, 10_000);
    response.writeHead(from.statusCode!, { 'content-type': 'application/json', ...anyOrigin });
    from.pipe(response);
  };
  return (request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (error instanceof UpstreamError && !response.headersSent) sendJson(response, 503, { message: error.message });
      else response.destroy();
    });
  };
};
