import { scopes } from '../../contract/oauth.ts';
import { bearerToken, type AccessToken, type VerifyAccessToken } from './access-token.ts';
import { header, problemResponse, type HttpRequest, type HttpResponse } from './http.ts';

/** A caller that may read mail, or the answer that turns it away. */
export type Admission = { readonly token: AccessToken; readonly refusal?: undefined } | { readonly token?: undefined; readonly refusal: HttpResponse };

/** Judges a request by its Authorization header alone; the body is not looked at. Rejects when the pool's keys can't be read. */
export type JmapGate = (request: HttpRequest) => Promise<Admission>;

/** The challenge of a 401 or 403 (RFC 6750 §3) with the place where a client learns how to get a token (RFC 9728 §5.1). */
export const challenge = (jmapUrl: string, more = ''): { readonly 'www-authenticate': string } => ({
  'www-authenticate': `Bearer resource_metadata="${jmapUrl}/.well-known/oauth-protected-resource"${more}`,
});

const unauthorized = (jmapUrl: string, hadToken: boolean): HttpResponse => problemResponse(
  { type: 'about:blank', status: 401, title: 'Unauthorized', detail: hadToken ? 'The access token is not valid.' : 'An access token is needed.' },
  challenge(jmapUrl, hadToken ? ', error="invalid_token"' : ''),
);

/** 403 with the challenge. @param more of the challenge, as for {@link challenge}. */
export const forbidden = (jmapUrl: string, detail: string, more = ''): HttpResponse =>
  problemResponse({ type: 'about:blank', status: 403, title: 'Forbidden', detail }, challenge(jmapUrl, more));

/** 403 for a token without the scope. */
export const insufficientScope = (jmapUrl: string, scope: string): HttpResponse =>
  forbidden(jmapUrl, `The access token lacks ${scope}.`, `, error="insufficient_scope", scope="${scope}"`);

/** 403 for a principal that the directory does not know, or that is not active any more. Without a URL there is no challenge: the refusal of a WebSocket's handshake carries no headers. */
export const unknownPrincipal = (jmapUrl?: string): HttpResponse => problemResponse(
  { type: 'about:blank', status: 403, title: 'Forbidden', detail: 'Whoever this token was issued to has no access.' },
  jmapUrl === undefined ? {} : challenge(jmapUrl),
);

/**
 * The gate of everything under the JMAP URL that needs a token: 401 without a valid one, 403 without jmapApi/MAIL_READ.
 * The caller asks the directory next, and answers {@link unknownPrincipal} before it looks at the body.
 */
export const jmapGate = (verify: VerifyAccessToken, jmapUrl: string): JmapGate => async (request) => {
  const bearer = bearerToken(header(request, 'authorization'));
  const token = bearer === undefined ? undefined : await verify(bearer);
  if (!token) return { refusal: unauthorized(jmapUrl, bearer !== undefined) };
  if (!token.scopes.has(scopes.MAIL_READ)) return { refusal: insufficientScope(jmapUrl, scopes.MAIL_READ) };
  return { token };
};
