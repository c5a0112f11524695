import type { Clock } from '../../../core/runtime/clock.ts';
import { errorLogFields } from '../../../core/runtime/errors.ts';
import type { Log } from '../../../core/runtime/log.ts';
import { maxEventDelay, eventRetention, type AssumptionLookup, type RoleAssumption } from '../../../core/aws/cloudtrail/assumption-lookup.ts';
import type { RoleAssumptions } from '../../../core/directory/role-assumptions.ts';
import { roleTiers, type StoredSupportCase } from '../../../core/directory/support-cases.ts';
import { accessEnds } from './access-rule.ts';

export type AssumptionConnections = {
  readonly archive: Pick<RoleAssumptions, 'listByCase'>;
  readonly lookup: AssumptionLookup;
  readonly roleArns: readonly string[];
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
};

/** Both halves as one, each event once, newest first. */
const combined = (archived: readonly RoleAssumption[], live: readonly RoleAssumption[]): RoleAssumption[] =>
  [...new Map([...live, ...archived].map((assumption) => [assumption.event_id, assumption])).values()]
    .sort((a, b) => (a.event_time < b.event_time ? 1 : a.event_time > b.event_time ? -1 : a.event_id < b.event_id ? 1 : -1));

/**
 * Whether every assumption for the case is old enough to be found: nothing gave it access since {@link maxEventDelay} before now. That is so when nothing of it was
 * changed since, and its window ended before.
 */
export const isSettled = (one: StoredSupportCase, now: Date): boolean => {
  const since = now.getTime() - maxEventDelay;
  return Date.parse(one.changed_at) <= since && roleTiers.every((tier) => accessEnds(one, tier, new Date(since)) === 0);
};

/** Who assumed a role for a case. */
export type CaseAssumptions = {
  /** The archived half. */
  archived(caseId: string): Promise<RoleAssumption[]>;
  /** Both halves, and whether that is all of it. */
  withLive(one: StoredSupportCase, kept: readonly RoleAssumption[]): Promise<{ readonly assumptions: RoleAssumption[]; readonly live_lookup_complete: boolean }>;
};

export const assumptionsOfCase = ({ archive, lookup, roleArns, clock, log }: AssumptionConnections): CaseAssumptions => ({
  archived: (caseId) => archive.listByCase(caseId),
  async withLive(one, kept) {
    const now = clock();
    const from = new Date(Math.max(Date.parse(one.opened_at), now.getTime() - eventRetention));
    const live = await lookup.search({ roleArns, from, to: now }).catch((error: unknown) => {
      log.warn('the live lookup of role assumptions failed', { case_id: one.case_id, ...errorLogFields(error) });
      return { assumptions: [], isWhole: false };
    });
    return {
      assumptions: combined(kept, live.assumptions.filter(({ external_id: id }) => id === one.external_id)),
      live_lookup_complete: live.isWhole && isSettled(one, now),
    };
  },
});
