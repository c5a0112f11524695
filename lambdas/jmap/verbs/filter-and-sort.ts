import { coreLimits, unadvertisedLimits } from '../../../contract/jmap/core.ts';
import { isOfType, typeName, isObject, type JsonObject } from '../../../contract/jmap/data-type.ts';
import type { RecordType } from '../../../contract/jmap/record.ts';
import { MethodError } from '../protocol/errors.ts';
import type { Comparator, Filter } from './behaviour.ts';

const operators = ['AND', 'OR', 'NOT'] as const;

const decodeCondition = (type: RecordType, given: JsonObject): Filter => {
  const stated = type.filters ?? {};
  for (const [name, value] of Object.entries(given)) {
    const wanted = Object.hasOwn(stated, name) ? stated[name] : undefined;
    if (!wanted) throw new MethodError('unsupportedFilter', `The filter condition ${JSON.stringify(name)} is not supported.`);
    if (!isOfType(wanted, value)) throw new MethodError('invalidArguments', `The filter condition "${name}" must be of type ${typeName(wanted)}.`);
  }
  return { condition: given };
};

/**
 * A filter as the client wrote it, judged against the conditions that the record type states (RFC 8620 §5.5).
 * @throws MethodError unsupportedFilter, invalidArguments.
 */
export const decodeFilter = (type: RecordType, given: unknown, depth = 0): Filter => {
  if (!isObject(given)) throw new MethodError('invalidArguments', 'A filter is an object.');
  if (depth > unadvertisedLimits.maxFilterDepth) throw new MethodError('unsupportedFilter', 'The filter is nested too deeply.');
  if (!Object.hasOwn(given, 'operator')) return decodeCondition(type, given);
  const { operator, conditions, ...rest } = given;
  const known = operators.find((candidate) => candidate === operator);
  if (!known || !Array.isArray(conditions) || Object.keys(rest).length > 0) {
    throw new MethodError('invalidArguments', 'A filter operator has "operator", one of AND, OR and NOT, and "conditions", a list.');
  }
  return { operator: known, conditions: conditions.map((condition) => decodeFilter(type, condition, depth + 1)) };
};

/** @throws MethodError unsupportedSort for a property or collation that can't be sorted by, invalidArguments for what is no Comparator. */
export const decodeSort = (type: RecordType, given: readonly JsonObject[]): readonly Comparator[] => given.map((comparator) => {
  const { property, isAscending = true, collation, ...rest } = comparator;
  if (typeof property !== 'string' || typeof isAscending !== 'boolean') throw new MethodError('invalidArguments', 'A comparator has "property", a string, and may have "isAscending", a boolean.');
  if (!type.sorts?.includes(property)) throw new MethodError('unsupportedSort', `Sorting by ${JSON.stringify(property)} is not supported.`);
  const known = coreLimits.collationAlgorithms.find((candidate) => candidate === collation);
  if (collation !== undefined && collation !== null && !known) throw new MethodError('unsupportedSort', `The collation ${JSON.stringify(collation)} is not supported.`);
  const unknown = Object.keys(rest)[0];
  if (unknown !== undefined) throw new MethodError('invalidArguments', `Sorting by "${property}" takes no ${JSON.stringify(unknown)}.`);
  return { property, isAscending, collation: known };
});
