import { mailbox } from '../../../contract/jmap/mailbox.ts';
import type { ConditionOf } from '../../../contract/jmap/record.ts';
import type { AccountView } from '../../../core/account-index/account-view.ts';
import { collationKey, compareKeys } from '../../../core/account-index/columns/collation.ts';
import { isSubscribedBy } from '../../../core/account-log/records/member-subscriptions.ts';
import type { MemberKey } from '../../../core/account-log/records/stored-type.ts';
import { mailboxesOf, type MailboxRecord } from '../../../core/mail/mailbox/mailbox-record.ts';
import type { BehaviourOf, Comparator } from '../request/behaviour.ts';
import { decodeSort } from '../request/filter-and-sort.ts';
import { filterTest } from '../request/plain-records.ts';

type Predicate = (candidate: MailboxRecord) => boolean;

/** The test of a condition, for a member of the account (RFC 8621 §2.3). */
const compileCondition = ({ parentId, name, role, hasAnyRole, isSubscribed }: ConditionOf<typeof mailbox>, member: MemberKey): Predicate => {
  const upperCaseName = name?.normalize('NFC').toUpperCase();
  return (candidate) =>
    (parentId === undefined || candidate.parentId === parentId) &&
    (upperCaseName === undefined || candidate.name.toUpperCase().includes(upperCaseName)) &&
    (role === undefined || candidate.role === role) &&
    (hasAnyRole === undefined || (candidate.role !== null) === hasAnyRole) &&
    (isSubscribed === undefined || isSubscribedBy(candidate, member) === isSubscribed);
};

type Compare = (one: MailboxRecord, other: MailboxRecord) => number;

/** Compares by each Comparator in turn, then by id. The sort keys of names are computed once. */
const comparison = (sort: readonly Comparator[], all: readonly MailboxRecord[]): Compare => {
  const comparisons = sort.map(({ property, isAscending, collation }): Compare => {
    const direction = isAscending ? 1 : -1;
    if (property !== 'name') return (one, other) => direction * (one.sortOrder - other.sortOrder);
    const keys = new Map(all.map(({ id, name }) => [id, collationKey(collation, name)]));
    return (one, other) => direction * compareKeys(keys.get(one.id)!, keys.get(other.id)!);
  });
  return (one, other) => {
    for (const compare of comparisons) {
      const difference = compare(one, other);
      if (difference !== 0) return difference;
    }
    return one.id < other.id ? -1 : 1;
  };
};

/** The ids of all mailboxes in the order of a query without a sort. */
export const mailboxesInDefaultOrder = (view: AccountView): readonly string[] =>
  mailboxesOf(view)
    .all()
    .toSorted(comparison(decodeSort(mailbox, null), mailboxesOf(view).all()))
    .map(({ id }) => id);

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
 * Compares for `sortAsTree` (RFC 8621 §2.3). An ancestor precedes its descendants. For other Mailboxes, the order of
 * their sibling ancestors decides.
 */
const treeComparison =
  (compare: Compare, paths: ReadonlyMap<string, readonly MailboxRecord[]>): Compare =>
  (one, other) => {
    const [first, second] = [paths.get(one.id)!, paths.get(other.id)!];
    for (let depth = 0; depth < Math.min(first.length, second.length); depth += 1) {
      if (first[depth]!.id !== second[depth]!.id) return compare(first[depth]!, second[depth]!);
    }
    return first.length - second.length;
  };

export const mailboxQuery: BehaviourOf<typeof mailbox>['query'] = {
  matchingIds(view, filter, sort, { sortAsTree, filterAsTree }, { member }) {
    const all = mailboxesOf(view).all();
    const paths = new Map(all.map((record) => [record.id, pathFromRoot(view, record)]));
    const isMatch = filterTest(filter, (condition) => compileCondition(condition, member));
    const compare = comparison(sort, all);
    return all
      .filter((record) => (filterAsTree ? paths.get(record.id)!.every(isMatch) : isMatch(record)))
      .toSorted(sortAsTree ? treeComparison(compare, paths) : compare)
      .map(({ id }) => id);
  },
  dependsOn: ({ sortAsTree, filterAsTree }) => (sortAsTree || filterAsTree ? ['parentId'] : []),
  /** Which other Mailboxes a change affects: the descendants, because a tree moves and matches as a whole. */
  affectedBy(changed, view, { sortAsTree, filterAsTree }) {
    if (changed.length === 0 || !(sortAsTree || filterAsTree)) return [];
    const ids = new Set(changed.map(({ id }) => id));
    return mailboxesOf(view)
      .all()
      .filter((record) => pathFromRoot(view, record).some(({ id }) => ids.has(id)))
      .map(({ id }) => id);
  },
};
