import { coreLimits, unadvertisedLimits } from '../../../contract/jmap/core.ts';
import { isOfType, typeName, isObject, type JsonObject } from '../../../contract/jmap/data-type.ts';
import type { RecordType } from '../../../contract/jmap/record.ts';
import { MethodError } from '../protocol/errors.ts';
import type { Comparator, Filter } from './behaviour.ts';

const operators = ['AND', 'OR', 'NOT'] as const;

const decodeCondition = (type: RecordType, given: JsonObject): Filter => {
  const conditionTypes = type.filters ?? {};
  for (const [name, value] of Object.entries(given)) {
    const conditionType = Object.hasOwn(conditionTypes, name) ? conditionTypes[name] : undefined;
    if (!conditionType) throw new MethodError('unsupportedFilter', `The filter condition ${JSON.stringify(name)} is not supported.`);
    if (!isOfType(conditionType, value)) {
      throw new MethodError('invalidArguments', `The filter condition "${name}" must be of type ${typeName(conditionType)}.`);
    }
  }
  return { condition: given };
};

/**
 * Decodes a filter by the conditions of the record type (RFC 8620 §5.5).
 * @throws MethodError unsupportedFilter for an unknown condition or too many levels; invalidArguments for a malformed
 * filter.
 */
export const decodeFilter = (type: RecordType, given: unknown, depth = 0): Filter => {
  if (!isObject(given)) throw new MethodError('invalidArguments', 'A filter must be an object.');
  if (depth > unadvertisedLimits.maxFilterDepth) {
    throw new MethodError('unsupportedFilter', `A filter may have at most ${unadvertisedLimits.maxFilterDepth} levels of operators.`);
  }
  if (!Object.hasOwn(given, 'operator')) return decodeCondition(type, given);
  const { operator, conditions, ...rest } = given;
  const knownOperator = operators.find((candidate) => candidate === operator);
  if (!knownOperator || !Array.isArray(conditions) || Object.keys(rest).length > 0) {
    throw new MethodError(
      'invalidArguments', 'A filter operator must have "operator" (AND, OR or NOT) and "conditions" (a list), and no other property.',
    );
  }
  return { operator: knownOperator, conditions: conditions.map((condition) => decodeFilter(type, condition, depth + 1)) };
};

/**
 * Decodes Comparators (RFC 8620 §5.5).
 * @throws MethodError unsupportedSort for an unknown property or collation; invalidArguments for a malformed
 * Comparator.
 */
export const decodeSort = (type: RecordType, given: readonly JsonObject[]): readonly Comparator[] => given.map((comparator) => {
  const { property, isAscending = true, collation, ...rest } = comparator;
  if (typeof property !== 'string' || typeof isAscending !== 'boolean') {
    throw new MethodError('invalidArguments', 'A comparator must have "property" (a string) and may have "isAscending" (a boolean).');
  }
  if (!type.sorts?.includes(property)) throw new MethodError('unsupportedSort', `Sorting by ${JSON.stringify(property)} is not supported.`);
  const knownCollation = coreLimits.collationAlgorithms.find((candidate) => candidate === collation);
  if (collation !== undefined && collation !== null && !knownCollation) {
    throw new MethodError('unsupportedSort', `The collation ${JSON.stringify(collation)} is not supported.`);
  }
  const unknown = Object.keys(rest)[0];
  if (unknown !== undefined) {
    throw new MethodError('invalidArguments', `A comparator by "${property}" has no property ${JSON.stringify(unknown)}.`);
  }
  return { property, isAscending, collation: knownCollation };
});
