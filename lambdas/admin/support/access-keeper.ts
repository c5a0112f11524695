import type { RoleTier } from '../../../contract/admin/support.ts';
import type { SessionsPolicy } from '../../../contract/support-sessions.ts';
import { trustOfNobody, type TrustPolicy } from '../../../contract/support-trust.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';
import { sideBySide } from '../../../core/runtime/side-by-side.ts';
import { ProviderRefusal } from '../../../core/aws/provider-refusal.ts';
import type { RolePolicies, SupportRoles } from '../../../core/aws/iam/support-roles.ts';
import { roleTiers, type CaseFields, type SupportAccess, type SupportCases, type TierAccess } from '../../../core/directory/support-cases.ts';
import { accessAfter, effectOf } from './access-change.ts';
import { mayAssume } from './access-rule.ts';
import { endedSessions } from './ended-sessions.ts';
import { fits, samePolicy, trustPolicy, type Supporters } from './trust-policy.ts';

export type AccessConnections = { readonly cases: Pick<SupportCases, 'findAccess'>; readonly roles: SupportRoles; readonly supporters: Supporters; readonly clock: Clock };

/** What is known of the roles in IAM; nothing of a tier that is left out. */
type Known = { readonly [Tier in RoleTier]?: Partial<RolePolicies> };

/** A change of a case on its way into the roles: `take`, then the record with `foresee` beside it, then `settle`. */
export type AccessChange = {
  /** Whether there is access that the change gives. */
  readonly gives: boolean;
  /**
   * Takes from the roles what the change takes, sessions included, so that no case is closed on record while somebody has access by it.
   * @returns access as it is to be recorded with the change.
   * @throws RpcError failed_precondition.
   */
  take(): Promise<SupportAccess>;
  /** Lets the sessions that the change makes possible end when it says, so that a lapse needs no call. What fails of it, `settle` tells. */
  foresee(): Promise<void>;
  /**
   * Gives what the change gives, and puts right what else is not as recorded.
   * @param given runs once when it was given, beside the look whether somebody else was at work.
   * @throws RpcError aborted, failed_precondition.
   */
  settle(given: () => Promise<void>): Promise<void>;
};

/** Keeps the support roles in step with the cases: who may assume them, and which of their sessions have ended. */
export type AccessKeeper = {
  /** @throws RpcError failed_precondition where a role has no room for what the change gives. */
  change(access: SupportAccess, before: CaseFields | undefined, after: CaseFields, now: Date): AccessChange;
  /**
   * Makes the roles say exactly what is recorded, whoever was interrupted or faster before.
   * @param access what was recorded a moment ago.
   * @throws RpcError aborted, failed_precondition.
   */
  settle(access?: SupportAccess): Promise<void>;
};

type Wanted = { readonly [Tier in RoleTier]: { readonly trust: TrustPolicy; readonly sessions: SessionsPolicy } };

/** How often the roles are written while others change cases. */
const tries = 8;

const each = async <T>(ask: (tier: RoleTier) => Promise<T>): Promise<{ [Tier in RoleTier]: T }> => {
  const [DIAG, CONFIG_READ] = await Promise.all([ask('DIAG'), ask('CONFIG_READ')]);
  return { DIAG, CONFIG_READ };
};

