import type { User } from '../../contract/admin/users.ts';
import { mailScopes, personScopes, scopes, userIdClaim, userPoolApiScope } from '../../contract/oauth/oauth.ts';

/** Claims and scopes of a person's access token (Cognito's `accessTokenGeneration`). */
type AccessTokenClaims = {
  readonly claimsToAddOrOverride: { readonly [claim: string]: string };
  readonly scopesToAdd: string[];
  readonly scopesToSuppress: string[];
};

/** Whether a client belongs to the deployment, or has registered itself (docs/specification.md#client-registration). */
type SignInClient = 'deployed' | 'registered';

const scopesOfDeployment: readonly string[] = Object.values(scopes);

/** Scopes that a client can request only at the hosted page. Each sign-in there has one of them. */
const pageScopes: readonly string[] = [...personScopes, ...scopesOfDeployment];

/**
 * The claims and scopes of a user's token. An active user gets the user id and the mail scopes, an admin also the admin
 * scope (docs/specification.md#scopes). A client that requests mail scopes by name gets only those. A client that
 * registered itself never gets the admin scope, so that an admin can safely read mail with an untrusted program. Other
 * scopes of the deployment that the client requested are removed, because the directory decides a user's rights. A user
 * who is not in the directory gets nothing, and neither does a client that is in no record, whose registration may be
 * lost. A sign-in without the hosted page gets nothing too: it knows no client that the person chose, no second factor
 * that the page asks for, and its tokens could change the person at the user pool.
 * @param client undefined for a client that is in no record.
 * @param requested the scopes that the client requested.
 */
export const accessTokenClaims = (
  user: Pick<User, 'user_id' | 'is_active' | 'is_admin' | 'is_deleted'> | undefined,
  client: SignInClient | undefined,
  requested: readonly string[] = [],
): AccessTokenClaims => {
  const isAtPage = requested.some((scope) => pageScopes.includes(scope)) && !requested.includes(userPoolApiScope);
  const isGranted = user !== undefined && user.is_active && !user.is_deleted && client !== undefined && isAtPage;
  const named = mailScopes.filter((scope) => requested.includes(scope));
  const mail = named.length > 0 ? named : mailScopes;
  const granted: string[] = isGranted ? [...mail, ...(user.is_admin && client === 'deployed' ? [scopes.ADMIN] : [])] : [];
  return {
    claimsToAddOrOverride: isGranted ? { [userIdClaim]: user.user_id } : {},
    scopesToAdd: granted,
    scopesToSuppress: [...scopesOfDeployment, userPoolApiScope].filter((scope) => !granted.includes(scope)),
  };
};
