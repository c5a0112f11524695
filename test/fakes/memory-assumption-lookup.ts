import type { AssumptionLookup, AssumptionSearch, RoleAssumption } from '../../core/aws/cloudtrail-assumption-lookup.ts';

/** An {@link AssumptionLookup} in memory, over `assumptions`. */
export const memoryAssumptionLookup = () => {
  const assumptions: RoleAssumption[] = [];
  const searches: AssumptionSearch[] = [];
  const fault: { error: Error | undefined; isCut: boolean } = { error: undefined, isCut: false };
  return {
    assumptions,
    searches,
    fault,
    async search(search) {
      searches.push(search);
      if (fault.error) throw fault.error;
      const inTime = ({ event_time: time }: RoleAssumption) => Date.parse(time) >= search.from.getTime() && Date.parse(time) <= search.to.getTime();
      return { assumptions: assumptions.filter((one) => search.roleArns.includes(one.role_assumed) && inTime(one)), isComplete: !fault.isCut };
    },
  } satisfies AssumptionLookup & Record<string, unknown>;
};
