import * as z from 'zod';
import type { RoleTier } from '../../contract/admin/support.ts';
import type { SessionsPolicy, TrustPolicy } from '../../contract/deployment/support-roles.ts';

const RoleArns = z.strictObject({ DIAG: z.string().startsWith('arn:'), CONFIG_READ: z.string().startsWith('arn:') } satisfies Record<RoleTier, z.ZodType>);

/** The ARN of each tier's role. */
export type SupportRoleArns = z.output<typeof RoleArns>;

/** Parses the setting `supportRoles`. @throws Error when its form is wrong. */
export const parseSupportRoleArns = (value: string): SupportRoleArns => RoleArns.parse(JSON.parse(value));

/** The trust policy of a role, and its policy of ended sessions; null if a policy does not exist. */
export type RolePolicies = { readonly trust: unknown; readonly sessions: unknown };

/**
 * The IAM roles of the support tiers. Adapter: `iam-support-roles.ts`; the fake in `test/fakes/` passes the same suite.
 */
export type SupportRoles = {
  /** Reads both policies concurrently. IAM may return a policy that is some moments old. */
  readPolicies(tier: RoleTier): Promise<RolePolicies>;
  /**
   * Sets the trust policy. @throws ProviderRefusal for a policy that IAM refuses: a principal does not exist, or the
   * policy is too long.
   */
  setTrust(tier: RoleTier, policy: TrustPolicy): Promise<void>;
  /** Sets the policy of ended sessions. @throws ProviderRefusal for a policy that is too long. */
  setSessions(tier: RoleTier, policy: SessionsPolicy): Promise<void>;
};
