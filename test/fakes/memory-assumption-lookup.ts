import type { AssumptionLookup, AssumptionSearch, RoleAssumption } from '../../core/aws/cloudtrail/assumption-lookup.ts';

/** An {@link AssumptionLookup} in memory, over `assumptions`. */
export const memoryAssumptionLookup = () => {
  const assumptions: RoleAssumption[] = [];
  const searches: AssumptionSearch[] = [];
  const trouble: { error: Error | undefined; isCut: boolean } = { error: undefined, isCut: false };
  return {
    assumptions,
    searches,
    trouble,
    async search(search) {
      searches.push(search);
      if (trouble.error) throw trouble.error;
      const inTime = ({ event_time: time }: RoleAssumption) => Date.parse(time) >= search.from.getTime() && Date.parse(time) <= search.to.getTime();
      return { assumptions: assumptions.filter((one) => search.roleArns.includes(one.role_assumed) && inTime(one)), isComplete: !trouble.isCut };
    },
  } satisfies AssumptionLookup & Record<string, unknown>;
};
