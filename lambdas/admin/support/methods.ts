import { support } from '../../../contract/admin/support.ts';
import { changesBetween } from '../../../core/rpc/audit.ts';
import { adminMethod, type AdminMethods, type Call } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { errorLogFields } from '../../../core/runtime/errors.ts';
import type { NewId } from '../../../core/runtime/ids.ts';
import type { Log } from '../../../core/runtime/log.ts';
import { notFound, RpcError, toRpcError } from '../../../core/rpc/rpc-error.ts';
import { sideBySide } from '../../../core/runtime/side-by-side.ts';
import { retryOnConflictFrom } from '../../../core/storage/retry-on-conflict.ts';
import { toSupportCase, type CaseFields, type StoredSupportCase, type SupportAccess, type SupportCases } from '../../../core/directory/support-cases.ts';
import { accessKeeper, type AccessChange, type AccessConnections } from './access-keeper.ts';
import { caseActiveUntil, caseWithTiers, closedCase, openedCase } from './case-states.ts';
import { assumptionsOfCase, type AssumptionConnections } from './case-assumptions.ts';

export type SupportConnections = AccessConnections & AssumptionConnections & { readonly cases: SupportCases; readonly newId: NewId; readonly clock: Clock; readonly log: Log };

const audited = ['status', 'subject', 'allowed_tiers', 'active_until'] as const satisfies readonly (keyof CaseFields)[];

/** A case as it is found, with the access that a change of it starts from. */
type Found = Awaited<ReturnType<SupportCases['find']>>;

/** What /support does. Every call brings the roles in step with the cases, also after one that was interrupted. */
export const supportMethods = (connections: SupportConnections): AdminMethods<typeof support> => {
  const { cases, newId, clock, log } = connections;
  const roles = accessKeeper(connections);
  const assumptions = assumptionsOfCase(connections);

  /** Repairs what an interrupted call left; one that only reads does not fail by it. */
  const repair = (seen?: SupportAccess) => roles.settle(seen).catch((error: unknown) => log.error('the support roles are not in step with the cases', errorLogFields(error)));

  /** For what failed on its way into the record: the roles may know of it already. */
  const repaired = async (error: unknown): Promise<never> => {
    await repair();
    throw error;
  };

  /** Takes from the roles, and records. */
  const record = async (before: StoredSupportCase | undefined, after: CaseFields, access: SupportAccess, now: Date, { audit }: Call): Promise<AccessChange> => {
    audit.describe({ entity_id: after.case_id, entity_name: after.subject, changes: changesBetween<CaseFields>(before, after, audited) });
    const change = roles.change(access, before, after, now);
    const recorded = await change.take();
    await sideBySide([cases.save(before, after, recorded, now, change.gives ? audit.pendingWrites() : audit.successWrites()), change.foresee()]);
    return change;
  };

  const concluding = ({ audit }: Call) => () => cases.recordUnchanged(audit.successWrites());

  /** Changes a case as it was found; each time that another admin was faster, as it is then. @param next undefined where there is nothing to change. */
  const change = async (caseId: string, ahead: Found, next: (before: StoredSupportCase, now: Date) => CaseFields | undefined, call: Call): Promise<CaseFields> => {
    const settling = await retryOnConflictFrom(ahead, () => cases.find(caseId), async ({ found: before, access }) => {
      if (!before) throw notFound('support case');
      call.audit.describe({ entity_name: before.subject, changes: [] });
      const now = clock();
      const { version: _version, changed_at: _changed, ...after } = { ...before, ...next(before, now) };
      if (changesBetween<CaseFields>(before, after, audited).length === 0) {
        return { after, settle: () => sideBySide([cases.recordUnchanged(call.audit.successWrites()), roles.settle(access)]) };
      }
      const recorded = await record(before, after, access, now, call);
      return { after, settle: () => recorded.settle(concluding(call)) };
    }).catch(repaired);
    await settling.settle();
    return settling.after;
  };

  const findAhead = ({ case_id: caseId }: { readonly case_id: string }): Promise<Found> => cases.find(caseId);

  return {
    OpenSupportCase: adminMethod(support.methods.OpenSupportCase, {
      prefetch: () => cases.findAccess(),
      run: async (wanted, call, ahead) => {
        const caseId = newId('supportCase');
        const opened = await retryOnConflictFrom(ahead, () => cases.findAccess(), async (access) => {
          const now = clock();
          return record(undefined, openedCase(caseId, wanted, call.caller.principalId, now), access, now, call);
        }).catch(repaired);
        await opened.settle(concluding(call)).catch((error: unknown) => {
          log.error('a case is open without its access', errorLogFields(error));
          const { code, message } = toRpcError(error);
          throw new RpcError(code, `the case ${caseId} is open, but its access is not in force; the next call of any method tries again: ${message}`);
        });
        return { case_id: caseId };
      },
    }),
    CloseSupportCase: adminMethod(support.methods.CloseSupportCase, {
      prefetch: findAhead,
      run: async ({ case_id: caseId }, call, ahead) => {
        await change(caseId, ahead, (before, now) => closedCase(before, call.caller.principalId, now), call);
        return {};
      },
    }),
    ListSupportCases: adminMethod(support.methods.ListSupportCases, {
      prefetch: () => Promise.all([cases.list(), cases.findAccess()]),
      run: async (_request, _call, [found, access]) => {
        await repair(access);
        return { cases: found.map(toSupportCase) };
      },
    }),
    SetSupportCaseTiers: adminMethod(support.methods.SetSupportCaseTiers, {
      prefetch: findAhead,
      run: async ({ case_id: caseId, allowed_tiers: tiers, activation_seconds: seconds }, call, ahead) =>
        ({ case: await change(caseId, ahead, (before, now) => caseWithTiers(before, tiers, seconds, now), call) }),
    }),
    SetSupportCaseActiveUntil: adminMethod(support.methods.SetSupportCaseActiveUntil, {
      prefetch: findAhead,
      run: async ({ case_id: caseId, active_until: until }, call, ahead) =>
        ({ case: await change(caseId, ahead, (before, now) => caseActiveUntil(before, until, now), call) }),
    }),
    ListSupportRoleAssumptions: adminMethod(support.methods.ListSupportRoleAssumptions, {
      prefetch: ({ case_id: caseId }) => Promise.all([cases.find(caseId), assumptions.archived(caseId)]),
      run: async (_request, _call, [{ found, access }, kept]) => {
        const [listed] = await Promise.all([found && assumptions.withLive(found, kept), repair(access)]);
        if (!listed) throw notFound('support case');
        return listed;
      },
    }),
  };
};
