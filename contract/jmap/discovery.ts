/** Path of the JMAP session, where clients begin (RFC 8620 §2.2). */
export const sessionPath = '/.well-known/jmap';

/** Paths of the discovery documents, under the JMAP URL (docs/specification.md#discovery-documents). */
export const discoveryPaths = {
  /** The metadata of OpenID Connect Discovery 1.0. */
  openidConfiguration: '/.well-known/openid-configuration',
  /** The metadata of RFC 8414. */
  authorizationServer: '/.well-known/oauth-authorization-server',
  /** The metadata of RFC 9728. */
  protectedResource: '/.well-known/oauth-protected-resource',
} as const;

/**
 * Path and query of a URL that requires a token, as the URL's metadata name it (RFC 9728 §3.1). No other text is put
 * into a header.
 */
const protectedUrl = /^\/(?:\.well-known\/jmap|jmap|eventsource|download|upload\/[\w-]{1,255})(?:\?[\w\-.~:/?@!$&'()*+,;=%]*)?$/;
const maxProtectedUrlLength = 2048;

/** Whether the JMAP API has a protected resource with metadata at this path and query. */
export const isProtectedUrl = (pathAndQuery: string): boolean => pathAndQuery.length <= maxProtectedUrlLength && protectedUrl.test(pathAndQuery);

/**
 * Paths of the authorization endpoint (RFC 6749 §3.1), which translates scopes and redirects to the hosted sign-in page
 * (docs/specification.md#authorization-endpoint).
 */
export const authorizationPaths = {
  /** For clients of OAuth, without ID tokens. */
  oauth: '/oauth/authorize',
  /** For clients of OpenID Connect. */
  openid: '/oauth/authorize/openid',
} as const;

/**
 * Paths below the JMAP URL that end the sign-in of a browser at the hosted page. The page keeps a browser signed in for an
 * hour, also after a new password, and both APIs refuse the tokens of such a sign-in.
 */
export const signOutPaths = {
  /** Leads to the hosted page, which ends the sign-in and returns to `done`. */
  start: '/oauth/sign-out',
  /** Says that the browser is signed out. */
  done: '/oauth/signed-out',
} as const;

/** Maximum octets of the URL of the sign-in page. API Gateway sends at most 10,240 octets of header fields. */
export const maxSignInUrlLength = 8_192;

/** The path of client registration (RFC 7591 §3). */
export const registrationPath = '/oauth/register';

/** Seconds for which a discovery document may be cached. */
export const discoveryMaxAge = 300;

/** The property `resource_name` of the protected resource (RFC 9728 §2). */
export const resourceName = 'Postrider JMAP API';

/**
 * Requests of other web origins to the JMAP API (Fetch §3.2): any origin may call it, because tokens are in a header.
 * Names of headers are in lower case.
 */
export const jmapCrossOrigin = {
  methods: ['GET', 'HEAD', 'POST', 'OPTIONS'],
  allowHeaders: ['authorization', 'content-type', 'last-event-id', 'range', 'if-range', 'if-match', 'if-none-match'],
  exposeHeaders: ['www-authenticate', 'content-disposition', 'retry-after', 'accept-ranges', 'content-range', 'etag'],
  /** Seconds for which a browser keeps the response to a preflight. */
  maxAge: 7_200,
} as const;
