import { keysOf } from '../../../contract/values/typed-entries.ts';
import type { StoredRecord } from '../log-entry.ts';

/** Whether two stored values are equal. Sets are stored in order, so that equal sets are equal values. */
export const isEqual = (one: unknown, other: unknown): boolean => one === other || JSON.stringify(one) === JSON.stringify(other);

export const isSameRecord = (one: StoredRecord, other: StoredRecord): boolean => {
  const names = new Set([...keysOf(one), ...keysOf(other)]);
  return [...names].every((name) => isEqual(one[name], other[name]));
};

/** Applies the difference between the sets `from` and `to` to the set `current`. */
export const mergedSet = (current: readonly string[], from: readonly string[], to: readonly string[]): string[] =>
  [...new Set([...current.filter((each) => to.includes(each) || !from.includes(each)), ...to.filter((each) => !from.includes(each))])].sort();

/** Applies the properties that differ between `from` and `to` to the current record. */
export const mergeProperties = <R extends StoredRecord>(current: R, from: R, to: R): R => {
  const names = keysOf(to);
  return { ...current, ...Object.fromEntries(names.filter((name) => !isEqual(to[name], from[name])).map((name) => [name, to[name]])) };
};
