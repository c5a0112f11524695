import type { RoleTier } from '../../contract/admin/support.ts';
import type { TrustPolicy } from '../../contract/support-trust.ts';

/** The IAM roles of the tiers. Adapter: `iam-support-roles.ts`; the fake in `test/fakes/` passes the same suite. */
export type SupportRoles = {
  /** Who may assume the role, as IAM says it; a moment ago may still be told. */
  trustOf(tier: RoleTier): Promise<unknown>;
  /** @throws ProviderRefusal for a policy that IAM does not take: a principal that does not exist, or too long a policy. */
  setTrust(tier: RoleTier, policy: TrustPolicy): Promise<void>;
};
