import type * as z from 'zod';
import type { SupportRoleAssumption } from '../../contract/admin/support.ts';
import { directoryKeys, directoryPartitions } from '../../contract/deployment/keys.ts';
import { contentOf, type Table } from '../storage/table.ts';

type RoleAssumption = z.output<typeof SupportRoleAssumption>;

/**
 * Assumptions of support roles from CloudTrail, in the items `support-assumption#<case id>`/<time>#<event id>. They are
 * never deleted.
 */
export type RoleAssumptions = {
  /** Stores an assumption of a case's role. It is idempotent for the same event. */
  save(caseId: string, assumption: RoleAssumption): Promise<void>;
  /** Lists the assumptions of a case, newest first. */
  listByCase(caseId: string): Promise<RoleAssumption[]>;
};

const partition = directoryPartitions.supportAssumptions;

export const roleAssumptionsIn = (table: Table): RoleAssumptions => ({
  async save(caseId, assumption) {
    await table.write([{ put: { ...directoryKeys.supportAssumption(caseId, assumption), ...assumption } }]);
  },
  async listByCase(caseId) {
    return (await table.query({ pk: partition(caseId), descending: true })).map(contentOf<RoleAssumption>);
  },
});
