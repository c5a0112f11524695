import type { RoleTier } from '../../../contract/admin/support.ts';
import { trustWithoutCases, type SessionsPolicy, type TrustPolicy } from '../../../contract/deployment/support-roles.ts';
import type { RolePolicies, SupportRoles } from '../../../core/aws/iam-support-roles.ts';
import { ProviderRefusal } from '../../../core/aws/provider-errors.ts';
import { roleTiers, type CaseFields, type SupportAccess, type SupportCases, type TierAccess } from '../../../core/directory/support-cases.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { allSettled } from '../../../core/runtime/map-concurrently.ts';
import { endedSessionsPolicy } from './ended-sessions-policy.ts';
import { fitsTrustPolicyLimit, isSamePolicy, trustPolicy, type Supporters } from './role-trust-policy.ts';
import { accessAfter, accessEffect, mayAssume } from './support-access.ts';

export type RoleSyncDependencies = {
  readonly cases: Pick<SupportCases, 'findAccess'>;
  readonly roles: SupportRoles;
  readonly supporters: Supporters;
  readonly clock: Clock;
};

/** The current policies in IAM that were already read. */
type KnownPolicies = { readonly [Tier in RoleTier]?: Partial<RolePolicies> };

/** The policies that recorded access requires. */
type ExpectedPolicies = { readonly [Tier in RoleTier]: { readonly trust: TrustPolicy; readonly sessions: SessionsPolicy } };

/** A change of a case. Access is revoked in IAM before the record is written, and granted after it. */
export type SupportRoleChange = {
  /** Whether the change grants access. */
  readonly grants: boolean;
  /**
   * Revokes access in IAM according to the change, including sessions.
   * @returns the access to record with the change.
   * @throws RpcError failed_precondition.
   */
  revoke(): Promise<SupportAccess>;
  /**
   * Schedules the end of sessions together with the granted windows. It does not throw; {@link RoleChange.grant} throws
   * the error.
   */
  scheduleSessionEnds(): Promise<void>;
  /**
   * Grants access in IAM according to the change, and repairs other differences from the recorded access.
   * @param onGranted called once after the grant, concurrently with the check whether another call has changed the
   * cases.
   * @throws RpcError aborted, failed_precondition.
   */
  grant(onGranted: () => Promise<void>): Promise<void>;
};

/**
 * Keeps the support roles consistent with the cases: who may assume the roles, and which of their sessions have ended.
 */
type SupportRoleSync = {
  /** Plans a change. @throws RpcError failed_precondition when the trust policy of a role has no room for the grant. */
  planChange(access: SupportAccess, before: CaseFields | undefined, after: CaseFields, now: Date): SupportRoleChange;
  /**
   * Makes the roles' policies equal to the recorded access, after an interrupted or a concurrent call.
   * @param access the recorded access, if it was just read.
   * @throws RpcError aborted, failed_precondition.
   */
  repair(access?: SupportAccess): Promise<void>;
};

/** Maximum attempts to write the roles, when other calls change cases at the same time. */
const maxAttempts = 8;

const forEachTier = async <T>(operation: (tier: RoleTier) => Promise<T>): Promise<{ [Tier in RoleTier]: T }> => {
  const [DIAG, CONFIG_READ] = await Promise.all([operation('DIAG'), operation('CONFIG_READ')]);
  return { DIAG, CONFIG_READ };
};

/** The expected policies from which the known policies differ. */
const differingPolicies = (known: KnownPolicies, expected: ExpectedPolicies) =>
  roleTiers.flatMap((tier) =>
    (['sessions', 'trust'] as const)
      .filter((policy) => known[tier]?.[policy] !== undefined && !isSamePolicy(known[tier][policy], expected[tier][policy]))
      .map((policy) => ({ tier, policy })),
  );

const trustPolicyOf = (supporters: Supporters, tier: RoleTier, { open }: TierAccess, now: Date): TrustPolicy =>
  trustPolicy(
    open
      .filter(({ active_until }) => mayAssume({ status: 'open', allowed_tiers: [tier], active_until }, tier, now))
      .map(({ case_id: externalId, active_until: until }) => ({ externalId, until: new Date(until) })),
    supporters,
  );

const expectedPolicies = (supporters: Supporters, { tiers }: SupportAccess, now: Date): ExpectedPolicies => {
  const ofTier = (tier: RoleTier) => ({ trust: trustPolicyOf(supporters, tier, tiers[tier], now), sessions: endedSessionsPolicy(tiers[tier], now) });
  return { DIAG: ofTier('DIAG'), CONFIG_READ: ofTier('CONFIG_READ') };
};

const readPolicies = (roles: SupportRoles): Promise<KnownPolicies> => forEachTier((tier) => roles.readPolicies(tier));

/** Writes the trust policy. If IAM refuses it, writes the policy without cases. @returns the written policy. */
const setTrustOrRevoke = async (roles: SupportRoles, tier: RoleTier, policy: TrustPolicy): Promise<TrustPolicy> => {
  try {
    await roles.setTrust(tier, policy);
    return policy;
  } catch (error) {
    if (!(error instanceof ProviderRefusal)) throw error;
    await roles.setTrust(tier, trustWithoutCases([]));
    return trustWithoutCases([]);
  }
};

const setTrust = async (roles: SupportRoles, tier: RoleTier, policy: TrustPolicy): Promise<void> => {
  if ((await setTrustOrRevoke(roles, tier, policy)) !== policy) {
    throw new RpcError('failed_precondition', `IAM refuses the trust policy of the role for ${tier}: check that every principal in supportPrincipals exists`);
  }
};

