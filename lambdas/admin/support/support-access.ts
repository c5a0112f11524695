import type { RoleTier, SupportCase } from '../../../contract/admin/support.ts';
import type { CaseFields, SupportAccess, TierAccess, TierPointer } from '../../../core/directory/support-cases.ts';

/** The fields of a case that determine access. */
export type CaseAccess = { readonly [Field in 'status' | 'active_until']: SupportCase[Field] } & { readonly allowed_tiers: readonly RoleTier[] };

/** Whether a case grants access to a tier (docs/specification.md#support). */
export const mayAssume = ({ status, allowed_tiers: tiers, active_until: until }: CaseAccess, tier: RoleTier, now: Date): boolean =>
  status === 'open' && tiers.includes(tier) && now.getTime() < Date.parse(until);

/** The time at which access to the tier ends, in milliseconds since 1970; 0 when there is no access now. */
export const accessEndsAt = (access: CaseAccess, tier: RoleTier, now: Date): number => (mayAssume(access, tier, now) ? Date.parse(access.active_until) : 0);

/**
 * The time at which sessions of the tier end because of a change or a lapse of the case, in milliseconds since 1970. If
 * the window is past, the sessions ended at its end. A change that removes the tier ends them now. Undefined when
 * access continues, or there was none.
 */
const sessionsEndedAt = (before: CaseAccess, after: CaseAccess, tier: RoleTier, now: Date): number | undefined => {
  if (before.status !== 'open' || !before.allowed_tiers.includes(tier)) return undefined;
  const until = Date.parse(before.active_until);
  if (until <= now.getTime()) return until;
  return mayAssume(after, tier, now) ? undefined : now.getTime();
};

/** The effect of a change on a tier. `revokes`: access ends earlier. `grants`: access begins, or ends later. */
type AccessEffect = 'revokes' | 'grants' | 'none';

export const accessEffect = (before: CaseFields | undefined, after: CaseFields, tier: RoleTier, now: Date): AccessEffect => {
  const [endBefore, endAfter] = [before ? accessEndsAt(before, tier, now) : 0, accessEndsAt(after, tier, now)];
  return endBefore === endAfter ? 'none' : endBefore > endAfter ? 'revokes' : 'grants';
};

const latestTime = (...times: (number | undefined)[]): string | undefined => {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : new Date(Math.max(...known)).toISOString();
};

/**
 * Ends all earlier sessions when a tier is granted for the first time, because IAM may have admitted a supporter after
 * the end of their access.
 */
const endBeforeFirstGrant = (before: readonly TierPointer[], after: readonly TierPointer[], now: Date): number | undefined => {
  const grantsAccess = (pointers: readonly TierPointer[]) => pointers.some(({ active_until: until }) => Date.parse(until) > now.getTime());
  return grantsAccess(after) && !grantsAccess(before) ? now.getTime() - 1000 : undefined;
};

const tierAccessAfter = ({ open, ended }: TierAccess, before: CaseFields | undefined, after: CaseFields, tier: RoleTier, now: Date): TierAccess => {
  const otherCases = open.filter(({ case_id: id }) => id !== after.case_id);
  const allowsTier = after.status === 'open' && after.allowed_tiers.includes(tier);
  const openAfter = allowsTier ? [...otherCases, { case_id: after.case_id, active_until: after.active_until }] : otherCases;
  const endedAfter = latestTime(
    ended === undefined ? undefined : Date.parse(ended),
    before && sessionsEndedAt(before, after, tier, now),
    endBeforeFirstGrant(open, openAfter, now),
  );
  return { open: openAfter, ended: endedAfter };
};

/** The access after a change of a case. @param now the time at which the revocations of the change take effect. */
export const accessAfter = ({ revision, tiers }: SupportAccess, before: CaseFields | undefined, after: CaseFields, now: Date): SupportAccess => {
  const tierAfter = (tier: RoleTier) => tierAccessAfter(tiers[tier], before, after, tier, now);
  return { revision: revision + 1, tiers: { DIAG: tierAfter('DIAG'), CONFIG_READ: tierAfter('CONFIG_READ') } };
};
