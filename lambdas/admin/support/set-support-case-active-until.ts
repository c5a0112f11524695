import { support } from '../../../contract/admin/support.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { supportCaseChanges, type CaseChangeDependencies } from './support-case-changes.ts';
import { caseActiveUntil } from './support-case-states.ts';

export const setSupportCaseActiveUntil = (dependencies: CaseChangeDependencies) => {
  const { changeCase } = supportCaseChanges(dependencies);
  return adminMethod(support.methods.SetSupportCaseActiveUntil, {
    prefetch: ({ case_id }) => dependencies.cases.find(case_id),
    run: async ({ case_id, active_until: until }, call, prefetched) => ({
      case: await changeCase(case_id, prefetched, (before, now) => caseActiveUntil(before, until, now), call),
    }),
  });
};
