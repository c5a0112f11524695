import { support } from '../../../contract/admin/support.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { supportCaseChanges, type CaseChangeConnections } from './support-case-changes.ts';
import { closedCase } from './support-case-states.ts';

/** CloseSupportCase. */
export const closeSupportCase = (connections: CaseChangeConnections) => {
  const { changeCase } = supportCaseChanges(connections);
  return adminMethod(support.methods.CloseSupportCase, {
    prefetch: ({ case_id }) => connections.cases.find(case_id),
    run: async ({ case_id }, call, prefetched) => {
      await changeCase(case_id, prefetched, (before, now) => closedCase(before, call.caller.principalId, now), call);
      return {};
    },
  });
};
