import { coreLimits, unadvertisedLimits } from '../../../contract/jmap/core.ts';
import { isOfType, typeName, isObject, type DataType, type JsonObject } from '../../../contract/jmap/data-type.ts';
import { dependenceOf, type Arguments, type RecordType } from '../../../contract/jmap/record.ts';
import type { Comparator, Filter, QueryDependence } from './behaviour.ts';
import { MethodError } from './jmap-errors.ts';
import type { RequestBudget } from './request-context.ts';

const operators = ['AND', 'OR', 'NOT'] as const;

const decodeCondition = (type: RecordType, given: JsonObject): Filter => {
  const conditionTypes = type.filters ?? {};
  for (const [name, value] of Object.entries(given)) {
    const conditionType = Object.hasOwn(conditionTypes, name) ? conditionTypes[name]!.type : undefined;
    if (!conditionType) throw new MethodError('unsupportedFilter', `The filter condition ${JSON.stringify(name)} is not supported.`);
    if (!isOfType(conditionType, value)) {
      throw new MethodError('invalidArguments', `The filter condition "${name}" must be of type ${typeName(conditionType)}.`);
    }
  }
  return { condition: given };
};

const { maxFilterDepth, maxFilterNodes, maxFilterNodesInRequest, maxSortKeys } = unadvertisedLimits;

/**
 * The number of operators, condition properties and list elements of a filter, at most one more than maxFilterNodes.
 */
const countNodes = (filter: JsonObject): number => {
  let nodes = 0;
  const pending: unknown[] = [filter];
  while (pending.length > 0 && nodes <= maxFilterNodes) {
    const next = pending.pop();
    if (!isObject(next)) nodes += 1;
    else if (Object.hasOwn(next, 'operator') && Array.isArray(next['conditions'])) {
      nodes += 1;
      if (next['conditions'].length > maxFilterNodes) return maxFilterNodes + 1;
      pending.push(...(next['conditions'] as unknown[]));
    } else {
      const values = Object.values(next);
      nodes += Math.max(1, values.length);
      for (const value of values) if (Array.isArray(value)) nodes += value.length;
    }
  }
  return nodes;
};

/** Checks the size of a filter. @throws MethodError unsupportedFilter */
const checkNodes = (filter: JsonObject, budget: RequestBudget): void => {
  const nodes = countNodes(filter);
  if (nodes > maxFilterNodes) {
    throw new MethodError('unsupportedFilter', `A filter may have at most ${maxFilterNodes} operators and conditions (maxFilterNodes).`);
  }
  if (!budget.spend('maxFilterNodesInRequest', nodes)) {
    throw new MethodError(
      'unsupportedFilter',
      `The filters of a request may have at most ${maxFilterNodesInRequest} operators and conditions (maxFilterNodesInRequest).`,
    );
  }
};

const decodeNode = (type: RecordType, given: unknown, depth: number): Filter => {
  if (!isObject(given)) throw new MethodError('invalidArguments', 'A filter must be an object.');
  if (depth > maxFilterDepth) {
    throw new MethodError('unsupportedFilter', `A filter may have at most ${maxFilterDepth} levels of operators.`);
  }
  if (!Object.hasOwn(given, 'operator')) return decodeCondition(type, given);
  const { operator, conditions, ...rest } = given;
  const knownOperator = operators.find((candidate) => candidate === operator);
  if (!knownOperator || !Array.isArray(conditions) || Object.keys(rest).length > 0) {
    throw new MethodError('invalidArguments', 'A filter operator must have "operator" (AND, OR or NOT) and "conditions" (a list), and no other property.');
  }
  return { operator: knownOperator, conditions: conditions.map((condition) => decodeNode(type, condition, depth + 1)) };
};

/**
 * Decodes a filter according to the conditions of the record type (RFC 8620 §5.5).
 * @throws MethodError unsupportedFilter for an unknown condition, too many levels or too many nodes; invalidArguments
 * for a malformed filter.
 */
export const decodeFilter = (type: RecordType, given: JsonObject, budget: RequestBudget): Filter => {
  checkNodes(given, budget);
  return decodeNode(type, given, 0);
};

