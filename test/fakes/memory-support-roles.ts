import type { RoleTier } from '../../contract/admin/support.ts';
import {
  maxInlinePolicyLength,
  maxTrustPolicyLength,
  allSessionsDenied,
  trustWithoutCases,
  type SessionsPolicy,
  type TrustPolicy,
} from '../../contract/deployment/support-roles.ts';
import type { SupportRoles } from '../../core/aws/iam-support-roles.ts';
import { ProviderRefusal } from '../../core/aws/provider-errors.ts';

type Attempt = { readonly principal: string; readonly externalId: string; readonly at: Date; readonly region?: string };

/** Whether IAM would permit the assumption: a deny wins over an allow. */
const isAssumptionPermitted = (policy: TrustPolicy, { principal, externalId, at, region = 'us-east-1' }: Attempt): boolean => {
  const matching = policy.Statement.filter(
    ({ Principal, Condition = {} }) =>
      (Principal.AWS === '*' || [Principal.AWS].flat().includes(principal)) &&
      (Condition['StringEquals']?.['sts:ExternalId'] ?? externalId) === externalId &&
      Condition['StringNotEquals']?.['aws:RequestedRegion'] !== region &&
      at.getTime() < Date.parse(Condition['DateLessThan']?.['aws:CurrentTime'] ?? '9999-01-01T00:00:00Z'),
  );
  return matching.some(({ Effect }) => Effect === 'Allow') && !matching.some(({ Effect }) => Effect === 'Deny');
};

/** A session, with the time at which it was issued and the time of a call. */
type Session = { readonly issued: Date; readonly at: Date };

/** Whether IAM would permit calls of the session. */
export const isSessionPermitted = (policy: SessionsPolicy, { issued, at }: Session): boolean => {
  const second = Math.floor(issued.getTime() / 1000) * 1000;
  return !policy.Statement.some(
    ({ Condition }) =>
      !Condition ||
      (second < Date.parse(Condition.DateLessThan['aws:TokenIssueTime']) && at.getTime() >= Date.parse(Condition.DateGreaterThanEquals['aws:CurrentTime'])),
  );
};

/**
 * {@link SupportRoles} in memory. Every write throws `fault.error`, setSessions throws `fault.sessions`, and
 * setTrust refuses a policy with the principal `fault.missingPrincipal`. `fault.before` runs once, before the next setTrust.
 */
export const memorySupportRoles = () => {
  const trusted: Record<RoleTier, TrustPolicy> = { DIAG: trustWithoutCases([]), CONFIG_READ: trustWithoutCases([]) };
  const sessions: Record<RoleTier, SessionsPolicy | null> = { DIAG: allSessionsDenied, CONFIG_READ: allSessionsDenied };
  const written: { tier: RoleTier; policy: TrustPolicy | SessionsPolicy }[] = [];
  const fault: { error: Error | undefined; sessions: Error | undefined; missingPrincipal: string | undefined; before: (() => Promise<void>) | undefined } = {
    error: undefined,
    sessions: undefined,
    missingPrincipal: undefined,
    before: undefined,
  };
  return {
    trusted,
    sessions,
    written,
    fault,
    permitsSession: (tier: RoleTier, session: Session): boolean => sessions[tier] === null || isSessionPermitted(sessions[tier], session),
    permitsAssumption: (tier: RoleTier, attempt: Attempt): boolean => isAssumptionPermitted(trusted[tier], attempt),
    readPolicies: async (tier) => JSON.parse(JSON.stringify({ trust: trusted[tier], sessions: sessions[tier] })),
    async setTrust(tier, policy) {
      const { before } = fault;
      fault.before = undefined;
      await before?.();
      if (fault.error) throw fault.error;
      if (fault.missingPrincipal && JSON.stringify(policy).includes(fault.missingPrincipal)) {
        throw new ProviderRefusal('Invalid principal in policy');
      }
      if (JSON.stringify(policy).length > maxTrustPolicyLength) throw new ProviderRefusal('Cannot exceed quota for ACLSizePerRole: 2048');
      trusted[tier] = policy;
      written.push({ tier, policy });
    },
    async setSessions(tier, policy) {
      const error = fault.error ?? fault.sessions;
      if (error) throw error;
      if (JSON.stringify(policy).length > maxInlinePolicyLength) throw new ProviderRefusal('Maximum policy size of 10240 bytes exceeded');
      sessions[tier] = policy;
      written.push({ tier, policy });
    },
  } satisfies SupportRoles & Record<string, unknown>;
};
