import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { RecordType, VerbArguments } from '../../../contract/jmap/record.ts';
import type { AccountView } from '../../../core/account-index/account-view.ts';
import { compareTexts } from '../../../core/account-index/columns/collation.ts';
import type { StoredRecord } from '../../../core/account-log/log-entry.ts';
import type { RecordIndex } from '../../../core/account-log/records/stored-type.ts';
import type {
  AccountChangeSet,
  BehaviourOf,
  ChangesBehaviour,
  Comparator,
  CopyBehaviour,
  Filter,
  GetBehaviour,
  QueryBehaviour,
  ReadableRecords,
  SetBehaviour,
} from './behaviour.ts';
import { SetError } from './jmap-errors.ts';

/* The behaviour of record types that are stored with the properties of their contract. Such a type needs no code of its own. */

/** A record in memory with the properties of its contract. */
export type PlainRecord = StoredRecord & JsonObject;

const recordsOf = (view: AccountView, typeName: string): RecordIndex<PlainRecord> => view.index({ name: typeName });

/** The selected properties of a record, ordered as in the contract. */
export const selectedProperties = (type: RecordType, record: JsonObject, properties: ReadonlySet<string>): JsonObject =>
  Object.fromEntries(
    Object.keys(type.properties)
      .filter((name) => properties.has(name))
      .map((name) => [name, record[name]]),
  );

/** Records in memory, as objects with the properties of their contract. */
export const readableRecords = (type: RecordType, records: ReadonlyMap<string, JsonObject>): ReadableRecords => ({
  size: records.size,
  ids: () => [...records.keys()],
  has: (id) => records.has(id),
  read: (ids, properties) => ids.map((id) => selectedProperties(type, records.get(id)!, properties)),
});

/** The test of a filter, or of none. @param testOf creates the test of a condition; it is called once for each. */
export const filterTest = <T, Condition>(
  filter: Filter<Condition> | undefined,
  testOf: (condition: Condition) => (record: T) => boolean,
): ((record: T) => boolean) => {
  if (!filter) return () => true;
  if (!('operator' in filter)) return testOf(filter.condition);
  const tests = filter.conditions.map((condition) => filterTest(condition, testOf));
  if (filter.operator === 'AND') return (record) => tests.every((test) => test(record));
  return (record) => tests.some((test) => test(record)) === (filter.operator === 'OR');
};

/** A condition of a plain type matches when each property has the value of the condition's member of the same name. */
const hasValues =
  (condition: JsonObject) =>
  (record: JsonObject): boolean =>
    Object.entries(condition).every(([name, value]) => isDeepStrictEqual(record[name], value));

/**
 * Compares values. Null is before any other value. Strings are compared by collation, numbers and booleans by value.
 */
const compareValues = (one: unknown, other: unknown, collation: string | undefined): number => {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null);
  if (typeof one === 'string' && typeof other === 'string') return compareTexts(collation, one, other);
  return Number(one) - Number(other);
};

/** Compares records by each Comparator in turn, then by id. */
export const recordComparison =
  (sort: readonly Comparator[]) =>
  (one: PlainRecord, other: PlainRecord): number => {
    for (const { property, isAscending, collation } of sort) {
      const difference = compareValues(one[property], other[property], collation);
      if (difference !== 0) return isAscending ? difference : -difference;
    }
    return one.id < other.id ? -1 : 1;
  };

/**
 * Checks references.
 * @throws SetError invalidProperties with the names of properties whose value is not the id of an existing record.
 */
const checkReferences = (type: RecordType, given: JsonObject, exists: (typeName: string, id: string) => boolean): void => {
  const dangling = Object.entries(type.properties)
    .filter(([name, { refersTo }]) => refersTo !== undefined && typeof given[name] === 'string' && !exists(refersTo, given[name]))
    .map(([name]) => name);
  if (dangling.length > 0) throw new SetError('invalidProperties', 'These properties refer to records that do not exist.', dangling);
};

const plainChangeSet = (type: RecordType, view: AccountView): AccountChangeSet => {
  const records = recordsOf(view, type.name);
  const put = new Map<string, PlainRecord>();
  const destroyed = new Set<string>();
  const current = (id: string) => (destroyed.has(id) ? undefined : (put.get(id) ?? records.get(id)));
  const exists = (typeName: string, id: string) => (typeName === type.name ? current(id) !== undefined : recordsOf(view, typeName).has(id));
  const checked = (given: JsonObject): JsonObject => {
    checkReferences(type, given, exists);
    return given;
  };
  return {
    current,
    create: (id, properties) => put.set(id, { ...checked(properties), id }),
    update: (id, changed) => put.set(id, { ...current(id)!, ...checked(changed) }),
    destroy: (id) => {
      put.delete(id);
      destroyed.add(id);
    },
    commit: () => (put.size + destroyed.size === 0 ? undefined : { records: { [type.name]: { put: [...put.values()], destroy: [...destroyed] } } }),
  };
};

/**
 * Copies of a plain type. A copy has the properties of the original, except those that the call sets. Its references
 * must exist.
 */
const plainCopy = (type: RecordType): CopyBehaviour => ({
  prepareCopies(copies, from, _account, { dependencies: { newId } }) {
    const ids = new Map([...copies.keys()].map((creationId) => [creationId, newId()]));
    return {
      creationIds: [...copies.keys()],
      notCreated: new Map(),
      beginChangeSet(view) {
        const changeSet = plainChangeSet(type, view);
        return {
          create(creationId) {
            const { id, changes } = copies.get(creationId)!;
            const original = recordsOf(from.view, type.name).get(id);
            if (!original) throw new SetError('notFound', `The ${type.name} does not exist in the account "fromAccountId".`);
            changeSet.create(ids.get(creationId)!, { ...original, ...changes });
            return ids.get(creationId)!;
          },
          commit: () => changeSet.commit(),
        };
      },
      toResponse: (id) => ({ id }),
    };
  },
});

/** The behaviour of a plain type, for each verb that needs one. */
type PlainBehaviour = {
  readonly get: GetBehaviour<VerbArguments<'get'>>;
  readonly changes: ChangesBehaviour;
  readonly query: QueryBehaviour<object>;
  readonly set: SetBehaviour<VerbArguments<'set'>>;
  readonly copy: CopyBehaviour;
};

/** The behaviour of a plain type. Each filter condition and each sort uses the property of the same name. */
export const plainBehaviour = <T extends RecordType>(type: T): BehaviourOf<T> => {
  const behaviour: PlainBehaviour = {
    get: {
      records: (_args, { view }) =>
        readableRecords(
          type,
          new Map(
            recordsOf(view, type.name)
              .all()
              .map((record) => [record.id, record]),
          ),
        ),
    },
    changes: {},
    query: {
      matchingIds: (view, filter, sort) =>
        recordsOf(view, type.name)
          .all()
          .filter(filterTest(filter, hasValues))
          .toSorted(recordComparison(sort))
          .map(({ id }) => id),
    },
    set: { prepareChangeSet: () => Promise.resolve({ beginChangeSet: (view) => plainChangeSet(type, view) }) },
    copy: plainCopy(type),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a behaviour that fits all types fits each type
  return behaviour as unknown as BehaviourOf<T>;
};
