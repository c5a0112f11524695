import { mailboxesOf } from '../../core/mail/mailbox/mailbox-record.ts';
import { emailsOf } from '../../core/mail/email/email-type.ts';
import type { AccountView, Changes, MailStore } from '../../core/mail/mail-store.ts';

/** All that a client can hold of one type: each record, spelt out. */
export type HeldRecords = ReadonlyMap<string, string>;

/** Everything of a type in a view. */
export type ReplayedType = 'Email' | 'Mailbox' | 'Thread';

export const recordsOf = (view: AccountView, type: ReplayedType): HeldRecords => ({
  Email: () => new Map(emailsOf(view).ids().map((id) => [id, JSON.stringify(emailsOf(view).get(id))])),
  Thread: () => new Map(emailsOf(view).threadIds().map((id) => [id, JSON.stringify(emailsOf(view).threadEmailIds(id))])),
  Mailbox: () => new Map(mailboxesOf(view).all().map((mailbox) => [mailbox.id, JSON.stringify({ ...mailbox, ...emailsOf(view).counters(mailbox.id) })])),
})[type]();

/**
 * A client that held all of a type at a state catches up by /changes, `maxChanges` ids at a time, getting anew only
 * what it is told about.
 * @returns what it holds in the end.
 * @throws Error when it is told what can't be: of a creation of what it has, of a change to what it has not, or nothing
 * for ever.
 */
export const replayChanges = async (store: MailStore, view: AccountView, type: ReplayedType, since: string, held: HeldRecords, maxChanges?: number): Promise<HeldRecords> => {
  const now = recordsOf(view, type);
  const mine = new Map(held);
  for (let state = since; ;) {
    const answer: Changes | undefined = await store.changes(view, type, state, maxChanges);
    if (!answer) throw new Error(`${type}/changes can't be told from ${state}`);
    if (answer.created.length + answer.updated.length + answer.destroyed.length > (maxChanges ?? Infinity)) throw new Error(`more than ${maxChanges} changes from ${state}`);
    for (const id of answer.created) if (mine.has(id)) throw new Error(`${id} is created again`);
    for (const id of [...answer.updated, ...answer.destroyed]) if (!mine.has(id)) throw new Error(`${id} changes and was never created`);
    // What is created or updated now and destroyed later can't be got any more; it is held as something until then.
    for (const id of [...answer.created, ...answer.updated]) mine.set(id, now.get(id) ?? 'gone since');
    for (const id of answer.destroyed) mine.delete(id);
    if (!answer.hasMoreChanges) return mine;
    if (answer.newState === state) throw new Error(`has more changes, and no other state than ${state}`);
    state = answer.newState;
  }
};

/** Every mailbox's counters, counted one message at a time (RFC 8621 §2). */
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
