import type { RoleTier } from '../../../contract/admin/support.ts';
import type { SessionsPolicy, TrustPolicy } from '../../../contract/support-roles.ts';

/** What IAM says of a role: who may assume it, and which of its sessions may do nothing any more; null where that policy is gone. */
export type RolePolicies = { readonly trust: unknown; readonly sessions: unknown };

/** The IAM roles of the tiers. Adapter: `iam-support-roles.ts`; the fake in `test/fakes/` passes the same suite. */
export type SupportRoles = {
  /** Asked for side by side; a moment ago may still be told. */
  readPolicies(tier: RoleTier): Promise<RolePolicies>;
  /** @throws ProviderRefusal for a policy that IAM does not take: a principal that does not exist, or too long a policy. */
  setTrust(tier: RoleTier, policy: TrustPolicy): Promise<void>;
  /** @throws ProviderRefusal for too long a policy. */
  setSessions(tier: RoleTier, policy: SessionsPolicy): Promise<void>;
};
