import { scopes, type Permission } from '../../../contract/oauth/oauth.ts';
import type { Membership, Principal } from '../../../core/directory/users/principals.ts';
import type { AccessToken } from '../../../core/runtime/http/access-token.ts';

/** The caller of a request: the current principal with its memberships, and the permissions of the token. */
export type Caller = {
  readonly principalId: string;
  /** The user name, which is `username` of the session. */
  readonly username: string;
  readonly memberships: readonly Membership[];
  /** The primary account. Undefined without a membership. */
  readonly primaryAccountId: string | undefined;
  permits(permission: Permission): boolean;
};

/** The claims of an access token that identify the caller. A WebSocket connection stores them. */
export type Grant = Pick<AccessToken, 'principalId' | 'isMachine' | 'scopes' | 'authenticatedAt'>;

/** The caller, from the current principal. Undefined for an unknown or deactivated principal. */
export const activeCaller = (grant: Grant, principal: Principal | undefined): Caller | undefined =>
  principal?.isActive
    ? {
        principalId: principal.principalId,
        username: principal.username,
        memberships: principal.memberships,
        primaryAccountId: principal.primaryAccountId,
        permits: (permission) => grant.scopes.has(scopes[permission]),
      }
    : undefined;
