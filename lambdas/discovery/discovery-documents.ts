import { authorizationPaths, registrationPath, resourceName } from '../../contract/jmap/discovery.ts';
import { mailScopes, offlineAccessScope, personScopes, profileMailScope } from '../../contract/oauth/oauth.ts';
import type { Clock } from '../../core/runtime/clock.ts';

export type ServerMetadata = { readonly [name: string]: unknown };

/** The metadata that the deployment adds to those of the identity provider. */
export type Deployment = {
  readonly jmapUrl: string;
  /** The URL below which the authorization endpoint is, without a slash at the end. */
  readonly authorizationUrl: string;
  /** Base URL of Cognito's hosted sign-in. */
  readonly authUrl: string;
  readonly dynamicRegistration: boolean;
};

/** Defaults for metadata that a user pool may not publish: endpoints, grants and PKCE (RFC 8414 §2). */
const defaultMetadata = ({ authUrl }: Deployment): ServerMetadata => ({
  token_endpoint: `${authUrl}/oauth2/token`,
  userinfo_endpoint: `${authUrl}/oauth2/userInfo`,
  revocation_endpoint: `${authUrl}/oauth2/revoke`,
  end_session_endpoint: `${authUrl}/logout`,
  grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
  code_challenge_methods_supported: ['S256'],
});

/**
 * The provider's authentication methods (default: RFC 8414 §2), and `none` for public clients, which Cognito accepts.
 */
const withPublicClients = (authMethods: unknown): readonly unknown[] => [
  ...new Set([...(Array.isArray(authMethods) ? authMethods : ['client_secret_basic']), 'none']),
];

/** The scopes of mail that clients may request at the authorization endpoint. */
const requestableScopes = [profileMailScope, offlineAccessScope, ...mailScopes] as const;

/**
 * The provider's own metadata with its issuer, plus our authorization endpoint, and the registration endpoint while
 * registration is enabled (docs/specification.md#discovery-documents). Scopes and response types are limited to those
 * that registered clients may request.
 */
export const openidConfiguration = (provider: ServerMetadata, deployment: Deployment): ServerMetadata => ({
  ...defaultMetadata(deployment),
  ...provider,
  authorization_endpoint: `${deployment.authorizationUrl}${authorizationPaths.openid}`,
  scopes_supported: [...personScopes, ...requestableScopes],
  response_types_supported: ['code'],
  token_endpoint_auth_methods_supported: withPublicClients(provider['token_endpoint_auth_methods_supported']),
  revocation_endpoint_auth_methods_supported: withPublicClients(provider['revocation_endpoint_auth_methods_supported']),
  ...(deployment.dynamicRegistration && { registration_endpoint: `${deployment.jmapUrl}${registrationPath}` }),
});

/** Metadata of OpenID Connect Discovery 1.0 §3 that apply only with the scope `openid`. */
const openidOnly = new Set([
  'userinfo_endpoint',
  'subject_types_supported',
  'id_token_signing_alg_values_supported',
  'claims_supported',
  'acr_values_supported',
]);

/**
 * The metadata of {@link openidConfiguration} for OAuth without OpenID Connect, with the issuer at which a client finds
 * this document (RFC 8414 §3.3). Its authorization endpoint leaves out `openid`: an ID token has the provider's issuer,
 * which a client of this issuer must refuse (OpenID Connect Core 1.0 §3.1.3.7). Cognito gives `email` and `profile` only
 * together with `openid`.
 */
export const authorizationServer = (provider: ServerMetadata, deployment: Deployment): ServerMetadata => ({
  ...Object.fromEntries(Object.entries(openidConfiguration(provider, deployment)).filter(([name]) => !openidOnly.has(name))),
  issuer: deployment.jmapUrl,
  authorization_endpoint: `${deployment.authorizationUrl}${authorizationPaths.oauth}`,
  scopes_supported: requestableScopes,
});

/**
 * The metadata of a protected resource (RFC 9728 §2).
 * @param pathAndQuery path and query of the protected URL; empty for the whole API.
 */
export const protectedResource = ({ jmapUrl }: Deployment, pathAndQuery = ''): ServerMetadata => ({
  resource: `${jmapUrl}${pathAndQuery}`,
  authorization_servers: [jmapUrl],
  scopes_supported: mailScopes,
  bearer_methods_supported: ['header'],
  resource_name: resourceName,
});

/** Reads the identity provider's metadata. It rejects when they cannot be read and are not cached. */
export type ReadProviderMetadata = () => Promise<ServerMetadata>;

/** Milliseconds for which the metadata are cached. */
const freshFor = 60 * 60 * 1000;
/** Milliseconds after a failure until the next attempt, if there are cached metadata. */
const retryAfter = 60 * 1000;

const isServerMetadata = (value: unknown): value is ServerMetadata => typeof value === 'object' && value !== null && !Array.isArray(value);

const fetchMetadata = async (url: string): Promise<ServerMetadata> => {
  const response = await fetch(url, { signal: AbortSignal.timeout(5000), redirect: 'error' });
  if (!response.ok) throw new Error(`the identity provider responded with ${response.status}`);
  const metadata: unknown = await response.json();
  if (!isServerMetadata(metadata)) throw new Error('the response of the identity provider is not a JSON object');
  return metadata;
};

/** Reads metadata and caches them for an hour, or longer while the provider cannot be read. */
export const providerMetadataReader = (url: string, clock: Clock): ReadProviderMetadata => {
  let cached: { readonly metadata: ServerMetadata; readonly until: number } | undefined;
  return async () => {
    if (cached && clock().getTime() < cached.until) return cached.metadata;
    try {
      cached = { metadata: await fetchMetadata(url), until: clock().getTime() + freshFor };
    } catch (failure) {
      if (!cached) throw failure;
      cached = { ...cached, until: clock().getTime() + retryAfter };
    }
    return cached.metadata;
  };
};
