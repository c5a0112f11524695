import { mailScopes, scopes, userIdClaim, userPoolApiScope } from '../../contract/oauth/oauth.ts';
import type { User } from '../../contract/admin/users.ts';

/** Claims and scopes of a person's access token (Cognito's `accessTokenGeneration`). */
type AccessTokenClaims = {
  readonly claimsToAddOrOverride: { readonly [claim: string]: string };
  readonly scopesToAdd: string[];
  readonly scopesToSuppress: string[];
};

/** Whether a client belongs to the deployment, or has registered itself (docs/specification.md#client-registration). */
type SignInClient = 'deployed' | 'registered';

/**
 * The claims and scopes of a user's token. An active user gets the user id and the mail scopes, an admin also the admin
 * scope (docs/specification.md#scopes). A client that requests mail scopes by name gets only those. A client that
 * registered itself never gets the admin scope, so that an admin can safely read mail with an untrusted program. Other
 * scopes of the deployment that the client requested are removed, because the directory decides a user's rights. A user
 * who is not in the directory gets nothing, and neither does a sign-in without the hosted page: it knows no client that
 * the person chose, no second factor that the page asks for, and its tokens could change the person at the user pool.
 * @param requested the scopes that the client requested.
 */
export const accessTokenClaims = (
  user: Pick<User, 'user_id' | 'is_active' | 'is_admin' | 'is_deleted'> | undefined, client: SignInClient,
  requested: readonly string[] = [],
): AccessTokenClaims => {
  const isAtPage = !requested.includes(userPoolApiScope);
  const isActive = user !== undefined && user.is_active && !user.is_deleted && isAtPage;
  const named = mailScopes.filter((scope) => requested.includes(scope));
  const mail = named.length > 0 ? named : mailScopes;
  const granted: string[] = isActive ? [...mail, ...(user.is_admin && client === 'deployed' ? [scopes.ADMIN] : [])] : [];
  return {
    claimsToAddOrOverride: isActive ? { [userIdClaim]: user.user_id } : {},
    scopesToAdd: granted,
    scopesToSuppress: [...Object.values(scopes).filter((scope) => !granted.includes(scope)), ...(isAtPage ? [] : [userPoolApiScope])],
  };
};
