import type { CaseFields, StoredSupportCase, SupportAccess, SupportCases } from '../../../core/directory/support-cases.ts';
import type { Call } from '../../../core/rpc/admin-method.ts';
import { changesBetween } from '../../../core/rpc/audit.ts';
import { notFound } from '../../../core/rpc/rpc-error.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { errorLogFields } from '../../../core/runtime/error-log-fields.ts';
import type { Log } from '../../../core/runtime/log.ts';
import { allSettled } from '../../../core/runtime/map-concurrently.ts';
import { retryOnConflictFrom } from '../../../core/storage/retry-on-conflict.ts';
import { supportRoleSync, type SupportRoleChange, type RoleSyncDependencies } from './support-role-sync.ts';

export type CaseChangeDependencies = RoleSyncDependencies & { readonly cases: SupportCases; readonly clock: Clock; readonly log: Log };

/** A case, and the access on which its change is based, as they were read. */
type CaseWithAccess = Awaited<ReturnType<SupportCases['find']>>;

/**
 * Changes a case.
 * @returns undefined when nothing changes.
 * @throws RpcError
 */
type CaseChange = (before: StoredSupportCase, now: Date) => CaseFields | undefined;

const auditedFields = ['status', 'subject', 'allowed_tiers', 'active_until'] as const satisfies readonly (keyof CaseFields)[];

/** The dependencies of the methods of /support, which record changes of cases and update the support roles. */
export const supportCaseChanges = (dependencies: CaseChangeDependencies) => {
  const { cases, clock, log } = dependencies;
  const roleSync = supportRoleSync(dependencies);

  /**
   * Repairs the roles after an interrupted call. A failure is only logged, so that methods that read do not fail
   * because of it.
   */
  const repairRoles = (access?: SupportAccess): Promise<void> =>
    roleSync.repair(access).catch((error: unknown) => log.error('the support roles could not be repaired', errorLogFields(error)));

  /** After a change that was not recorded, but may already be in IAM, repairs the roles and throws the error again. */
  const repairAndRethrow = async (error: unknown): Promise<never> => {
    await repairRoles();
    throw error;
  };

  /** Revokes access in IAM as the change requires, then records the change. The caller grants access after that. */
  const record = async (
    before: StoredSupportCase | undefined,
    after: CaseFields,
    access: SupportAccess,
    now: Date,
    { audit }: Call,
  ): Promise<SupportRoleChange> => {
    audit.describe({ entity_id: after.case_id, entity_name: after.subject, changes: changesBetween<CaseFields>(before, after, auditedFields) });
    const change = roleSync.planChange(access, before, after, now);
    const recorded = await change.revoke();
    const auditWrites = change.grants ? audit.pendingWrites() : audit.successWrites();
    await allSettled([cases.save(before, after, recorded, now, auditWrites), change.scheduleSessionEnds()]);
    return change;
  };

  /** Without a grant, the entry is a success since the change was recorded. */
  const grantAndConclude = (change: SupportRoleChange, { audit }: Call): Promise<void> =>
    change.grant(async () => (change.grants ? cases.recordUnchanged(audit.successWrites()) : undefined));

  /**
   * Changes the case. After a conflict, the case is read again. @throws RpcError not_found; the errors of the change.
   */
  const changeCase = async (caseId: string, prefetched: CaseWithAccess, next: CaseChange, call: Call): Promise<CaseFields> => {
    const recorded = await retryOnConflictFrom(
      prefetched,
      () => cases.find(caseId),
      async ({ found: before, access }) => {
        if (!before) throw notFound('support case');
        call.audit.describe({ entity_name: before.subject, changes: [] });
        const now = clock();
        const { version: _version, changed_at: _changed, ...after } = { ...before, ...next(before, now) };
        if (changesBetween<CaseFields>(before, after, auditedFields).length === 0) {
          return { after, conclude: () => allSettled([cases.recordUnchanged(call.audit.successWrites()), roleSync.repair(access)]) };
        }
        const change = await record(before, after, access, now, call);
        return { after, conclude: () => grantAndConclude(change, call) };
      },
    ).catch(repairAndRethrow);
    await recorded.conclude();
    return recorded.after;
  };

  return { repairRoles, repairAndRethrow, record, grantAndConclude, changeCase };
};
