import type { support } from '../../../contract/admin/support.ts';
import type { AdminMethods } from '../../../core/rpc/admin-method.ts';
import type { NewId } from '../../../core/runtime/ids.ts';
import { closeSupportCase } from './close-support-case.ts';
import { listSupportCases } from './list-support-cases.ts';
import { listSupportRoleAssumptions, type AssumptionDependencies } from './list-support-role-assumptions.ts';
import { openSupportCase } from './open-support-case.ts';
import { setSupportCaseActiveUntil } from './set-support-case-active-until.ts';
import { setSupportCaseTiers } from './set-support-case-tiers.ts';
import type { CaseChangeDependencies } from './support-case-changes.ts';

type SupportDependencies = CaseChangeDependencies & AssumptionDependencies & { readonly newId: NewId };

/** The methods of /support (docs/specification.md#support). Every call repairs the roles. */
export const supportService = (dependencies: SupportDependencies): AdminMethods<typeof support> => ({
  OpenSupportCase: openSupportCase(dependencies),
  CloseSupportCase: closeSupportCase(dependencies),
  ListSupportCases: listSupportCases(dependencies),
  SetSupportCaseTiers: setSupportCaseTiers(dependencies),
  SetSupportCaseActiveUntil: setSupportCaseActiveUntil(dependencies),
  ListSupportRoleAssumptions: listSupportRoleAssumptions(dependencies),
});
