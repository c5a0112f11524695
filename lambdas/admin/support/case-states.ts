import { activation, type RoleTier, type support } from '../../../contract/admin/support.ts';
import type { Request } from '../../../contract/rpc.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';
import type { CaseFields } from '../../../core/directory/support-cases.ts';

type Wanted = Request<(typeof support)['methods']['OpenSupportCase']>;

const later = (now: Date, seconds: number): string => new Date(now.getTime() + seconds * 1000).toISOString();

const each = (tiers: readonly RoleTier[]): RoleTier[] => [...new Set(tiers)].sort();

const openOnly = ({ status }: CaseFields): void => {
  if (status !== 'open') throw new RpcError('failed_precondition', 'the case is closed; open another one');
};

/** none → open. Without tiers it grants no access until some are set. */
export const openedCase = (caseId: string, { subject, description, allowed_tiers: tiers, activation_seconds: seconds }: Wanted, by: string, now: Date): CaseFields => ({
  case_id: caseId,
  external_id: caseId,
  status: 'open',
  subject,
  ...(description !== undefined && { description }),
  allowed_tiers: each(tiers),
  active_until: later(now, seconds ?? activation.defaultOnOpen),
  opened_at: now.toISOString(),
  opened_by: by,
});

/** open → closed; undefined for a case that is closed already. Its tiers and its window stay as they were, as its history. */
export const closedCase = (before: CaseFields, by: string, now: Date): CaseFields | undefined =>
  (before.status === 'closed' ? undefined : { ...before, status: 'closed', closed_at: now.toISOString(), closed_by: by });

/**
 * open → open with other tiers. Seconds that are given count from now; without them an active case keeps its window, and a lapsed one that gets tiers is
 * active again for {@link activation}.defaultOnReactivation.
 * @throws RpcError failed_precondition for a closed case.
 */
export const caseWithTiers = (before: CaseFields, tiers: readonly RoleTier[], seconds: number | undefined, now: Date): CaseFields => {
  openOnly(before);
  const hasLapsed = now.getTime() >= Date.parse(before.active_until);
  const activeFor = seconds ?? (hasLapsed && tiers.length > 0 ? activation.defaultOnReactivation : undefined);
  return { ...before, allowed_tiers: each(tiers), active_until: activeFor === undefined ? before.active_until : later(now, activeFor) };
};

/**
 * open → open with another end of its window: a time that is not in the future ends it, a later one extends it or brings it back.
 * @throws RpcError failed_precondition for a closed case, invalid_argument beyond {@link activation}.max from now.
 */
export const caseActiveUntil = (before: CaseFields, until: string, now: Date): CaseFields => {
  if (Date.parse(until) > now.getTime() + activation.max * 1000) {
    throw new RpcError('invalid_argument', `active_until must be at most ${activation.max / 86_400} days from now`);
  }
  openOnly(before);
  return { ...before, active_until: until };
};
