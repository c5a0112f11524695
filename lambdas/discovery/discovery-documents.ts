import { registrationPath, resourceName } from '../../contract/jmap/discovery.ts';
import { mailScopes } from '../../contract/oauth.ts';

export type ServerMetadata = { readonly [name: string]: unknown };

/** What the deployment adds to the identity provider's own metadata. */
export type Deployment = {
  readonly jmapUrl: string;
  /** Base URL of Cognito's hosted sign-in. */
  readonly authUrl: string;
  readonly dynamicRegistration: boolean;
};

/**
 * Defaults for what user pools support and may not publish: the endpoints of the hosted sign-in (Cognito user guide),
 * the grants of our clients, and PKCE, which clients look for before they use it (RFC 8414 §2).
 */
const defaultMetadata = ({ authUrl }: Deployment): ServerMetadata => ({
  authorization_endpoint: `${authUrl}/oauth2/authorize`,
  token_endpoint: `${authUrl}/oauth2/token`,
  userinfo_endpoint: `${authUrl}/oauth2/userInfo`,
  revocation_endpoint: `${authUrl}/oauth2/revoke`,
  end_session_endpoint: `${authUrl}/logout`,
  grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
  code_challenge_methods_supported: ['S256'],
});

/**
 * The provider's methods (or the default of RFC 8414 §2), and `none` for public clients, which Cognito accepts and does
 * not publish.
 */
const withPublicClients = (authMethods: unknown): readonly unknown[] =>
  [...new Set([...(Array.isArray(authMethods) ? authMethods : ['client_secret_basic']), 'none'])];

/**
 * The provider's own metadata, its issuer included, and the registration endpoint while registration is on
 * (docs/specification.md#discovery-documents).
 */
export const openidConfiguration = (provider: ServerMetadata, deployment: Deployment): ServerMetadata => ({
  ...defaultMetadata(deployment),
  ...provider,
  token_endpoint_auth_methods_supported: withPublicClients(provider['token_endpoint_auth_methods_supported']),
  revocation_endpoint_auth_methods_supported: withPublicClients(provider['revocation_endpoint_auth_methods_supported']),
  ...(deployment.dynamicRegistration && { registration_endpoint: `${deployment.jmapUrl}${registrationPath}` }),
});

/** {@link openidConfiguration} with the issuer under which a client finds this document (RFC 8414 §3.3). */
export const authorizationServer = (provider: ServerMetadata, deployment: Deployment): ServerMetadata =>
  ({ ...openidConfiguration(provider, deployment), issuer: deployment.jmapUrl });

/** RFC 9728 §2 */
export const protectedResource = ({ jmapUrl }: Deployment): ServerMetadata => ({
  resource: jmapUrl,
  authorization_servers: [jmapUrl],
  scopes_supported: mailScopes,
  bearer_methods_supported: ['header'],
  resource_name: resourceName,
});
