/** The documents by which a client finds its way (docs/specification.md#discovery-documents), each a path under the JMAP URL. */
export const discoveryPaths = {
  /** OpenID Connect Discovery 1.0 */
  openidConfiguration: '/.well-known/openid-configuration',
  /** RFC 8414 */
  authorizationServer: '/.well-known/oauth-authorization-server',
  /** RFC 9728 */
  protectedResource: '/.well-known/oauth-protected-resource',
} as const;

/** RFC 7591 §3 */
export const registrationPath = '/oauth/register';

/** Seconds for which caches may keep a discovery document. */
export const discoveryMaxAge = 300;

/** `resource_name` of the protected resource (RFC 9728 §2). */
export const resourceName = 'Postrider JMAP API';
