import { support } from '../../../contract/admin/support.ts';
import { toSupportCase } from '../../../core/directory/support-cases.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { supportCaseChanges, type CaseChangeDependencies } from './support-case-changes.ts';

export const listSupportCases = (dependencies: CaseChangeDependencies) => {
  const { cases } = dependencies;
  const { repairRoles } = supportCaseChanges(dependencies);
  return adminMethod(support.methods.ListSupportCases, {
    prefetch: () => Promise.all([cases.list(), cases.findAccess()]),
    run: async (_request, _call, [stored, access]) => {
      await repairRoles(access);
      return { cases: stored.map(toSupportCase) };
    },
  });
};
