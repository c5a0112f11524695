import { mailboxesOf } from '../../../core/mail/mailbox/mailbox-record.ts';
import type { mailbox } from '../../../contract/jmap/mailbox.ts';
import type { AccountView } from '../../../core/mail/mail-store.ts';
import type { MailboxRecord } from '../../../core/mail/mailbox/mailbox-record.ts';
import type { BehaviourOf, Comparator, Filter } from '../verbs/behaviour.ts';
import { compareTexts } from '../verbs/collation.ts';

/** Whether a mailbox matches a decoded filter (RFC 8621 §2.3). */
const matchesFilter = (filter: Filter, candidate: MailboxRecord): boolean => {
  if ('operator' in filter) {
    const results = filter.conditions.map((condition) => matchesFilter(condition, candidate));
    return filter.operator === 'AND' ? results.every(Boolean) : filter.operator === 'OR' ? results.some(Boolean) : !results.some(Boolean);
  }
  const { parentId, name, role, hasAnyRole, isSubscribed } = filter.condition;
  return (parentId === undefined || candidate.parentId === parentId)
    && (name === undefined || candidate.name.toUpperCase().includes((name as string).toUpperCase()))
    && (role === undefined || candidate.role === role)
    && (hasAnyRole === undefined || (candidate.role !== null) === hasAnyRole)
    && (isSubscribed === undefined || candidate.isSubscribed === isSubscribed);
};

/** The order of a query without a sort: by `sortOrder`, then by name. */
const defaultOrder: readonly Comparator[] = [
  { property: 'sortOrder', isAscending: true, collation: undefined },
  { property: 'name', isAscending: true, collation: undefined },
];

const comparison = (sort: readonly Comparator[]) => (one: MailboxRecord, other: MailboxRecord): number => {
  for (const { property, isAscending, collation } of sort) {
    const difference = property === 'name' ? compareTexts(collation, one.name, other.name) : one.sortOrder - other.sortOrder;
    if (difference !== 0) return isAscending ? difference : -difference;
  }
  return one.id < other.id ? -1 : 1;
};

/** The ids of all mailboxes, by `sortOrder`, then by name. */
export const mailboxesInDefaultOrder = (view: AccountView): readonly string[] =>
  mailboxesOf(view).all().toSorted(comparison(defaultOrder)).map(({ id }) => id);

/** The mailboxes from the topmost ancestor to the mailbox itself. */
const pathFromRoot = (view: AccountView, record: MailboxRecord): readonly MailboxRecord[] => {
  const path = [record];
  for (let parent = record.parentId; parent !== null;) {
    const ancestor = mailboxesOf(view).get(parent);
    if (!ancestor || path.includes(ancestor)) break;
    path.unshift(ancestor);
    parent = ancestor.parentId;
  }
  return path;
};

/**
 * Compares for `sortAsTree` (RFC 8621 §2.3): an ancestor is before its descendants, and other mailboxes compare as
 * their ancestors that are siblings.
 */
const treeComparison = (
  compare: (one: MailboxRecord, other: MailboxRecord) => number, paths: ReadonlyMap<string, readonly MailboxRecord[]>,
) =>
  (one: MailboxRecord, other: MailboxRecord): number => {
    const [first, second] = [paths.get(one.id)!, paths.get(other.id)!];
    for (let depth = 0; depth < Math.min(first.length, second.length); depth += 1) {
      if (first[depth]!.id !== second[depth]!.id) return compare(first[depth]!, second[depth]!);
    }
    return first.length - second.length;
  };

export const mailboxQuery: BehaviourOf<typeof mailbox>['query'] = {
  matchingIds(view, filter, sort, { sortAsTree, filterAsTree }) {
    const all = mailboxesOf(view).all();
    const paths = new Map(all.map((record) => [record.id, pathFromRoot(view, record)]));
    const isMatch = (record: MailboxRecord) => !filter || matchesFilter(filter, record);
    const compare = comparison(sort.length > 0 ? sort : defaultOrder);
    return all
      .filter((record) => (filterAsTree ? paths.get(record.id)!.every(isMatch) : isMatch(record)))
      .toSorted(sortAsTree ? treeComparison(compare, paths) : compare)
      .map(({ id }) => id);
  },
};
