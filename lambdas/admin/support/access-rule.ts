import type { RoleTier, SupportCase } from '../../../contract/admin/support.ts';

/** What of a case decides about access. */
export type CaseAccess = { readonly [Field in 'status' | 'active_until']: SupportCase[Field] } & { readonly allowed_tiers: readonly RoleTier[] };

/** The access rule (docs/specification.md#support): the case is open, the tier is among its tiers, and now is before active_until. */
export const mayAssume = ({ status, allowed_tiers: tiers, active_until: until }: CaseAccess, tier: RoleTier, now: Date): boolean =>
  status === 'open' && tiers.includes(tier) && now.getTime() < Date.parse(until);

/** When access by the tier ends, in milliseconds since 1970; 0 where there is none now. */
export const accessEnds = (access: CaseAccess, tier: RoleTier, now: Date): number => (mayAssume(access, tier, now) ? Date.parse(access.active_until) : 0);

/**
 * When sessions of the tier that were begun for the case ended, or end by a change of it, in milliseconds since 1970: at the end of its window where that is
 * past, else now where the change takes the tier; undefined where access goes on, or there was none.
 */
export const accessEnded = (before: CaseAccess, after: CaseAccess, tier: RoleTier, now: Date): number | undefined => {
  if (before.status !== 'open' || !before.allowed_tiers.includes(tier)) return undefined;
  const until = Date.parse(before.active_until);
  if (until <= now.getTime()) return until;
  return mayAssume(after, tier, now) ? undefined : now.getTime();
};
