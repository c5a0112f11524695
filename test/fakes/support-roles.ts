import type { RoleTier } from '../../contract/admin/support.ts';
import { maxTrustPolicyLength, trustOfNobody, type TrustPolicy } from '../../contract/support-trust.ts';
import { ProviderRefusal } from '../../lambdas/providers/provider-refusal.ts';
import type { SupportRoles } from '../../lambdas/providers/support-roles.ts';

type Attempt = { readonly principal: string; readonly externalId: string; readonly at: Date; readonly region?: string };

/** Whether IAM would let somebody in: a deny counts before an allow. */
const lets = (policy: TrustPolicy, { principal, externalId, at, region = 'us-east-1' }: Attempt): boolean => {
  const matching = policy.Statement.filter(({ Principal, Condition = {} }) =>
    (Principal.AWS === '*' || [Principal.AWS].flat().includes(principal))
    && (Condition['StringEquals']?.['sts:ExternalId'] ?? externalId) === externalId
    && Condition['StringNotEquals']?.['aws:RequestedRegion'] !== region
    && at.getTime() < Date.parse(Condition['DateLessThan']?.['aws:CurrentTime'] ?? '9999-01-01T00:00:00Z'));
  return matching.some(({ Effect }) => Effect === 'Allow') && !matching.some(({ Effect }) => Effect === 'Deny');
};

/** {@link SupportRoles} in memory. Principals in `missing` do not exist; `trouble.error` is thrown by every write. */
export const memorySupportRoles = () => {
  const trusted: Record<RoleTier, TrustPolicy> = { DIAG: trustOfNobody([]), CONFIG_READ: trustOfNobody([]) };
  const written: { tier: RoleTier; policy: TrustPolicy }[] = [];
  const trouble: { error: Error | undefined; missing: string | undefined; before: (() => Promise<void>) | undefined } = { error: undefined, missing: undefined, before: undefined };
  return {
    trusted,
    written,
    trouble,
    lets: (tier: RoleTier, attempt: Attempt): boolean => lets(trusted[tier], attempt),
    trustOf: async (tier) => JSON.parse(JSON.stringify(trusted[tier])),
    async setTrust(tier, policy) {
      const { before } = trouble;
      trouble.before = undefined;
      await before?.();
      if (trouble.error) throw trouble.error;
      if (trouble.missing && JSON.stringify(policy).includes(trouble.missing)) throw new ProviderRefusal('Invalid principal in policy');
      if (JSON.stringify(policy).length > maxTrustPolicyLength) throw new ProviderRefusal('Cannot exceed quota for ACLSizePerRole: 2048');
      trusted[tier] = policy;
      written.push({ tier, policy });
    },
  } satisfies SupportRoles & Record<string, unknown>;
};
