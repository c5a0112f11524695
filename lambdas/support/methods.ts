import type { support } from '../../contract/admin/support.ts';
import { changesBetween } from '../platform/audit.ts';
import type { Behaviours, Call } from '../platform/admin-pipe.ts';
import type { Clock } from '../platform/clock.ts';
import { rpcErrorOf, traceOf } from '../platform/failure.ts';
import type { NewId } from '../platform/ids.ts';
import type { Log } from '../platform/log.ts';
import { notFound, RpcError } from '../platform/rpc-error.ts';
import { racing } from '../store/directory/race.ts';
import { shownSupportCase, type CaseFields, type StoredSupportCase, type SupportCases } from '../store/directory/support-cases.ts';
import { caseActiveUntil, caseWithTiers, closedCase, openedCase } from './case-states.ts';
import { assumptionsOfCase, type AssumptionConnections } from './case-assumptions.ts';
import { trustKeeper, type TrustConnections } from './trust-keeper.ts';

export type SupportConnections = TrustConnections & AssumptionConnections & { readonly cases: SupportCases; readonly newId: NewId; readonly clock: Clock; readonly log: Log };

const audited = ['status', 'subject', 'allowed_tiers', 'active_until'] as const satisfies readonly (keyof CaseFields)[];

/** What /support does. */
export const supportMethods = (connections: SupportConnections): Behaviours<typeof support> => {
  const { cases, newId, clock, log } = connections;
  const trust = trustKeeper(connections);
  const assumptions = assumptionsOfCase(connections);

  /** Repairs what an interrupted call left; one that only reads does not fail by it. */
  const repair = () => trust.settle().catch((error: unknown) => log.error('the support roles are not in step with the cases', traceOf(error)));

  /** Takes from the roles, records, gives to the roles. */
  const record = async (before: StoredSupportCase | undefined, after: CaseFields, revision: number, now: Date, { audit }: Call): Promise<void> => {
    audit.about({ entity_id: after.case_id, entity_name: after.subject, changes: changesBetween<CaseFields>(before, after, audited) });
    const { gives } = await trust.prepare(before, after);
    await cases.keep(before, after, revision, now, gives ? audit.begins() : audit.writes());
  };

  /** Changes a case as it is now; each time that another admin was faster, as it is then. @param next undefined where there is nothing to change. */
  const change = async (caseId: string, next: (before: StoredSupportCase, now: Date) => CaseFields | undefined, call: Call): Promise<CaseFields> => {
    const changed = await racing(async () => {
      const { found: before, revision } = await cases.find(caseId);
      if (!before) throw notFound('support case');
      call.audit.about({ entity_name: before.subject, changes: [] });
      const now = clock();
      const { version: _version, changed_at: _changed, ...after } = { ...before, ...next(before, now) };
      if (changesBetween<CaseFields>(before, after, audited).length > 0) await record(before, after, revision, now, call);
      else await cases.conclude(call.audit.writes());
      return after;
    }).catch(async (error: unknown) => {
      await repair();
      throw error;
    });
    await trust.settle();
    return changed;
  };

  return {
    async OpenSupportCase(wanted, call) {
      const caseId = newId('supportCase');
      await racing(async () => {
        const { revision } = await cases.find(caseId);
        const now = clock();
        await record(undefined, openedCase(caseId, wanted, call.caller.principalId, now), revision, now, call);
      });
      await trust.settle().catch((error: unknown) => {
        log.error('a case is open without its access', traceOf(error));
        const { code, message } = rpcErrorOf(error);
        throw new RpcError(code, `the case ${caseId} is open, but its access is not in force; the next call of any method tries again: ${message}`);
      });
      return { case_id: caseId };
    },
    async CloseSupportCase({ case_id: caseId }, call) {
      await change(caseId, (before, now) => closedCase(before, call.caller.principalId, now), call);
      return {};
    },
    async ListSupportCases() {
      const [found] = await Promise.all([cases.list(), repair()]);
      return { cases: found.map(shownSupportCase) };
    },
    async SetSupportCaseTiers({ case_id: caseId, allowed_tiers: tiers, activation_seconds: seconds }, call) {
      return { case: await change(caseId, (before, now) => caseWithTiers(before, tiers, seconds, now), call) };
    },
    async SetSupportCaseActiveUntil({ case_id: caseId, active_until: until }, call) {
      return { case: await change(caseId, (before, now) => caseActiveUntil(before, until, now), call) };
    },
    async ListSupportRoleAssumptions({ case_id: caseId }) {
      const [{ found }] = await Promise.all([cases.find(caseId), repair()]);
      if (!found) throw notFound('support case');
      return assumptions(found);
    },
  };
};
