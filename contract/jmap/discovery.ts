/** Paths of the discovery documents, under the JMAP URL (docs/specification.md#discovery-documents). */
export const discoveryPaths = {
  /** OpenID Connect Discovery 1.0 */
  openidConfiguration: '/.well-known/openid-configuration',
  /** RFC 8414 */
  authorizationServer: '/.well-known/oauth-authorization-server',
  /** RFC 9728 */
  protectedResource: '/.well-known/oauth-protected-resource',
} as const;

/**
 * Path and query of a URL that needs a token, as the metadata of the URL name it (RFC 9728 §3.1). Other text is not put
 * into a header.
 */
const protectedUrl = /^\/(?:\.well-known\/jmap|jmap|eventsource|download|upload\/[\w-]{1,255})(?:\?[\w\-.~:/?@!$&'()*+,;=%]*)?$/;
const maxProtectedUrlLength = 2048;

/** Whether the JMAP API has a protected resource at this path and query, whose metadata can be asked for. */
export const isProtectedUrl = (pathAndQuery: string): boolean =>
  pathAndQuery.length <= maxProtectedUrlLength && protectedUrl.test(pathAndQuery);

/** RFC 7591 §3 */
export const registrationPath = '/oauth/register';

/** Seconds for which a discovery document may be cached. */
export const discoveryMaxAge = 300;

/** `resource_name` of the protected resource (RFC 9728 §2). */
export const resourceName = 'Postrider JMAP API';
