import { mailScopes, scopes, userIdClaim } from '../../contract/oauth/oauth.ts';
import type { User } from '../../contract/admin/users.ts';

/** Claims and scopes of a person's access token (Cognito's `accessTokenGeneration`). */
type AccessTokenClaims = {
  readonly claimsToAddOrOverride: { readonly [claim: string]: string };
  readonly scopesToAdd: string[];
  readonly scopesToSuppress: string[];
};

/**
 * The client of a sign-in: one of the deployment, or one that registered itself and is not trusted
 * (docs/specification.md#client-registration).
 */
type SignInClient = 'deployed' | 'registered';

/**
 * An active user gets the user id and the mail scopes; an admin gets the admin scope too
 * (docs/specification.md#scopes). A client that requests mail scopes by name gets only these of them. A client that
 * registered itself never gets the admin scope: an admin may read mail with an untrusted program. Other scopes of ours
 * that the client requested are removed, since the directory decides a user's rights. A user who is not in the
 * directory gets nothing.
 * @param requested the scopes that the client requested.
 */
export const accessTokenClaims = (
  user: Pick<User, 'user_id' | 'is_active' | 'is_admin' | 'is_deleted'> | undefined, client: SignInClient,
  requested: readonly string[] = [],
): AccessTokenClaims => {
  const isActive = user !== undefined && user.is_active && !user.is_deleted;
  const named = mailScopes.filter((scope) => requested.includes(scope));
  const mail = named.length > 0 ? named : mailScopes;
  const granted: string[] = isActive ? [...mail, ...(user.is_admin && client === 'deployed' ? [scopes.ADMIN] : [])] : [];
  return {
    claimsToAddOrOverride: isActive ? { [userIdClaim]: user.user_id } : {},
    scopesToAdd: granted,
    scopesToSuppress: Object.values(scopes).filter((scope) => !granted.includes(scope)),
  };
};
