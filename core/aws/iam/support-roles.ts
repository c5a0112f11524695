import * as z from 'zod';
import type { RoleTier } from '../../../contract/admin/support.ts';
import type { SessionsPolicy, TrustPolicy } from '../../../contract/deployment/support-roles.ts';

const RoleArns = z.strictObject(
  { DIAG: z.string().startsWith('arn:'), CONFIG_READ: z.string().startsWith('arn:') } satisfies Record<RoleTier, z.ZodType>,
);

/** The ARN of each tier's role. */
export type SupportRoleArns = z.output<typeof RoleArns>;

/** Parses the setting `supportRoles`. @throws Error when its form is wrong. */
export const parseSupportRoleArns = (value: string): SupportRoleArns => RoleArns.parse(JSON.parse(value));

/** A role's trust policy, and its policy of ended sessions; null where the latter was deleted. */
export type RolePolicies = { readonly trust: unknown; readonly sessions: unknown };

/**
 * The IAM roles of the support tiers. Adapter: `iam-support-roles.ts`; the fake in `test/fakes/` passes the same suite.
 */
export type SupportRoles = {
  /** Reads both policies concurrently. IAM may return a policy of some moments ago. */
  readPolicies(tier: RoleTier): Promise<RolePolicies>;
  /** @throws ProviderRefusal for a policy that IAM refuses: a principal does not exist, or the policy is too long. */
  setTrust(tier: RoleTier, policy: TrustPolicy): Promise<void>;
  /** @throws ProviderRefusal for a policy that is too long. */
  setSessions(tier: RoleTier, policy: SessionsPolicy): Promise<void>;
};
