/** Paths of the discovery documents, under the JMAP URL (docs/specification.md#discovery-documents). */
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

/** Seconds for which a discovery document may be cached. */
export const discoveryMaxAge = 300;

/** `resource_name` of the protected resource (RFC 9728 §2). */
export const resourceName = 'Postrider JMAP API';
