import type { AccountView, Changes } from '../../core/account-index/account-view.ts';
import { emailsOf } from '../../core/mail/email/email-type.ts';
import type { MailStore } from '../../core/mail/mail-store/mail-store.ts';
import { mailboxesOf } from '../../core/mail/mailbox/mailbox-record.ts';

/** The records of one type that a client knows: each as JSON, by id. */
export type HeldRecords = ReadonlyMap<string, string>;

export type ReplayedType = 'Email' | 'Mailbox' | 'Thread';

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

/** The ids of a /changes response. */
export type ChangedIds = Pick<Changes, 'created' | 'updated' | 'destroyed'>;

/**
 * The records of a client after it has fetched the changed records of a /changes response.
 * @param current all records that exist.
 * @throws Error for an impossible response: a created record that the client already has, or a change of an unknown record.
 */
export const applyChanges = (held: HeldRecords, current: HeldRecords, { created, updated, destroyed }: ChangedIds): HeldRecords => {
  const records = new Map(held);
  for (const id of created) if (records.has(id)) throw new Error(`${id} is created again`);
  for (const id of [...updated, ...destroyed]) if (!records.has(id)) throw new Error(`${id} changes and was never created`);
  // A record that a later response destroys cannot be fetched any more.
  for (const id of [...created, ...updated]) records.set(id, current.get(id) ?? 'destroyed later');
  for (const id of destroyed) records.delete(id);
  return records;
};

/**
 * Updates a client that has all records of a type at the state `since`, as a JMAP client does: by /changes,
 * `maxChanges` ids at a time, and by fetching only the changed records.
 * @returns the records that the client has afterwards.
 * @throws Error for an impossible response: a created record that the client already has, a change of a record that it
 * does not have, or the same state again.
 */
export const replayChanges = async (
  store: MailStore,
  view: AccountView,
  type: ReplayedType,
  since: string,
  held: HeldRecords,
  maxChanges?: number,
): Promise<HeldRecords> => {
  const current = recordsOf(view, type);
  let records = held;
  for (let state = since; ;) {
    const changes: Changes | undefined = await store.changes(view, type, state, maxChanges);
    if (!changes) throw new Error(`${type}/changes cannot be calculated from ${state}`);
    const { created, updated, destroyed } = changes;
    if (created.length + updated.length + destroyed.length > (maxChanges ?? Infinity)) throw new Error(`more than ${maxChanges} changes from ${state}`);
    records = applyChanges(records, current, changes);
    if (!changes.hasMoreChanges) return records;
    if (changes.newState === state) throw new Error(`has more changes, but the state is still ${state}`);
    state = changes.newState;
  }
};

type CountedEmail = { readonly threadId: string; readonly mailboxIds: readonly string[]; readonly keywords: readonly string[] };

/** The counters of every Mailbox (RFC 8621 §2), counted from all Emails. */
export const countMailboxes = (
  mailboxes: readonly { readonly id: string; readonly role: string | null }[],
  emails: readonly CountedEmail[],
): Map<string, object> => {
  const trashId = mailboxes.find(({ role }) => role === 'trash')?.id;
  const unread = emails.filter(({ keywords }) => !keywords.includes('$seen') && !keywords.includes('$draft'));
  return new Map(
    mailboxes.map(({ id }) => {
      const inside = emails.filter(({ mailboxIds }) => mailboxIds.includes(id));
      const threads = new Set(inside.map(({ threadId }) => threadId));
      const showsUnread = (threadId: string) =>
        unread.some(
          (email) =>
            email.threadId === threadId && (id === trashId ? email.mailboxIds.includes(id) : email.mailboxIds.some((mailboxId) => mailboxId !== trashId)),
        );
      return [
        id,
        {
          totalEmails: inside.length,
          unreadEmails: inside.filter((email) => unread.includes(email)).length,
          totalThreads: threads.size,
          unreadThreads: [...threads].filter(showsUnread).length,
        },
      ];
    }),
  );
};

/** {@link countMailboxes} of a view. */
export const recountMailboxes = (view: AccountView): Map<string, object> =>
  countMailboxes(
    mailboxesOf(view).all(),
    emailsOf(view)
      .ids()
      .map((id) => emailsOf(view).get(id)!),
  );