const setSessions = async (roles: SupportRoles, tier: RoleTier, policy: SessionsPolicy): Promise<SessionsPolicy> => {
  try {
    await roles.setSessions(tier, policy);
    return policy;
  } catch (error) {
    if (!(error instanceof ProviderRefusal)) throw error;
    throw new RpcError(
      'failed_precondition',
      `IAM refuses the policy that ends sessions of the role for ${tier}: check the role for inline policies that were added by hand`,
    );
  }
};

/**
 * Writes differing policies until the roles match the recorded access.
 * @param readAgain whether to read the access again first: when a role was written before the record, another call
 * may have written the role since, from an older record.
 */
const writeDifferences = async (
  { cases, roles, supporters, clock }: RoleSyncDependencies,
  start: KnownPolicies,
  recorded: SupportAccess,
  readAgain: boolean,
  onWritten?: () => Promise<void>,
): Promise<void> => {
  let [known, access, mustRead, notify] = [start, recorded, readAgain, onWritten];
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const expected = expectedPolicies(supporters, access, clock());
    const differing = differingPolicies(known, expected);
    if (differing.length === 0 && !mustRead) return;
    await allSettled(
      differing.map(({ tier, policy }) =>
        policy === 'trust' ? setTrust(roles, tier, expected[tier].trust) : setSessions(roles, tier, expected[tier].sessions),
      ),
    );
    // Another call that changed a case meanwhile may have written a role before this one did.
    [access, known] = await Promise.all([cases.findAccess(), mustRead ? readPolicies(roles) : expected, differing.length > 0 && notify?.()]);
    if (differing.length > 0) notify = undefined;
    mustRead = false;
  }
  throw new RpcError('aborted', 'others are changing support cases; try again');
};

const planChange = (
  dependencies: RoleSyncDependencies,
  access: SupportAccess,
  before: CaseFields | undefined,
  after: CaseFields,
  now: Date,
): SupportRoleChange => {
  const { roles, supporters, clock } = dependencies;
  let recorded = accessAfter(access, before, after, now);
  const tiersWith = (effect: 'revokes' | 'grants') => roleTiers.filter((tier) => accessEffect(before, after, tier, now) === effect);
  const [revokedTiers, grantedTiers] = [tiersWith('revokes'), tiersWith('grants')];
  for (const tier of grantedTiers) {
    if (!fitsTrustPolicyLimit(trustPolicyOf(supporters, tier, recorded.tiers[tier], now))) {
      throw new RpcError(
        'failed_precondition',
        `the role for ${tier} has no room for another case: close one that grants it, take the tier from it, or let it lapse`,
      );
    }
  }

  const setSessionEnds = async (): Promise<KnownPolicies> => {
    // Until the change is recorded, a window that the change extends still ends at its former end.
    const endsBeforeAndAfter = (tier: RoleTier): TierAccess => ({ ...recorded.tiers[tier], open: [...access.tiers[tier].open, ...recorded.tiers[tier].open] });
    const writes = grantedTiers.map((tier) =>
      setSessions(roles, tier, endedSessionsPolicy(endsBeforeAndAfter(tier), now)).then((sessions) => ({ tier, sessions })),
    );
    const reads = forEachTier(async (tier) => (revokedTiers.includes(tier) ? {} : roles.readPolicies(tier)));
    await allSettled([reads, ...writes]);
    const [read, written] = await Promise.all([reads, Promise.all(writes)]);
    return { ...read, ...Object.fromEntries(written.map(({ tier, sessions }) => [tier, { ...read[tier], sessions }])) };
  };
  let settingSessionEnds: Promise<KnownPolicies> | undefined;

  return {
    grants: grantedTiers.length > 0,
    async revoke() {
      if (revokedTiers.length === 0) return recorded;
      await allSettled(
        revokedTiers.flatMap((tier) => [
          setTrustOrRevoke(roles, tier, trustPolicyOf(supporters, tier, recorded.tiers[tier], now)),
          setSessions(roles, tier, endedSessionsPolicy(recorded.tiers[tier], now)),
        ]),
      );
      // Sessions that were issued before IAM had the policies end too. `grant` replaces a policy that was written
      // for an earlier second.
      recorded = accessAfter(access, before, after, clock());
      return recorded;
    },
    async scheduleSessionEnds() {
      settingSessionEnds = setSessionEnds();
      await settingSessionEnds.catch(() => undefined);
    },
    grant: async (onGranted) => writeDifferences(dependencies, await (settingSessionEnds ?? readPolicies(roles)), recorded, revokedTiers.length > 0, onGranted),
  };
};

const repair = async (dependencies: RoleSyncDependencies, knownAccess: SupportAccess | undefined): Promise<void> => {
  const { cases, roles, supporters, clock } = dependencies;
  let [access, known] = await Promise.all([knownAccess ?? cases.findAccess(), readPolicies(roles)]);
  // The given access may be older than the policies.
  if (knownAccess && differingPolicies(known, expectedPolicies(supporters, access, clock())).length > 0) {
    [access, known] = await Promise.all([cases.findAccess(), readPolicies(roles)]);
  }
  await writeDifferences(dependencies, known, access, false);
};

export const supportRoleSync = (dependencies: RoleSyncDependencies): SupportRoleSync => ({
  planChange: (...change) => planChange(dependencies, ...change),
  repair: (access) => repair(dependencies, access),
});
