import type { SupportRoleAssumption } from '../../../contract/admin/support.ts';
import type * as z from 'zod';

/** An assumption of a role, as CloudTrail tells of it. */
export type RoleAssumption = z.output<typeof SupportRoleAssumption>;

/** What is searched: assumptions of these roles in that time. */
export type AssumptionSearch = { readonly roleArns: readonly string[]; readonly from: Date; readonly to: Date };

/** CloudTrail's event history. Adapter: `cloudtrail-assumption-lookup.ts`. */
export type AssumptionLookup = {
  /** @returns what was found, and whether the search got to its end. CloudTrail learns of an event up to {@link maxEventDelay} late. */
  search(search: AssumptionSearch): Promise<{ readonly assumptions: readonly RoleAssumption[]; readonly isWhole: boolean }>;
};

/** Milliseconds after which an event is expected to be found (docs/specification.md#support). */
export const maxEventDelay = 15 * 60_000;

/** Milliseconds that CloudTrail remembers events for. */
export const eventRetention = 90 * 86_400_000;
