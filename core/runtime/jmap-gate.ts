import { scopes } from '../../contract/oauth.ts';
import { bearerToken, type AccessToken, type VerifyAccessToken } from './access-token.ts';
import { header, problemResponse, type HttpRequest, type HttpResponse } from './http.ts';

/** The token of a caller that may read mail, or the response that refuses the request. */
export type Admission = { readonly token: AccessToken; readonly refusal?: undefined } | {
  readonly token?: undefined;
  readonly refusal: HttpResponse;
};

/** Checks the Authorization header of a request, not its body. @throws if the user pool's keys can't be read. */
export type JmapGate = (request: HttpRequest) => Promise<Admission>;

/**
 * The WWW-Authenticate header of a 401 or 403 (RFC 6750 §3), with the URL of the protected resource metadata (RFC 9728
 * §5.1).
 */
export const challenge = (jmapUrl: string, parameters = ''): { readonly 'www-authenticate': string } => ({
  'www-authenticate': `Bearer resource_metadata="${jmapUrl}/.well-known/oauth-protected-resource"${parameters}`,
});

/** 401 without a valid token. */
export const unauthorized = (jmapUrl: string, hadToken: boolean): HttpResponse => problemResponse(
  {
    type: 'about:blank',
    status: 401,
    title: 'Unauthorized',
    detail: hadToken ? 'The access token is not valid.' : 'An access token is needed.',
  },
  challenge(jmapUrl, hadToken ? ', error="invalid_token"' : ''),
);

/** 403 with a challenge. @param parameters of the challenge, each after a comma. */
export const forbidden = (jmapUrl: string, detail: string, parameters = ''): HttpResponse =>
  problemResponse({ type: 'about:blank', status: 403, title: 'Forbidden', detail }, challenge(jmapUrl, parameters));

/** 403 for a token without the scope. */
export const insufficientScope = (jmapUrl: string, scope: string): HttpResponse =>
  forbidden(jmapUrl, `The access token lacks ${scope}.`, `, error="insufficient_scope", scope="${scope}"`);

/**
 * 403 for a principal that is not in the directory or not active.
 * @param jmapUrl for the challenge; left out for a WebSocket handshake, whose response has no headers.
 */
export const unknownPrincipal = (jmapUrl?: string): HttpResponse => problemResponse(
  { type: 'about:blank', status: 403, title: 'Forbidden', detail: 'The user or client of this token has no access.' },
  jmapUrl === undefined ? {} : challenge(jmapUrl),
);

/**
 * The gate of all routes below the JMAP URL that need a token: 401 without a valid token, 403 without
 * jmapApi/MAIL_READ. The caller then finds the principal, and returns {@link unknownPrincipal} before it reads the
 * body.
 */
export const jmapGate = (verify: VerifyAccessToken, jmapUrl: string): JmapGate => async (request) => {
  const bearer = bearerToken(header(request, 'authorization'));
  const token = bearer === undefined ? undefined : await verify(bearer);
  if (!token) return { refusal: unauthorized(jmapUrl, bearer !== undefined) };
  if (!token.scopes.has(scopes.MAIL_READ)) return { refusal: insufficientScope(jmapUrl, scopes.MAIL_READ) };
  return { token };
};
