import type * as z from 'zod';
import type { SupportRoleAssumption } from '../../contract/admin/support.ts';

/** An assumption of a role, as CloudTrail records it. */
export type RoleAssumption = z.output<typeof SupportRoleAssumption>;

/** A search for assumptions of roles in a period. */
export type AssumptionSearch = { readonly roleArns: readonly string[]; readonly from: Date; readonly to: Date };

/**
 * Searches CloudTrail's event history. Adapter: `cloudtrail-assumption-lookup.ts`; fake:
 * `test/fakes/memory-assumption-lookup.ts`.
 */
export type AssumptionLookup = {
  /**
   * Searches for assumptions. @returns the assumptions, and whether the search was complete. An event is found at most
   * {@link maxEventDelay} after it happened.
   */
  search(search: AssumptionSearch): Promise<{ readonly assumptions: readonly RoleAssumption[]; readonly isComplete: boolean }>;
};

/** Milliseconds after which CloudTrail should have an event (docs/specification.md#support). */
export const maxEventDelay = 15 * 60_000;

/** Milliseconds for which CloudTrail keeps events. */
export const eventRetention = 90 * 86_400_000;
