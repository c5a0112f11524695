/**
 * Audiences, permissions and scopes (docs/specification.md#scopes). A token spells a scope `<audience>/<permission>`.
 * The deployment makes a resource server of each audience; headless clients are given audiences and permissions by these names.
 */
export const resourceServers = {
  adminApi: {
    identifier: 'adminApi',
    name: 'Admin API',
    permissions: { ADMIN: 'Operate the mail service: domains, accounts, users and everything else' },
  },
  jmapApi: {
    identifier: 'jmapApi',
    name: 'JMAP API',
    permissions: {
      MAIL_READ: 'Read mail',
      MAIL_WRITE: 'Change, file and delete mail',
      MAIL_SEND: 'Send mail',
    },
  },
} as const;

/** An audience of an access token, also the identifier of its resource server. */
export type Audience = keyof typeof resourceServers;

/** What a token may be granted, whatever its audience. */
export type Permission = { [A in Audience]: keyof (typeof resourceServers)[A]['permissions'] }[Audience];

/** Every scope as tokens spell it, by permission. */
export const scopes = {
  ADMIN: 'adminApi/ADMIN',
  MAIL_READ: 'jmapApi/MAIL_READ',
  MAIL_WRITE: 'jmapApi/MAIL_WRITE',
  MAIL_SEND: 'jmapApi/MAIL_SEND',
} as const satisfies { [P in Permission]: `${Audience}/${P}` };

/** The scopes of an active person: their mail. */
export const mailScopes = [scopes.MAIL_READ, scopes.MAIL_WRITE, scopes.MAIL_SEND] as const;

/** The scopes of the given audiences cut down to the given permissions; what a headless client may ask for. */
export const scopesFor = (audiences: readonly string[], permissions: readonly string[]): string[] =>
  Object.values(scopes).filter((scope) => {
    const [audience = '', permission = ''] = scope.split('/');
    return audiences.includes(audience) && permissions.includes(permission);
  });

/** Claim of a person's access token that names our user; set by the pre-token trigger, absent from a machine's token. */
export const userIdClaim = 'user_id';

/** Where the command line waits for the authorization code (RFC 8252 §7.3; Cognito compares redirect URIs exactly, ports included). */
export const cliCallbackUrls = ['http://localhost:8976/callback', 'http://127.0.0.1:8976/callback'] as const;

/** The console's callback, under each of its origins. */
export const consoleCallbackPath = '/callback';

/** Scopes that a person's client asks for; those of the APIs are added by the pre-token trigger, by what the directory says of the person. */
export const personScopes = ['openid', 'email', 'profile'] as const;

/** What every client of the user pool is, in the words of Cognito; each flag is said, because Cognito would choose openly what is left out. */
export const clientSettings = {
  allowedOAuthFlowsUserPoolClient: true,
  supportedIdentityProviders: ['COGNITO'],
  preventUserExistenceErrors: 'ENABLED',
  enableTokenRevocation: true,
  enablePropagateAdditionalUserContextData: false,
  /** Minutes for which a sign-in may take. */
  authSessionValidity: 3,
  accessTokenValidity: 60,
  idTokenValidity: 60,
  tokenValidityUnits: { accessToken: 'minutes', idToken: 'minutes', refreshToken: 'days' },
} as const;

/**
 * What a client is besides when people sign in with it: public, by authorization code at the hosted page and by nothing else. Its refresh tokens rotate
 * (RFC 9700 §2.2.2), which Cognito grants only without ALLOW_REFRESH_TOKEN_AUTH. A client that names no flow would get that one and passwords by SRP;
 * ALLOW_CUSTOM_AUTH lets nobody in, since the pool has no trigger that would define a challenge.
 */
export const personClientSettings = {
  generateSecret: false,
  allowedOAuthFlows: ['code'],
  allowedOAuthScopes: personScopes,
  explicitAuthFlows: ['ALLOW_CUSTOM_AUTH'],
  /** Seconds for which a refresh token that was used can be used once more, for an answer that was lost: as many as Cognito allows. */
  refreshTokenRotation: { feature: 'ENABLED', retryGracePeriodSeconds: 60 },
} as const;

/** What a client is besides when a machine uses it: with a secret, by client credentials, for which there are no refresh tokens. */
export const machineClientSettings = {
  generateSecret: true,
  allowedOAuthFlows: ['client_credentials'],
  explicitAuthFlows: ['ALLOW_REFRESH_TOKEN_AUTH'],
  refreshTokenRotation: { feature: 'DISABLED' },
  refreshTokenValidity: 1,
} as const;

/** Days for which people stay signed in to a client that is theirs: the command line, and those that register themselves. */
export const ownClientRefreshDays = 30;