export const accessKeeper = ({ cases, roles, supporters, clock }: AccessConnections): AccessKeeper => {
  const trustOf = (tier: RoleTier, { open }: TierAccess, now: Date): TrustPolicy => trustPolicy(
    open.filter(({ active_until }) => mayAssume({ status: 'open', allowed_tiers: [tier], active_until }, tier, now))
      .map(({ case_id: externalId, active_until: until }) => ({ externalId, until: new Date(until) })),
    supporters,
  );

  /** @returns what the role says then: where IAM does not take the policy, that it trusts nobody. */
  const setTrust = async (tier: RoleTier, policy: TrustPolicy): Promise<TrustPolicy> => {
    try {
      await roles.setTrust(tier, policy);
      return policy;
    } catch (error) {
      if (!(error instanceof ProviderRefusal)) throw error;
      await roles.setTrust(tier, trustOfNobody([]));
      return trustOfNobody([]);
    }
  };

  const giveTrust = async (tier: RoleTier, policy: TrustPolicy): Promise<void> => {
    if (await setTrust(tier, policy) !== policy) {
      throw new RpcError('failed_precondition', `IAM does not take the trust policy of the role for ${tier}: look whether everybody in supportPrincipals exists`);
    }
  };

  const setSessions = async (tier: RoleTier, policy: SessionsPolicy): Promise<SessionsPolicy> => {
    try {
      await roles.setSessions(tier, policy);
      return policy;
    } catch (error) {
      if (!(error instanceof ProviderRefusal)) throw error;
      throw new RpcError('failed_precondition', `IAM does not take the policy that ends sessions of the role for ${tier}: look whether somebody gave the role policies of their own`);
    }
  };

  const look = (): Promise<Known> => each((tier) => roles.readPolicies(tier));

  const wantedOf = ({ tiers }: SupportAccess, now: Date): Wanted => {
    const wanted = (tier: RoleTier) => ({ trust: trustOf(tier, tiers[tier], now), sessions: endedSessions(tiers[tier], now) });
    return { DIAG: wanted('DIAG'), CONFIG_READ: wanted('CONFIG_READ') };
  };

  /** What is known to be otherwise than recorded. */
  const differing = (known: Known, wanted: Wanted) => roleTiers.flatMap((tier) => (['sessions', 'trust'] as const)
    .filter((policy) => known[tier]?.[policy] !== undefined && !samePolicy(known[tier][policy], wanted[tier][policy])).map((policy) => ({ tier, policy })));

  /** @param looksAgain where a role was written before the record: somebody else may have written it since, from what was recorded then. */
  const settleFrom = async (start: Known, recorded: SupportAccess, looksAgain: boolean, given?: () => Promise<void>): Promise<void> => {
    let [known, access, looks, tells] = [start, recorded, looksAgain, given];
    for (let count = 0; count < tries; count++) {
      const wanted = wantedOf(access, clock());
      const wrong = differing(known, wanted);
      if (wrong.length === 0 && !looks) return;
      await sideBySide(wrong.map(({ tier, policy }) => (policy === 'trust' ? giveTrust(tier, wanted[tier].trust) : setSessions(tier, wanted[tier].sessions))));
      // Whoever changed a case meanwhile may have written a role before we did.
      [access, known] = await Promise.all([cases.findAccess(), looks ? look() : wanted, wrong.length > 0 && tells?.()]);
      if (wrong.length > 0) tells = undefined;
      looks = false;
    }
    throw new RpcError('aborted', 'others are changing support cases; try again');
  };

  return {
    change(access, before, after, now) {
      let recorded = accessAfter(access, before, after, now);
      const affected = (effect: 'takes' | 'gives') => roleTiers.filter((tier) => effectOf(before, after, tier, now) === effect);
      const [taken, givenTo] = [affected('takes'), affected('gives')];
      for (const tier of givenTo) {
        if (!fits(trustOf(tier, recorded.tiers[tier], now))) {
          throw new RpcError('failed_precondition', `the role for ${tier} has no room for another case: close one that grants it, take the tier from it, or let it lapse`);
        }
      }
      let foreseen: Promise<Known> | undefined;
      const foresee = async (): Promise<Known> => {
        // Until the change is recorded, what it puts off ends as before.
        const both = (tier: RoleTier): TierAccess => ({ ...recorded.tiers[tier], open: [...access.tiers[tier].open, ...recorded.tiers[tier].open] });
        const ends = givenTo.map((tier) => setSessions(tier, endedSessions(both(tier), now)).then((sessions) => ({ tier, sessions })));
        const reads = each(async (tier) => (taken.includes(tier) ? {} : roles.readPolicies(tier)));
        await sideBySide([reads, ...ends]);
        const [seen, written] = await Promise.all([reads, Promise.all(ends)]);
        return { ...seen, ...Object.fromEntries(written.map(({ tier, sessions }) => [tier, { ...seen[tier], sessions }])) };
      };
      return {
        gives: givenTo.length > 0,
        async take() {
          if (taken.length === 0) return recorded;
          await sideBySide(taken.flatMap((tier) => [setTrust(tier, trustOf(tier, recorded.tiers[tier], now)), setSessions(tier, endedSessions(recorded.tiers[tier], now))]));
          // Whoever was let in until IAM had it has lost access too; a policy that was written for an earlier second is put right by `settle`.
          recorded = accessAfter(access, before, after, clock());
          return recorded;
        },
        async foresee() {
          foreseen = foresee();
          await foreseen.catch(() => undefined);
        },
        settle: async (given) => settleFrom(await (foreseen ?? look()), recorded, taken.length > 0, given),
      };
    },
    async settle(seen) {
      let [access, known] = await Promise.all([seen ?? cases.findAccess(), look()]);
      // What was seen before may be older than what the roles say.
      if (seen && differing(known, wantedOf(access, clock())).length > 0) [access, known] = await Promise.all([cases.findAccess(), look()]);
      await settleFrom(known, access, false);
    },
  };
};
