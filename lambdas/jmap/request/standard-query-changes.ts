import { unadvertisedLimits } from '../../../contract/jmap/core.ts';
import type { RecordType, VerbArguments } from '../../../contract/jmap/record.ts';
import type { ChangedRecord } from '../../../core/account-index/account-view.ts';
import type { MatchingIds, QueryBehaviour, QueryDependence } from './behaviour.ts';
import { decodeFilter, decodeSort, queryDependence } from './filter-and-sort.ts';
import { MethodError } from './jmap-errors.ts';
import type { MethodHandler } from './method.ts';

/**
 * Whether the change of a record can alter the results: the record was created or destroyed, or a property changed on
 * which the results depend.
 */
const isRelevant = ({ kind, properties }: ChangedRecord, dependence: QueryDependence): boolean =>
  kind !== 'updated' || properties === undefined || properties.some((name) => dependence.properties.has(name));

/** The positions of the given ids in the results. */
const indexesOf = (matches: MatchingIds, ids: ReadonlySet<string>): ReadonlyMap<string, number> =>
  matches.indexesOf?.(ids) ?? new Map(matches.slice(0).flatMap((id, index) => (ids.has(id) ? [[id, index] as const] : [])));

/** The last position up to which a client needs the changes (RFC 8620 §5.6, `upToId`). */
const lastNeededIndex = (type: RecordType, upToId: string | null, { properties, ofThread }: QueryDependence, matches: MatchingIds): number => {
  const isImmutable = !ofThread && [...properties].every((name) => type.properties[name]?.immutable);
  const index = isImmutable && upToId !== null ? matches.indexOf(upToId) : -1;
  return index < 0 ? Infinity : index;
};

/** Checks the number of changes. @throws MethodError tooManyChanges */
const checkChangeCount = (changes: number, maxChanges: number | null): void => {
  if (maxChanges !== null && changes > maxChanges) {
    throw new MethodError('tooManyChanges', `There are ${changes} changes. Raise "maxChanges", or call /query again.`);
  }
  const { maxChangesInQueryChanges } = unadvertisedLimits;
  if (changes > maxChangesInQueryChanges) {
    throw new MethodError('tooManyChanges', `There are more than ${maxChangesInQueryChanges} changes (maxChangesInQueryChanges). Call /query again.`);
  }
};

/**
 * The verb /queryChanges (RFC 8620 §5.6), derived from /query and the log. A record that changed since the state, or
 * that is affected by another record's change, is in `removed`, and in `added` with its position if it matches. All
 * other records keep their order.
 * @throws MethodError cannotCalculateChanges for an unknown state, or one older than the stored log; tooManyChanges.
 */
export const queryChanges =
  <Args extends VerbArguments<'queryChanges'>>(type: RecordType, behaviour: QueryBehaviour<Args>): MethodHandler<Args> =>
  async (args, account, context) => {
    const { view, member } = account;
    const filter = args.filter === null ? undefined : decodeFilter(type, args.filter, context.budget);
    const sort = decodeSort(type, args.sort);
    const changed = await context.dependencies.store.changedRecords(view, type.name, args.sinceQueryState, member);
    if (!changed) {
      throw new MethodError('cannotCalculateChanges', '"sinceQueryState" is not a state of this query, or is too old. Call /query again.');
    }
    const dependence = queryDependence(type, filter, sort, behaviour.dependsOn?.(args));
    const relevant = changed.filter((record) => isRelevant(record, dependence));
    const moved = new Set([...relevant.map(({ id }) => id), ...(behaviour.affectedBy?.(relevant, view, args, dependence) ?? [])]);
    const matches = await behaviour.matchingIds(view, filter, sort, args, account, context);
    const indexes = indexesOf(matches, moved);
    const last = lastNeededIndex(type, args.upToId, dependence, matches);
    const created = new Set(relevant.filter(({ kind }) => kind === 'created').map(({ id }) => id));
    const removed = [...moved].filter((id) => !created.has(id) && (indexes.get(id) ?? 0) <= last);
    const added = [...indexes].flatMap(([id, index]) => (index <= last ? [{ id, index }] : [])).toSorted((one, other) => one.index - other.index);
    checkChangeCount(removed.length + added.length, args.maxChanges);
    return {
      accountId: account.accountId,
      oldQueryState: args.sinceQueryState,
      newQueryState: view.state(type.name),
      ...(args.calculateTotal && { total: matches.length }),
      removed,
      added,
    };
  };
