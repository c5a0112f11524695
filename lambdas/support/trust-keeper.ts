import type { RoleTier } from '../../contract/admin/support.ts';
import { trustOfNobody, type TrustPolicy } from '../../contract/support-trust.ts';
import type { Clock } from '../platform/clock.ts';
import { RpcError } from '../platform/rpc-error.ts';
import type { SupportRoles } from '../providers/support-roles.ts';
import { ProviderRefusal } from '../providers/provider-refusal.ts';
import { roleTiers, type CaseFields, type SupportCases, type TierPointer } from '../store/directory/support-cases.ts';
import { accessEnds, mayAssume } from './access-rule.ts';
import { fits, sameTrust, trustPolicy, type Supporters } from './trust-policy.ts';

export type TrustConnections = { readonly cases: Pick<SupportCases, 'ofTier'>; readonly roles: SupportRoles; readonly supporters: Supporters; readonly clock: Clock };

/** Keeps the trust policies of the support roles in step with the cases. */
export type TrustKeeper = {
  /**
   * Before a change is recorded: takes from the roles what the change takes, so that no case is closed on record while a role still trusts it.
   * @returns whether there is access that the change gives, which the roles get by `settle` once it is recorded.
   * @throws RpcError failed_precondition where a role has no room for what the change gives.
   */
  prepare(before: CaseFields | undefined, after: CaseFields): Promise<{ readonly gives: boolean }>;
  /** Makes the roles trust exactly the cases that are recorded, whoever was interrupted or faster before. @throws RpcError aborted, failed_precondition. */
  settle(): Promise<void>;
};

/** How often a role is written while others change cases. */
const tries = 8;

export const trustKeeper = ({ cases, roles, supporters, clock }: TrustConnections): TrustKeeper => {
  const policyOf = (tier: RoleTier, pointers: readonly TierPointer[], now: Date): TrustPolicy => trustPolicy(
    pointers.filter(({ active_until }) => mayAssume({ status: 'open', allowed_tiers: [tier], active_until }, tier, now))
      .map(({ case_id: externalId, active_until: until }) => ({ externalId, until: new Date(until) })),
    supporters,
  );

  /** @returns false where IAM does not take the policy: then the role trusts nobody. */
  const setTrust = async (tier: RoleTier, policy: TrustPolicy): Promise<boolean> => {
    try {
      await roles.setTrust(tier, policy);
      return true;
    } catch (error) {
      if (!(error instanceof ProviderRefusal)) throw error;
      await roles.setTrust(tier, trustOfNobody([]));
      return false;
    }
  };

  const giveTrust = async (tier: RoleTier, policy: TrustPolicy): Promise<void> => {
    if (!await setTrust(tier, policy)) {
      throw new RpcError('failed_precondition', `IAM does not take the trust policy of the role for ${tier}: look whether everybody in supportPrincipals exists`);
    }
  };

  const prepareTier = async (tier: RoleTier, before: CaseFields | undefined, after: CaseFields, now: Date): Promise<boolean> => {
    const [had, has] = [before ? accessEnds(before, tier, now) : 0, accessEnds(after, tier, now)];
    if (had === has) return false;
    const others = (await cases.ofTier(tier)).filter(({ case_id: id }) => id !== after.case_id);
    const withUntil = (until: number) => policyOf(tier, until === 0 ? others : [...others, { case_id: after.case_id, active_until: new Date(until).toISOString() }], now);
    if (has > had && !fits(withUntil(has))) {
      throw new RpcError('failed_precondition', `the role for ${tier} has no room for another case: close one that grants it, take the tier from it, or let it lapse`);
    }
    if (has < had) await setTrust(tier, withUntil(has));
    return has > had;
  };

  const settleTier = async (tier: RoleTier): Promise<void> => {
    let [pointers, trusted] = await Promise.all([cases.ofTier(tier), roles.trustOf(tier)]);
    for (let count = 0; count < tries; count++) {
      const policy = policyOf(tier, pointers, clock());
      if (sameTrust(trusted, policy)) return;
      await giveTrust(tier, policy);
      // Whoever changed a case meanwhile may have written the role before we did.
      [trusted, pointers] = [policy, await cases.ofTier(tier)];
    }
    throw new RpcError('aborted', 'others are changing support cases; try again');
  };

  return {
    async prepare(before, after) {
      const now = clock();
      const given = await Promise.all(roleTiers.map((tier) => prepareTier(tier, before, after, now)));
      return { gives: given.includes(true) };
    },
    async settle() {
      await Promise.all(roleTiers.map(settleTier));
    },
  };
};
