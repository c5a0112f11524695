import { support } from '../../../contract/admin/support.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { supportCaseChanges, type CaseChangeDependencies } from './support-case-changes.ts';
import { caseWithTiers } from './support-case-states.ts';

export const setSupportCaseTiers = (dependencies: CaseChangeDependencies) => {
  const { changeCase } = supportCaseChanges(dependencies);
  return adminMethod(support.methods.SetSupportCaseTiers, {
    prefetch: ({ case_id }) => dependencies.cases.find(case_id),
    run: async ({ case_id, allowed_tiers: tiers, activation_seconds: seconds }, call, prefetched) => ({
      case: await changeCase(case_id, prefetched, (before, now) => caseWithTiers(before, tiers, seconds, now), call),
    }),
  });
};
