import { scopes, type Permission } from '../../../contract/oauth/oauth.ts';
import type { AccessToken } from '../../../core/runtime/http/access-token.ts';
import type { Membership, Principal } from '../../../core/directory/users/principals.ts';

/** The caller of a request: their current principal and memberships, and the permissions of their token. */
export type Caller = {
  readonly principalId: string;
  /** `username` of the session. */
  readonly username: string;
  readonly memberships: readonly Membership[];
  /** Undefined without a membership. */
  readonly primaryAccountId: string | undefined;
  permits(permission: Permission): boolean;
};

/** The part of an access token that identifies the caller. A WebSocket connection stores it. */
export type Grant = Pick<AccessToken, 'principalId' | 'isMachine' | 'scopes' | 'authenticatedAt'>;

/** Undefined for an unknown or deactivated principal. */
export const activeCaller = (grant: Grant, principal: Principal | undefined): Caller | undefined => principal?.isActive ? {
  principalId: principal.principalId,
  username: principal.username,
  memberships: principal.memberships,
  primaryAccountId: principal.primaryAccountId,
  permits: (permission) => grant.scopes.has(scopes[permission]),
} : undefined;
