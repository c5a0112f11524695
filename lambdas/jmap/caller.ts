import { scopes, type Permission } from '../../contract/oauth.ts';
import type { AccessToken } from '../../core/runtime/access-token.ts';
import type { Membership, Principal } from '../../core/directory/principals.ts';

/** Who calls, by what the directory knows of them now, and what their token permits. */
export type Caller = {
  readonly principalId: string;
  /** `username` of the session. */
  readonly username: string;
  readonly memberships: readonly Membership[];
  permits(permission: Permission): boolean;
};

/** What of a token outlives it: a WebSocket connection remembers this. */
export type Grant = Pick<AccessToken, 'principalId' | 'isMachine' | 'scopes'>;

/** The caller; undefined for a principal that is unknown or no longer active, whatever its token says. */
export const activeCaller = (grant: Grant, principal: Principal | undefined): Caller | undefined => principal?.isActive ? {
  principalId: principal.principalId,
  username: principal.username,
  memberships: principal.memberships,
  permits: (permission) => grant.scopes.has(scopes[permission]),
} : undefined;
