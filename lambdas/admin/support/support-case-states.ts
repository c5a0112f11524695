import { activation, type RoleTier, type support } from '../../../contract/admin/support.ts';
import type { Request } from '../../../contract/rpc/rpc.ts';
import type { CaseFields } from '../../../core/directory/support-cases.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';

type OpenRequest = Request<(typeof support)['methods']['OpenSupportCase']>;

const secondsAfter = (now: Date, seconds: number): string => new Date(now.getTime() + seconds * 1000).toISOString();

const uniqueTiers = (tiers: readonly RoleTier[]): RoleTier[] => [...new Set(tiers)].sort();

const assertOpen = ({ status }: CaseFields): void => {
  if (status !== 'open') throw new RpcError('failed_precondition', 'the case is closed; open another one');
};

/** A new open case. A case without tiers grants no access until tiers are set. */
export const openedCase = (
  caseId: string,
  { subject, description, allowed_tiers: tiers, activation_seconds: seconds }: OpenRequest,
  openedBy: string,
  now: Date,
): CaseFields => ({
  case_id: caseId,
  external_id: caseId,
  status: 'open',
  subject,
  ...(description !== undefined && { description }),
  allowed_tiers: uniqueTiers(tiers),
  active_until: secondsAfter(now, seconds ?? activation.defaultOnOpen),
  opened_at: now.toISOString(),
  opened_by: openedBy,
});

/** The case after it is closed; undefined if it is already closed. The tiers and the window are kept as its history. */
export const closedCase = (before: CaseFields, closedBy: string, now: Date): CaseFields | undefined =>
  before.status === 'closed' ? undefined : { ...before, status: 'closed', closed_at: now.toISOString(), closed_by: closedBy };

/**
 * The open case with other tiers. The seconds count from now. Without them, an active case keeps its window, and a
 * lapsed case that gets tiers is active again for {@link activation}.defaultOnReactivation.
 * @throws RpcError failed_precondition for a closed case.
 */
export const caseWithTiers = (before: CaseFields, tiers: readonly RoleTier[], seconds: number | undefined, now: Date): CaseFields => {
  assertOpen(before);
  const hasLapsed = now.getTime() >= Date.parse(before.active_until);
  const activeFor = seconds ?? (hasLapsed && tiers.length > 0 ? activation.defaultOnReactivation : undefined);
  return { ...before, allowed_tiers: uniqueTiers(tiers), active_until: activeFor === undefined ? before.active_until : secondsAfter(now, activeFor) };
};

/**
 * The open case with another end of the window. A time that is not in the future ends access; a later time extends or
 * reactivates it.
 * @throws RpcError failed_precondition for a closed case, invalid_argument beyond {@link activation}.max from now.
 */
export const caseActiveUntil = (before: CaseFields, until: string, now: Date): CaseFields => {
  if (Date.parse(until) > now.getTime() + activation.max * 1000) {
    throw new RpcError('invalid_argument', `active_until must be at most ${activation.max / 86_400} days from now`);
  }
  assertOpen(before);
  return { ...before, active_until: until };
};
