import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { RecordType } from '../../../contract/jmap/record.ts';
import type { StoredRecord } from '../../../core/account-log/log-entry.ts';
import type { Comparator, Filter, ReadableRecords } from './behaviour.ts';
import { compareTexts } from '../../../core/account-index/columns/collation.ts';

/** A record in memory with the properties of its contract. */
export type PlainRecord = StoredRecord & JsonObject;

/** The selected properties of a record, ordered as in the contract. */
export const selectedProperties = (type: RecordType, record: JsonObject, properties: ReadonlySet<string>): JsonObject =>
  Object.fromEntries(Object.keys(type.properties).filter((name) => properties.has(name)).map((name) => [name, record[name]]));

/** Records in memory, as objects with the properties of their contract. */
export const readableRecords = (type: RecordType, records: ReadonlyMap<string, JsonObject>): ReadableRecords => ({
  size: records.size,
  ids: () => [...records.keys()],
  has: (id) => records.has(id),
  read: (ids, properties) => ids.map((id) => selectedProperties(type, records.get(id)!, properties)),
});

/** The test of a filter, or of none. @param testOf creates the test of a condition; it is called once for each. */
export const filterTest = <T>(filter: Filter | undefined, testOf: (condition: JsonObject) => (record: T) => boolean): ((record: T) => boolean) => {
  if (!filter) return () => true;
  if (!('operator' in filter)) return testOf(filter.condition);
  const tests = filter.conditions.map((condition) => filterTest(condition, testOf));
  if (filter.operator === 'AND') return (record) => tests.every((test) => test(record));
  return (record) => tests.some((test) => test(record)) === (filter.operator === 'OR');
};

/**
 * Compares values. Null is before any other value. Strings are compared by collation, numbers and booleans by value.
 */
const compareValues = (one: unknown, other: unknown, collation: string | undefined): number => {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null);
  if (typeof one === 'string' && typeof other === 'string') return compareTexts(collation, one, other);
  return Number(one) - Number(other);
};

/** Compares records by each Comparator in turn, then by id. */
export const recordComparison = (sort: readonly Comparator[]) => (one: PlainRecord, other: PlainRecord): number => {
  for (const { property, isAscending, collation } of sort) {
    const difference = compareValues(one[property], other[property], collation);
    if (difference !== 0) return isAscending ? difference : -difference;
  }
  return one.id < other.id ? -1 : 1;
};
