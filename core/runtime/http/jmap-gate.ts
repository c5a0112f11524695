import { discoveryPaths, isProtectedUrl, signOutPaths } from '../../../contract/jmap/discovery.ts';
import { accessTokenParameter } from '../../../contract/jmap/web-socket.ts';
import { scopes } from '../../../contract/oauth/oauth.ts';
import { bearerToken, missingScope, type AccessToken, type VerifyAccessToken } from './access-token.ts';
import { header, problemResponse, type HttpRequest, type HttpResponse } from './http.ts';

/** The token of a caller who may read mail, or the response for a refused request. */
type Admission = { readonly token: AccessToken; readonly refusal?: undefined } | { readonly token?: undefined; readonly refusal: HttpResponse };

/** Checks the Authorization header of a request, but not the body. @throws if the user pool's keys can't be read. */
export type JmapGate = (request: HttpRequest) => Promise<Admission>;

/**
 * URL of the metadata for the protected resource of a request (RFC 9728 §3.1). The metadata's `resource` is the
 * requested URL without a token in it (§3.3). Any other URL gets the metadata of the whole API.
 */
export const resourceMetadataUrl = (jmapUrl: string, { rawPath, rawQueryString }: Partial<HttpRequest>): string => {
  const query = (rawQueryString ?? '')
    .split('&')
    .filter((part) => part !== '' && !part.startsWith(`${accessTokenParameter}=`))
    .join('&');
  const pathAndQuery = `${rawPath ?? ''}${query === '' ? '' : `?${query}`}`;
  return `${jmapUrl}${discoveryPaths.protectedResource}${isProtectedUrl(pathAndQuery) ? pathAndQuery : ''}`;
};

/** A refused request, and the JMAP URL under which its metadata are published. */
export type Refused = { readonly jmapUrl: string; readonly request: HttpRequest };

/**
 * The WWW-Authenticate header of a 401 or 403 (RFC 6750 §3), with the URL of the protected resource metadata (RFC 9728
 * §5.1).
 */
export const challenge = ({ jmapUrl, request }: Refused, parameters = ''): { readonly 'www-authenticate': string } => ({
  'www-authenticate': `Bearer resource_metadata="${resourceMetadataUrl(jmapUrl, request)}"${parameters}`,
});

const withoutValidToken = (refused: Refused, detail: string, parameters: string): HttpResponse =>
  problemResponse({ type: 'about:blank', status: 401, title: 'Unauthorized', detail }, challenge(refused, parameters));

/** The response 401 for a request without a valid token. */
export const unauthorized = (refused: Refused, hadToken: boolean): HttpResponse =>
  hadToken
    ? withoutValidToken(refused, 'The access token is not valid.', ', error="invalid_token"')
    : withoutValidToken(refused, 'An access token is needed.', '');

/** The response 401 for a token of a sign-in that has ended. A browser that is still signed in gets only such tokens. */
export const endedSignIn = (refused: Refused): HttpResponse =>
  withoutValidToken(
    refused,
    'The sign-in of this access token has ended, for example by a new password: sign in again. If a new token is refused too, the browser is still signed in ' +
      `from before: open ${refused.jmapUrl}${signOutPaths.start} in it first.`,
    ', error="invalid_token"',
  );

/** The response 403 with a challenge. @param parameters parameters of the challenge, each after a comma. */
export const forbidden = (refused: Refused, detail: string, parameters = ''): HttpResponse =>
  problemResponse({ type: 'about:blank', status: 403, title: 'Forbidden', detail }, challenge(refused, parameters));

/** The response 403 for a token without the scope. */
export const insufficientScope = (refused: Refused, scope: string): HttpResponse =>
  forbidden(refused, `The ${missingScope(scope)}.`, `, error="insufficient_scope", scope="${scope}"`);

/**
 * The response 403 for a principal that is not in the directory or not active.
 * @param refused the request, for the challenge. It is left out for a WebSocket handshake, whose response has no
 * headers.
 */
export const unknownPrincipal = (refused?: Refused): HttpResponse =>
  problemResponse(
    { type: 'about:blank', status: 403, title: 'Forbidden', detail: 'The user or client of this token has no access.' },
    refused === undefined ? {} : challenge(refused),
  );

/**
 * The gate of all routes below the JMAP URL that need a token. It responds with 401 without a valid token, and with 403
 * without jmapApi/MAIL_READ. The caller then finds the principal, and returns {@link unknownPrincipal} before it reads
 * the body.
 */
export const jmapGate =
  (verify: VerifyAccessToken, jmapUrl: string): JmapGate =>
  async (request) => {
    const bearer = bearerToken(header(request, 'authorization'));
    const token = bearer === undefined ? undefined : await verify(bearer);
    if (!token) return { refusal: unauthorized({ jmapUrl, request }, bearer !== undefined) };
    if (!token.scopes.has(scopes.MAIL_READ)) return { refusal: insufficientScope({ jmapUrl, request }, scopes.MAIL_READ) };
    return { token };
  };
