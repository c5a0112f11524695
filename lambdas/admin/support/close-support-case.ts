import { support } from '../../../contract/admin/support.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { supportCaseChanges, type CaseChangeDependencies } from './support-case-changes.ts';
import { closedCase } from './support-case-states.ts';

export const closeSupportCase = (dependencies: CaseChangeDependencies) => {
  const { changeCase } = supportCaseChanges(dependencies);
  return adminMethod(support.methods.CloseSupportCase, {
    prefetch: ({ case_id }) => dependencies.cases.find(case_id),
    run: async ({ case_id }, call, prefetched) => {
      await changeCase(case_id, prefetched, (before, now) => closedCase(before, call.caller.principalId, now), call);
      return {};
    },
  });
};
