import type { AccountIndex } from './account-index.ts';
import type { LogEntry } from './log.ts';
import type { StoredType } from './mail-store.ts';

export type EventKind = 'created' | 'updated' | 'destroyed';
/** What one commit did to one record of a type. */
export type Event = { readonly id: string; readonly kind: EventKind; /** Mailbox: its counters may have changed, and nothing else. */ readonly onlyCounters?: boolean };
/** What one commit did to the records of a type, by id in order. */
export type EntryEvents = { readonly sequence: number; readonly events: readonly Event[] };

/**
 * What each of the commits did to the records of a type; commits that did nothing to it are left out.
 * @param entries the log up to the index's own head, with no gap.
 */
export const eventsOf = (type: StoredType, entries: readonly LogEntry[], index: AccountIndex): EntryEvents[] => {
  const perEntry = { Email: emailEvents, Thread: threadEvents, Mailbox: mailboxEvents }[type](entries, index);
  return entries.flatMap(({ sequence }, i) => {
    const events = perEntry[i]!.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    return events.length > 0 ? [{ sequence, events }] : [];
  });
};

const emailEvents = (entries: readonly LogEntry[]): Event[][] => entries.map(({ created, updated, destroyed }) => [
  ...created.map(({ id }) => ({ id, kind: 'created' as const })),
  ...updated.map(({ row }) => ({ id: row.id, kind: 'updated' as const })),
  ...destroyed.map(({ id }) => ({ id, kind: 'destroyed' as const })),
]);

/** A Thread is there while it has Emails. How many it had is counted backwards from now. */
const threadEvents = (entries: readonly LogEntry[], index: AccountIndex): Event[][] => {
  const sizes = new Map<string, number>();
  const sizeOf = (threadId: string) => sizes.get(threadId) ?? index.emails.emailsOfThread(threadId).length;
  return entries.toReversed().map(({ created, destroyed }) => {
    const grown = new Map<string, number>();
    for (const { threadId } of created) grown.set(threadId, (grown.get(threadId) ?? 0) + 1);
    for (const { threadId } of destroyed) grown.set(threadId, (grown.get(threadId) ?? 0) - 1);
    return [...grown].map(([id, growth]) => {
      const after = sizeOf(id);
      const before = after - growth;
      sizes.set(id, before);
      return { id, kind: before === 0 ? 'created' as const : after === 0 ? 'destroyed' as const : 'updated' as const };
    });
  }).toReversed();
};

/**
 * Mailboxes that were written, and those whose counters may have moved: where a changed Email was and is, and wherever the rest of
 * its Thread is now (one unread Email makes its Thread unread in all of them); all, when the trash became another one.
 */
const mailboxEvents = (entries: readonly LogEntry[], index: AccountIndex): Event[][] => {
  const existing = new Set(index.mailboxes.keys());
  return entries.toReversed().map((entry) => {
    const events = new Map<string, Event>();
    for (const id of countedMailboxes(entry, index, existing)) if (existing.has(id)) events.set(id, { id, kind: 'updated', onlyCounters: true });
    for (const { id } of entry.updatedMailboxes) events.set(id, { id, kind: 'updated' });
    for (const { id } of entry.createdMailboxes) events.set(id, { id, kind: 'created' });
    for (const id of entry.destroyedMailboxes) events.set(id, { id, kind: 'destroyed' });
    for (const { id } of entry.createdMailboxes) existing.delete(id);
    for (const id of entry.destroyedMailboxes) existing.add(id);
    return [...events.values()];
  }).toReversed();
};

const countedMailboxes = (entry: LogEntry, index: AccountIndex, existing: ReadonlySet<string>): Set<string> => {
  if (entry.trashMoved) return new Set(existing);
  const counted = new Set<string>();
  const threadIds = new Set<string>();
  const touch = (threadId: string, mailboxIds: readonly string[]) => {
    threadIds.add(threadId);
    for (const id of mailboxIds) counted.add(id);
  };
  for (const { threadId, mailboxIds } of entry.created) touch(threadId, mailboxIds);
  for (const { row, was } of entry.updated) if (was) touch(row.threadId, [...was, ...row.mailboxIds]);
  for (const { threadId, was } of entry.destroyed) touch(threadId, was);
  for (const threadId of threadIds) for (const { mailboxIds } of index.emails.emailsOfThread(threadId)) for (const id of mailboxIds) counted.add(id);
  return counted;
};
