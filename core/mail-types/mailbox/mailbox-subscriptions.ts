import type { MemberKey } from '../../account-log/records/stored-type.ts';
import type { MailboxRecord } from './mailbox-record.ts';

/**
 * Maximum members other than the owner whose subscription a Mailbox keeps. An additional member replaces the oldest
 * one, so that an item stays small (40 KB), even with the ids of former members.
 */
const maxSubscribers = 1000;

const withSubscribers = ({ subscribers: _before, ...record }: MailboxRecord, subscribers: readonly string[]): MailboxRecord =>
  (subscribers.length > 0 ? { ...record, subscribers: subscribers.slice(-maxSubscribers) } : record);

/** The property `isSubscribed` of a member (RFC 8621 §2). */
export const isSubscribedBy = ({ isSubscribed, subscribers = [] }: MailboxRecord, member: MemberKey): boolean =>
  (member === null ? isSubscribed : subscribers.includes(member));

/** The Mailbox with another subscription of one member. */
export const withSubscription = (record: MailboxRecord, member: MemberKey, isSubscribed: boolean): MailboxRecord => {
  if (isSubscribedBy(record, member) === isSubscribed) return record;
  if (member === null) return { ...record, isSubscribed };
  const others = (record.subscribers ?? []).filter((each) => each !== member);
  return withSubscribers(record, isSubscribed ? [...others, member] : others);
};

/** The members whose subscription differs. */
export const changedSubscriptions = (from: MailboxRecord, to: MailboxRecord): readonly MemberKey[] => {
  const owner = from.isSubscribed === to.isSubscribed ? [] : [null];
  if (from.subscribers === to.subscribers) return owner;
  const [before, after] = [new Set(from.subscribers), new Set(to.subscribers)];
  return [...owner, ...[...before].filter((each) => !after.has(each)), ...[...after].filter((each) => !before.has(each))];
};

export const differsBySubscriptionsOnly = (from: MailboxRecord, to: MailboxRecord): boolean =>
  from.name === to.name && from.parentId === to.parentId && from.role === to.role && from.sortOrder === to.sortOrder;

/** The merged Mailbox with the subscriptions of `current`, and those that differ between `from` and `to`. */
export const mergeSubscriptions = (merged: MailboxRecord, current: MailboxRecord, from: MailboxRecord, to: MailboxRecord): MailboxRecord =>
  changedSubscriptions(from, to).filter((member) => member !== null).reduce(
    (record, member) => withSubscription(record, member, isSubscribedBy(to, member)),
    withSubscribers(merged, current.subscribers ?? []),
  );
