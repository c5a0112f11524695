import { emailsOf } from '../../core/mail/email/email-type.ts';
import type { AccountView, Changes, MailStore } from '../../core/mail/mail-store.ts';
import { mailboxesOf } from '../../core/mail/mailbox/mailbox-record.ts';

/** The records of one type that a client has: each as JSON, by id. */
export type HeldRecords = ReadonlyMap<string, string>;

export type ReplayedType = 'Email' | 'Mailbox' | 'Thread';

/** All records of a type in a view. */
export const recordsOf = (view: AccountView, type: ReplayedType): HeldRecords =>
  ({
    Email: () =>
      new Map(
        emailsOf(view)
          .ids()
          .map((id) => [id, JSON.stringify(emailsOf(view).get(id))]),
      ),
    Thread: () =>
      new Map(
        emailsOf(view)
          .threadIds()
          .map((id) => [id, JSON.stringify(emailsOf(view).threadEmailIds(id))]),
      ),
    Mailbox: () =>
      new Map(
        mailboxesOf(view)
          .all()
          .map((mailbox) => [mailbox.id, JSON.stringify({ ...mailbox, ...emailsOf(view).counters(mailbox.id) })]),
      ),
  })[type]();

/**
 * Brings a client that has all records of a type at the state `since` up to date, as a JMAP client does: by /changes,
 * `maxChanges` ids at a time, and by fetching only the changed records.
 * @returns the records that the client has afterwards.
 * @throws Error for an impossible response: a created record that the client has, a change of one that it does not
 * have, or the same state again.
 */
export const replayChanges = async (
  store: MailStore, view: AccountView, type: ReplayedType, since: string, held: HeldRecords, maxChanges?: number,
): Promise<HeldRecords> => {
  const current = recordsOf(view, type);
  const records = new Map(held);
  for (let state = since; ;) {
    const changes: Changes | undefined = await store.changes(view, type, state, maxChanges);
    if (!changes) throw new Error(`${type}/changes cannot be calculated from ${state}`);
    const { created, updated, destroyed } = changes;
    if (created.length + updated.length + destroyed.length > (maxChanges ?? Infinity))
      throw new Error(`more than ${maxChanges} changes from ${state}`);
    for (const id of created) if (records.has(id)) throw new Error(`${id} is created again`);
    for (const id of [...updated, ...destroyed]) if (!records.has(id)) throw new Error(`${id} changes and was never created`);
    // A record that a later response destroys cannot be fetched any more.
    for (const id of [...created, ...updated]) records.set(id, current.get(id) ?? 'destroyed later');
    for (const id of destroyed) records.delete(id);
    if (!changes.hasMoreChanges) return records;
    if (changes.newState === state) throw new Error(`has more changes, but the state is still ${state}`);
    state = changes.newState;
  }
};

/** The counters of every mailbox (RFC 8621 §2), counted from all emails. */
export const recountMailboxes = (view: AccountView): Map<string, object> => {
  const trashId = mailboxesOf(view).all().find(({ role }) => role === 'trash')?.id;
  const emails = emailsOf(view).ids().map((id) => emailsOf(view).get(id)!);
  const unread = emails.filter(({ keywords }) => !keywords.includes('$seen') && !keywords.includes('$draft'));
  return new Map(mailboxesOf(view).all().map(({ id }) => {
    const inside = emails.filter(({ mailboxIds }) => mailboxIds.includes(id));
    const threads = new Set(inside.map(({ threadId }) => threadId));
    const showsUnread = (threadId: string) => unread.some((email) => email.threadId === threadId
      && (id === trashId ? email.mailboxIds.includes(id) : email.mailboxIds.some((mailboxId) => mailboxId !== trashId)));
    return [id, {
      totalEmails: inside.length,
      unreadEmails: inside.filter((email) => unread.includes(email)).length,
      totalThreads: threads.size,
      unreadThreads: [...threads].filter(showsUnread).length,
    }];
  }));
};
