import { registrationPath, resourceName } from '../../contract/jmap/discovery.ts';
import { mailScopes } from '../../contract/oauth.ts';

export type Metadata = { readonly [name: string]: unknown };

/** What the deployment adds to the identity provider's own values. */
export type Deployment = {
  readonly jmapUrl: string;
  /** Base URL of the hosted sign-in. */
  readonly authUrl: string;
  readonly dynamicRegistration: boolean;
};

/**
 * What every user pool has and not every one says: the endpoints of its hosted sign-in (Cognito user guide), the grants that our clients have, and PKCE,
 * which clients look for before they use it (RFC 8414 §2).
 */
const unsaid = ({ authUrl }: Deployment): Metadata => ({
  authorization_endpoint: `${authUrl}/oauth2/authorize`,
  token_endpoint: `${authUrl}/oauth2/token`,
  userinfo_endpoint: `${authUrl}/oauth2/userInfo`,
  revocation_endpoint: `${authUrl}/oauth2/revoke`,
  end_session_endpoint: `${authUrl}/logout`,
  grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
  code_challenge_methods_supported: ['S256'],
});

/** How a client may prove itself at an endpoint: as the provider says (RFC 8414 §2 when it does not), and a public client not at all, which the provider takes without saying it. */
const authMethods = (said: unknown): readonly unknown[] => [...new Set([...(Array.isArray(said) ? said : ['client_secret_basic']), 'none'])];

/** The provider's own values, its issuer too; where clients register when they may (docs/specification.md#discovery-documents). */
export const openidConfiguration = (provider: Metadata, deployment: Deployment): Metadata => ({
  ...unsaid(deployment),
  ...provider,
  token_endpoint_auth_methods_supported: authMethods(provider['token_endpoint_auth_methods_supported']),
  revocation_endpoint_auth_methods_supported: authMethods(provider['revocation_endpoint_auth_methods_supported']),
  ...(deployment.dynamicRegistration && { registration_endpoint: `${deployment.jmapUrl}${registrationPath}` }),
});

/** The same under the issuer that this document is found by (RFC 8414 §3.3). */
export const authorizationServer = (provider: Metadata, deployment: Deployment): Metadata =>
  ({ ...openidConfiguration(provider, deployment), issuer: deployment.jmapUrl });

/** RFC 9728 §2 */
export const protectedResource = ({ jmapUrl }: Deployment): Metadata => ({
  resource: jmapUrl,
  authorization_servers: [jmapUrl],
  scopes_supported: mailScopes,
  bearer_methods_supported: ['header'],
  resource_name: resourceName,
});
