/**
 * Audiences, permissions and scopes (docs/specification.md#scopes). In a token a scope is `<audience>/<permission>`.
 * The deployment creates a resource server for each audience. Headless clients are configured by these names of
 * audiences and permissions.
 */
export const resourceServers = {
  adminApi: { identifier: 'adminApi', name: 'Admin API', permissions: { ADMIN: 'Operate the mail service: domains, accounts, users and everything else' } },
  jmapApi: {
    identifier: 'jmapApi',
    name: 'JMAP API',
    permissions: { MAIL_READ: 'Read mail', MAIL_WRITE: 'Change, file and delete mail', MAIL_SEND: 'Send mail' },
  },
} as const;

/** An audience of access tokens: the identifier of a resource server. */
export type Audience = keyof typeof resourceServers;

/** The permissions of all audiences. */
export type Permission = { [A in Audience]: keyof (typeof resourceServers)[A]['permissions'] }[Audience];

/** Scopes by permission, in the form in which tokens contain them. */
export const scopes = {
  ADMIN: 'adminApi/ADMIN',
  MAIL_READ: 'jmapApi/MAIL_READ',
  MAIL_WRITE: 'jmapApi/MAIL_WRITE',
  MAIL_SEND: 'jmapApi/MAIL_SEND',
} as const satisfies { [P in Permission]: `${Audience}/${P}` };

/**
 * The scope of the user pool's own API. Only tokens of a sign-in without the hosted page have it, because no client may
 * request it there.
 */
export const userPoolApiScope = 'aws.cognito.signin.user.admin';

/** The scopes that every active person has. */
export const mailScopes = [scopes.MAIL_READ, scopes.MAIL_WRITE, scopes.MAIL_SEND] as const;

/**
 * The scope for all mail of the OAuth Profile for Open Public Clients (draft-ietf-mailmaint-oauth-public). It stands for
 * {@link mailScopes}.
 */
export const profileMailScope = 'urn:ietf:params:oauth:scope:mail';

/** The scope for a refresh token (OpenID Connect Core 1.0 §11), which every client of a person gets without it. */
export const offlineAccessScope = 'offline_access';

/** The scopes that combine these audiences and these permissions, which a headless client may request. */
export const scopesFor = (audiences: readonly string[], permissions: readonly string[]): string[] =>
  Object.values(scopes).filter((scope) => {
    const [audience = '', permission = ''] = scope.split('/');
    return audiences.includes(audience) && permissions.includes(permission);
  });

/**
 * The claim with the user id in a person's access token. The pre-token trigger sets it. A machine's token does not have
 * it.
 */
export const userIdClaim = 'user_id';

/**
 * Redirect URIs of the command line (RFC 8252 §7.3). The port is fixed, because Cognito compares redirect URIs exactly.
 */
export const cliCallbackUrls = ['http://localhost:8976/callback', 'http://127.0.0.1:8976/callback'] as const;

/** Outputs of a deployment with its own app clients, with which people sign in. */
export const deployedClientOutputs = ['consoleClientId', 'webmailClientId', 'cliClientId'] as const;

/** The path of the console's redirect URI, at each of its origins. */
export const consoleCallbackPath = '/callback';

/**
 * Scopes that a person's client requests. The pre-token trigger adds the scopes of the APIs that the directory grants
 * the person.
 */
export const personScopes = ['openid', 'email', 'profile'] as const;

/**
 * Scopes that a registered client may request. If it requests no mail scopes, which the discovery documents name, it
 * gets the scopes that the directory grants to the person.
 */
export const registeredClientScopes = [...personScopes, ...mailScopes] as const;

/** Minutes for which a sign-in waits at each step: Cognito's maximum, because people install an authenticator app meanwhile. */
export const signInStepMinutes = 15;

/**
 * Settings of every app client, by their names in Cognito. All flags are set, because Cognito's defaults are more
 * permissive.
 */
export const clientSettings = {
  allowedOAuthFlowsUserPoolClient: true,
  supportedIdentityProviders: ['COGNITO'],
  preventUserExistenceErrors: 'ENABLED',
  enableTokenRevocation: true,
  enablePropagateAdditionalUserContextData: false,
  authSessionValidity: signInStepMinutes,
  accessTokenValidity: 60,
  idTokenValidity: 60,
  tokenValidityUnits: { accessToken: 'minutes', idToken: 'minutes', refreshToken: 'days' },
} as const;

/**
 * Further settings of an app client with which people sign in. The client is public, and people sign in by
 * authorization code at the hosted page, which needs the flow for passwords, ALLOW_USER_SRP_AUTH. Refresh tokens rotate
 * (RFC 9700 §2.2.2), which Cognito does only without ALLOW_REFRESH_TOKEN_AUTH. The flow also permits a sign-in without
 * the page, by InitiateAuth. The tokens of such a sign-in have {@link userPoolApiScope}, and get no scope of ours.
 */
export const personClientSettings = {
  generateSecret: false,
  allowedOAuthFlows: ['code'],
  allowedOAuthScopes: personScopes,
  explicitAuthFlows: ['ALLOW_USER_SRP_AUTH'],
  /**
   * Seconds for which a used refresh token can be used again, in case the response was lost. It is Cognito's maximum.
   */
  refreshTokenRotation: { feature: 'ENABLED', retryGracePeriodSeconds: 60 },
} as const;

/**
 * Further settings of an app client of a machine: a secret and client credentials, for which there are no refresh
 * tokens.
 */
export const machineClientSettings = {
  generateSecret: true,
  allowedOAuthFlows: ['client_credentials'],
  explicitAuthFlows: ['ALLOW_REFRESH_TOKEN_AUTH'],
  refreshTokenRotation: { feature: 'DISABLED' },
  refreshTokenValidity: 1,
} as const;

/** Days for which people stay signed in to a client on their own device: the command line, the web mail, or a registered client. */
export const ownClientRefreshDays = 30;

/** Whether everybody who signs in passes a code of an authenticator app, or nobody. Cognito has one setting for a user pool. */
export const mfaSettings = ['required', 'off'] as const;
export type Mfa = (typeof mfaSettings)[number];

/** Days for which the temporary password of an invitation is valid. */
export const temporaryPasswordDays = 7;
