import { support } from '../../../contract/admin/support.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { supportCaseChanges, type CaseChangeConnections } from './support-case-changes.ts';
import { caseActiveUntil } from './support-case-states.ts';

/** SetSupportCaseActiveUntil. */
export const setSupportCaseActiveUntil = (connections: CaseChangeConnections) => {
  const { changeCase } = supportCaseChanges(connections);
  return adminMethod(support.methods.SetSupportCaseActiveUntil, {
    prefetch: ({ case_id }) => connections.cases.find(case_id),
    run: async ({ case_id, active_until: until }, call, prefetched) =>
      ({ case: await changeCase(case_id, prefetched, (before, now) => caseActiveUntil(before, until, now), call) }),
  });
};