/**
 * The additional properties of a Comparator, with their defaults. Unknown properties are ignored, because jmapc sends
 * arguments of the query in each Comparator.
 * @throws MethodError invalidArguments
 */
const decodeSortArguments = (property: string, described: Arguments, given: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(described).map(([name, { type, default: defaultValue }]) => {
      const value = given[name] ?? defaultValue;
      if (isOfType(type, value)) return [name, value];
      throw new MethodError('invalidArguments', `A comparator by "${property}" must have "${name}", of type ${typeName(type)}.`);
    }),
  );

const decodeComparator = (type: RecordType, comparator: JsonObject): Comparator => {
  const { property, isAscending = true, collation, ...rest } = comparator;
  if (typeof property !== 'string' || typeof isAscending !== 'boolean') {
    throw new MethodError('invalidArguments', 'A comparator must have "property" (a string) and may have "isAscending" (a boolean).');
  }
  const sort = type.sorts && Object.hasOwn(type.sorts, property) ? type.sorts[property] : undefined;
  if (!sort) throw new MethodError('unsupportedSort', `Sorting by ${JSON.stringify(property)} is not supported.`);
  const knownCollation = coreLimits.collationAlgorithms.find((candidate) => candidate === collation);
  if (collation !== undefined && collation !== null && !knownCollation) {
    throw new MethodError('unsupportedSort', `The collation ${JSON.stringify(collation)} is not supported.`);
  }
  return { property, isAscending, collation: knownCollation, arguments: decodeSortArguments(property, sort.arguments ?? {}, rest) };
};

/** Whether values of the type are compared by a collation. */
const comparesText = (type: DataType): boolean =>
  type === 'String' || (typeof type === 'object' && ('list' in type || ('orNull' in type && comparesText(type.orNull))));

/** The key of a Comparator's order. Comparators with the same key sort records in the same or in the reverse order. */
const orderKey = (type: RecordType, { property, collation = '', arguments: args }: Comparator): string => {
  const { properties } = dependenceOf(property, type.sorts![property]!);
  const isText = properties.some((name) => comparesText(type.properties[name]!.type));
  return JSON.stringify([property, isText && collation, args]);
};

/**
 * Decodes Comparators (RFC 8620 §5.5); without any, the result is the type's default. A Comparator with the same order
 * as an earlier one has no effect, and is omitted.
 * @throws MethodError unsupportedSort for an unknown property or collation, or too many Comparators; invalidArguments
 * for a malformed Comparator.
 */
export const decodeSort = (type: RecordType, given: readonly JsonObject[] | null): readonly Comparator[] => {
  if (!given || given.length === 0) return (type.defaultSort ?? []).map((comparator) => decodeComparator(type, comparator));
  if (given.length > maxSortKeys) {
    throw new MethodError('unsupportedSort', `A sort may have at most ${maxSortKeys} comparators (maxSortKeys).`);
  }
  const decoded = given.map((comparator) => decodeComparator(type, comparator));
  const keys = decoded.map((comparator) => orderKey(type, comparator));
  return decoded.filter((_, index) => keys.indexOf(keys[index]!) === index);
};

const conditionNames = (filter: Filter): readonly string[] =>
  'operator' in filter ? filter.conditions.flatMap(conditionNames) : Object.keys(filter.condition);

/**
 * The inputs of a query's results. @param additional the properties on which the results depend because of its
 * arguments.
 */
export const queryDependence = (
  { filters = {}, sorts = {} }: RecordType,
  filter: Filter | undefined,
  sort: readonly Comparator[],
  additional: readonly string[] = [],
): QueryDependence => {
  const parts = [
    ...(filter ? conditionNames(filter) : []).map((name) => dependenceOf(name, filters[name]!)),
    ...sort.map(({ property }) => dependenceOf(property, sorts[property]!)),
  ];
  return { properties: new Set([...parts.flatMap(({ properties }) => properties), ...additional]), ofThread: parts.some(({ ofThread }) => ofThread) };
};
