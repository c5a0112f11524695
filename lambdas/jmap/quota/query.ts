import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { quota } from '../../../contract/jmap/quota.ts';
import type { BehaviourOf } from '../request/behaviour.ts';
import { filterTest, recordComparison } from '../request/plain-records.ts';
import { quotaRecords } from './get.ts';

/** Whether a Quota meets all members of a condition (RFC 9425 §4.4.1). */
const matchesCondition = (record: JsonObject, { name, scope, resourceType, type }: JsonObject): boolean =>
  (name === undefined || (record['name'] as string).includes(name as string)) &&
  (scope === undefined || record['scope'] === scope) &&
  (resourceType === undefined || record['resourceType'] === resourceType) &&
  (type === undefined || (record['types'] as readonly unknown[]).includes(type));

/** Quota/query (RFC 9425 §4.4). */
export const quotaQuery: BehaviourOf<typeof quota>['query'] = {
  matchingIds: (view, filter, sort, _args, _account, { dependencies }) =>
    [...quotaRecords(view, dependencies.quotaDefaults).values()]
      .filter(filterTest(filter, (condition) => (record) => matchesCondition(record, condition)))
      .toSorted(recordComparison(sort))
      .map(({ id }) => id),
};
