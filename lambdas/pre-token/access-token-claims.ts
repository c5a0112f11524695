import { mailScopes, scopes, userIdClaim } from '../../contract/oauth.ts';
import type { User } from '../../contract/admin/users.ts';

/** What goes into a person's access token (Cognito's `accessTokenGeneration`). */
export type AccessTokenClaims = {
  readonly claimsToAddOrOverride: { readonly [claim: string]: string };
  readonly scopesToAdd: string[];
  readonly scopesToSuppress: string[];
};

/** By what somebody signs in: a client that this deployment brought, or one that registered itself, which may be anybody's (docs/specification.md#client-registration). */
export type SignInClient = 'deployed' | 'registered';

/**
 * Their user id, the mail scopes of an active person, the admin scope of an admin (docs/specification.md#scopes), but never in a client that registered itself:
 * a stranger's program must not operate the deployment because an admin reads mail with it. Whatever else of ours a client asked for is taken away: a person's rights
 * are the directory's, not their client's. Somebody whom the directory does not know gets nothing.
 */
export const accessTokenClaims = (user: Pick<User, 'user_id' | 'is_active' | 'is_admin' | 'is_deleted'> | undefined, client: SignInClient): AccessTokenClaims => {
  const isActive = user !== undefined && user.is_active && !user.is_deleted;
  const granted: string[] = isActive ? [...mailScopes, ...(user.is_admin && client === 'deployed' ? [scopes.ADMIN] : [])] : [];
  return {
    claimsToAddOrOverride: isActive ? { [userIdClaim]: user.user_id } : {},
    scopesToAdd: granted,
    scopesToSuppress: Object.values(scopes).filter((scope) => !granted.includes(scope)),
  };
};
