import type { quota } from '../../../contract/jmap/quota.ts';
import type { ConditionOf } from '../../../contract/jmap/record.ts';
import type { BehaviourOf } from '../request/behaviour.ts';
import { filterTest, recordComparison } from '../request/plain-records.ts';
import { quotaRecords, type QuotaRecord } from './get.ts';

/** Whether a Quota meets all members of a condition (RFC 9425 §4.4.1). */
const matchesCondition = (record: QuotaRecord, { name, scope, resourceType, type }: ConditionOf<typeof quota>): boolean =>
  (name === undefined || record.name.includes(name)) &&
  (scope === undefined || record.scope === scope) &&
  (resourceType === undefined || record.resourceType === resourceType) &&
  (type === undefined || record.types.includes(type));

/** Quota/query (RFC 9425 §4.4). */
export const quotaQuery: BehaviourOf<typeof quota>['query'] = {
  matchingIds: (view, filter, sort, _args, _account, { dependencies }) =>
    [...quotaRecords(view, dependencies.quotaDefaults).values()]
      .filter(filterTest(filter, (condition) => (record) => matchesCondition(record, condition)))
      .toSorted(recordComparison(sort))
      .map(({ id }) => id),
};
