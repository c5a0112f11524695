import type { RoleTier } from '../../../contract/admin/support.ts';
import type { CaseFields, SupportAccess, TierAccess, TierPointer } from '../../../core/directory/support-cases.ts';
import { accessEnded, accessEnds } from './access-rule.ts';

/** What a change of a case does to a tier: 'takes' where its access ends sooner or at once, 'gives' where it ends later or begins. */
export type Effect = 'takes' | 'gives' | 'none';

export const effectOf = (before: CaseFields | undefined, after: CaseFields, tier: RoleTier, now: Date): Effect => {
  const [had, has] = [before ? accessEnds(before, tier, now) : 0, accessEnds(after, tier, now)];
  return had === has ? 'none' : had > has ? 'takes' : 'gives';
};

const latest = (...ends: (number | undefined)[]): string | undefined => {
  const known = ends.filter((end) => end !== undefined);
  return known.length === 0 ? undefined : new Date(Math.max(...known)).toISOString();
};

/** Where nobody had access, whatever was begun until a second ago has ended: IAM takes some seconds to spread what was taken, and may have let somebody in. */
const beforeAccess = (was: readonly TierPointer[], is: readonly TierPointer[], now: Date): number | undefined => {
  const isGiven = (open: readonly TierPointer[]) => open.some(({ active_until: until }) => Date.parse(until) > now.getTime());
  return isGiven(is) && !isGiven(was) ? now.getTime() - 1000 : undefined;
};

const tierAfter = ({ open, ended }: TierAccess, before: CaseFields | undefined, after: CaseFields, tier: RoleTier, now: Date): TierAccess => {
  const others = open.filter(({ case_id: id }) => id !== after.case_id);
  const is = after.status === 'open' && after.allowed_tiers.includes(tier) ? [...others, { case_id: after.case_id, active_until: after.active_until }] : others;
  return { open: is, ended: latest(ended === undefined ? undefined : Date.parse(ended), before && accessEnded(before, after, tier, now), beforeAccess(open, is, now)) };
};

/** Access as it is after a change of a case. @param now when what the change takes was taken. */
export const accessAfter = ({ revision, tiers }: SupportAccess, before: CaseFields | undefined, after: CaseFields, now: Date): SupportAccess => {
  const tier = (name: RoleTier) => tierAfter(tiers[name], before, after, name, now);
  return { revision: revision + 1, tiers: { DIAG: tier('DIAG'), CONFIG_READ: tier('CONFIG_READ') } };
};
