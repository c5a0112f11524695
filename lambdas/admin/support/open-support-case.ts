import { support } from '../../../contract/admin/support.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { RpcError, toRpcError } from '../../../core/rpc/rpc-error.ts';
import { errorLogFields } from '../../../core/runtime/error-log-fields.ts';
import type { NewId } from '../../../core/runtime/ids.ts';
import { retryOnConflictFrom } from '../../../core/storage/retry-on-conflict.ts';
import { supportCaseChanges, type CaseChangeDependencies } from './support-case-changes.ts';
import { openedCase } from './support-case-states.ts';

/**
 * Implements OpenSupportCase. When the case is recorded but access could not be granted, an error says so. The next
 * call of any method grants the access.
 */
export const openSupportCase = (dependencies: CaseChangeDependencies & { readonly newId: NewId }) => {
  const { cases, newId, clock, log } = dependencies;
  const { record, grantAndConclude, repairAndRethrow } = supportCaseChanges(dependencies);
  return adminMethod(support.methods.OpenSupportCase, {
    prefetch: () => cases.findAccess(),
    run: async (request, call, prefetched) => {
      const caseId = newId('supportCase');
      const change = await retryOnConflictFrom(
        prefetched,
        () => cases.findAccess(),
        async (access) => {
          const now = clock();
          return record(undefined, openedCase(caseId, request, call.caller.principalId, now), access, now, call);
        },
      ).catch(repairAndRethrow);
      await grantAndConclude(change, call).catch((error: unknown) => {
        log.error('a support case was opened, but its access was not granted', errorLogFields(error));
        const { code, message } = toRpcError(error);
        throw new RpcError(code, `the case ${caseId} is open, but its access is not in force; the next call of any method tries again: ${message}`);
      });
      return { case_id: caseId };
    },
  });
};
