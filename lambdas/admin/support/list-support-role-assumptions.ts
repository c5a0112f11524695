import { support } from '../../../contract/admin/support.ts';
import { eventRetention, maxEventDelay, type AssumptionLookup, type RoleAssumption } from '../../../core/aws/cloudtrail-assumption-lookup.ts';
import type { RoleAssumptions } from '../../../core/directory/role-assumptions.ts';
import { roleTiers, type StoredSupportCase } from '../../../core/directory/support-cases.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { notFound } from '../../../core/rpc/rpc-error.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { errorLogFields } from '../../../core/runtime/error-log-fields.ts';
import type { Log } from '../../../core/runtime/log.ts';
import { accessEndsAt } from './support-access.ts';
import { supportCaseChanges, type CaseChangeDependencies } from './support-case-changes.ts';

export type AssumptionDependencies = {
  readonly archive: Pick<RoleAssumptions, 'listByCase'>;
  readonly lookup: AssumptionLookup;
  readonly roleArns: readonly string[];
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
};

/** Combines archived and live events, without duplicates, newest first. */
const combineAssumptions = (archived: readonly RoleAssumption[], live: readonly RoleAssumption[]): RoleAssumption[] =>
  [...new Map([...live, ...archived].map((assumption) => [assumption.event_id, assumption])).values()].sort((a, b) =>
    a.event_time < b.event_time ? 1 : a.event_time > b.event_time ? -1 : a.event_id < b.event_id ? 1 : -1,
  );

/**
 * Whether CloudTrail already has every assumption for the case: for {@link maxEventDelay} the case has not changed and
 * has granted no access.
 */
const isLookupAuthoritative = (stored: StoredSupportCase, now: Date): boolean => {
  const since = now.getTime() - maxEventDelay;
  return Date.parse(stored.changed_at) <= since && roleTiers.every((tier) => accessEndsAt(stored, tier, new Date(since)) === 0);
};

/** Adds the live events to the archived events. A failed lookup is logged, and the response is marked as incomplete. */
export const withLiveAssumptions = async (
  { lookup, roleArns, clock, log }: Omit<AssumptionDependencies, 'archive'>,
  stored: StoredSupportCase,
  archived: readonly RoleAssumption[],
): Promise<{ readonly assumptions: RoleAssumption[]; readonly live_lookup_complete: boolean }> => {
  const now = clock();
  const from = new Date(Math.max(Date.parse(stored.opened_at), now.getTime() - eventRetention));
  const live = await lookup.search({ roleArns, from, to: now }).catch((error: unknown) => {
    log.warn('role assumptions could not be looked up in CloudTrail', { case_id: stored.case_id, ...errorLogFields(error) });
    return { assumptions: [], isComplete: false };
  });
  return {
    assumptions: combineAssumptions(
      archived,
      live.assumptions.filter(({ external_id: id }) => id === stored.external_id),
    ),
    live_lookup_complete: live.isComplete && isLookupAuthoritative(stored, now),
  };
};

export const listSupportRoleAssumptions = (dependencies: CaseChangeDependencies & AssumptionDependencies) => {
  const { cases, archive } = dependencies;
  const { repairRoles } = supportCaseChanges(dependencies);
  return adminMethod(support.methods.ListSupportRoleAssumptions, {
    prefetch: ({ case_id }) => Promise.all([cases.find(case_id), archive.listByCase(case_id)]),
    run: async (_request, _call, [{ found: stored, access }, archived]) => {
      const [answer] = await Promise.all([stored && withLiveAssumptions(dependencies, stored, archived), repairRoles(access)]);
      if (!answer) throw notFound('support case');
      return answer;
    },
  });
};
