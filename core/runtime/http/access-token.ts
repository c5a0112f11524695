import { hash } from 'node:crypto';
import { CognitoJwtVerifier } from 'aws-jwt-verify';
import { FetchError, JwtBaseError } from 'aws-jwt-verify/error';
import { SimpleJwksCache } from 'aws-jwt-verify/jwk';
import { systemClock, type Clock } from '../clock.ts';
import { setting, optionalSetting } from '../lambda/settings.ts';

/** A verified access token of the deployment's user pool. */
export type AccessToken = {
  /**
   * A person's user id (claim `user_id`, which the pre-token trigger sets), or the client id for client_credentials.
   */
  readonly principalId: string;
  /** Whether a client authenticated with client credentials, without a person. */
  readonly isMachine: boolean;
  readonly clientId: string;
  /** Granted scopes, each with its resource server: `jmapApi/MAIL_READ`. */
  readonly scopes: ReadonlySet<string>;
  /**
   * The time of the person's sign-in, in seconds since 1970 (claim `auth_time`, the same in refreshed tokens). For a
   * machine, the time at which the token was issued.
   */
  readonly authenticatedAt: number;
  /** The time at which the token expires, in seconds since 1970. */
  readonly expiresAt: number;
};

/**
 * Verifies a token. @returns undefined for a token that is malformed, expired, of another pool or not an access token.
 * @throws if the key set can't be read.
 */
export type VerifyAccessToken = (token: string) => Promise<AccessToken | undefined>;

/**
 * What is wrong with a token without the scope, and what to do. A token that Cognito's API returned without the hosted page
 * has no scope of ours.
 */
export const missingScope = (scope: string): string =>
  `access token lacks ${scope}: people get it by a sign-in at the hosted page, headless clients by the settings of the deployment`;

/** The token of `Authorization: Bearer …` (RFC 6750 §2.1). The scheme is case-insensitive. */
export const bearerToken = (authorization: string | undefined): string | undefined => /^bearer +([A-Za-z0-9\-._~+/]+=*)\s*$/i.exec(authorization ?? '')?.[1];

/** The URL of the key set at the configured identity provider, which may be plain HTTP for a private network. */
const keySetAt = (identityProviderUrl: string, userPoolId: string) =>
  new SimpleJwksCache({
    fetcher: {
      async fetch() {
        const answer = await fetch(`${identityProviderUrl}/${userPoolId}/.well-known/jwks.json`, { signal: AbortSignal.timeout(5000) });
        if (!answer.ok) throw new FetchError(answer.url, `status ${answer.status}`);
        return answer.arrayBuffer();
      },
    },
  });

/** Maximum tokens that one Lambda remembers. They take about 1 MB. */
const maxRemembered = 1000;

/**
 * Remembers verified tokens by their digest until they expire, so that the signature of a token is verified only once.
 * For each call, the directory still decides whether the principal is active and the sign-in is not revoked. The least
 * recently used token is dropped first.
 */
export const rememberingVerifier = (verify: VerifyAccessToken, clock: Clock = systemClock): VerifyAccessToken => {
  const remembered = new Map<string, AccessToken>();
  return async (token) => {
    const digest = hash('sha256', token, 'base64');
    const known = remembered.get(digest);
    remembered.delete(digest);
    const valid = known && clock().getTime() < known.expiresAt * 1000 ? known : await verify(token);
    if (!valid) return undefined;
    remembered.set(digest, valid);
    const [leastRecentlyUsed] = remembered.keys();
    if (remembered.size > maxRemembered) remembered.delete(leastRecentlyUsed!);
    return valid;
  };
};

/**
 * The verifier for the deployment's user pool. It accepts tokens of every client, since clients register dynamically.
 * Scopes decide what a client may do.
 */
export const accessTokenVerifier = (
  userPoolId: string = setting('userPoolId'),
  identityProviderUrl: string | undefined = optionalSetting('identityProviderUrl'),
): VerifyAccessToken => {
  const verifier = CognitoJwtVerifier.create(
    { userPoolId, tokenUse: 'access', clientId: null },
    identityProviderUrl ? { jwksCache: keySetAt(identityProviderUrl, userPoolId) } : undefined,
  );
  return rememberingVerifier(async (token) => {
    try {
      const claims = await verifier.verify(token);
      // The verifier checks the expiry only of a token that has one.
      if (!Number.isFinite(claims.exp)) return undefined;
      const isMachine = claims.username === undefined;
      // The absence of a person alone makes no machine: its token is about the client itself.
      if (isMachine && claims.sub !== claims.client_id) return undefined;
      const userId = claims['user_id'];
      return {
        principalId: isMachine ? claims.client_id : typeof userId === 'string' ? userId : '',
        isMachine,
        clientId: claims.client_id,
        scopes: new Set(claims.scope?.split(' ') ?? []),
        authenticatedAt: Math.min(claims.auth_time ?? claims.iat, claims.iat),
        expiresAt: claims.exp,
      };
    } catch (error) {
      if (error instanceof FetchError || !(error instanceof JwtBaseError)) throw error;
      return undefined;
    }
  });
};
