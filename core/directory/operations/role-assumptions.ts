import type * as z from 'zod';
import type { SupportRoleAssumption } from '../../../contract/admin/support.ts';
import { contentOf, type Table } from '../../storage/table.ts';

type RoleAssumption = z.output<typeof SupportRoleAssumption>;

/**
 * Assumptions of support roles, from CloudTrail events: `support-assumption#<case id>`/<time>#<event id>. Nothing of it
 * is ever deleted.
 */
export type RoleAssumptions = {
  /** Stores an assumption of a case's role; idempotent for the same event. */
  save(caseId: string, assumption: RoleAssumption): Promise<void>;
  /** Newest first. */
  listByCase(caseId: string): Promise<RoleAssumption[]>;
};

const partition = (caseId: string): string => `support-assumption#${caseId}`;

export const roleAssumptionsIn = (table: Table): RoleAssumptions => ({
  async save(caseId, assumption) {
    await table.write([{ put: { pk: partition(caseId), sk: `${assumption.event_time}#${assumption.event_id}`, ...assumption } }]);
  },
  async listByCase(caseId) {
    return (await table.query({ pk: partition(caseId), descending: true })).map((item) => contentOf(item) as RoleAssumption);
  },
});
