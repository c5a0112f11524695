import type { AccountIndex } from './account-index.ts';
import type { AccountView, Commit } from './mail-store.ts';
import type { EmailRow, MailboxRecord } from './email/email-record.ts';

/** One record's part of a commit. An update knows what it started from, so that it can be carried over to a newer row. */
export type Operation =
  | { readonly put: MailboxRecord }
  | { readonly update: EmailRow; readonly from: EmailRow }
  | { readonly destroy: EmailRow }
  | { readonly destroyMailbox: string };

/**
 * A commit as operations in the order in which they must happen, when they don't fit one transaction: mailboxes are there before
 * mail moves into them, and go after it has left. What would change nothing is left out.
 * @throws Error for a commit that contradicts the store's rules; its caller was to check them.
 */
export const operationsOf = (view: AccountView, commit: Commit): Operation[] => {
  const leaving = new Set(commit.destroyMailboxes ?? []);
  const puts = lastOfEach(commit.putMailboxes ?? []).filter((mailbox) => !leaving.has(mailbox.id) && !sameMailbox(mailbox, view.mailbox(mailbox.id)));
  const destroyedMailboxes = [...leaving].filter((id) => view.mailbox(id));
  const destroyed = [...new Set(commit.destroyEmails ?? [])].flatMap((id) => view.email(id) ?? []);
  const gone = new Set(destroyed.map(({ id }) => id));
  const mailboxIds = new Set([...view.mailboxes(), ...puts].map(({ id }) => id));
  for (const id of destroyedMailboxes) mailboxIds.delete(id);
  const updates = lastOfEach(commit.updateEmails ?? []).filter(({ id }) => !gone.has(id)).flatMap((wanted) => {
    const from = view.email(wanted.id);
    if (!from) throw new Error(`Email ${wanted.id} is updated and does not exist`);
    const update = { ...from, mailboxIds: ordered(wanted.mailboxIds), keywords: ordered(wanted.keywords.map((keyword) => keyword.toLowerCase())) };
    if (update.mailboxIds.length === 0 || !update.mailboxIds.every((id) => mailboxIds.has(id))) throw new Error(`Email ${wanted.id} would be in no mailbox`);
    return sameRow(update, from) ? [] : [{ update, from }];
  });
  const moved = new Map(updates.map(({ update }) => [update.id, update]));
  for (const mailboxId of destroyedMailboxes) {
    for (const id of view.queryEmails({ inMailbox: mailboxId }, [])) {
      if (!gone.has(id) && (moved.get(id)?.mailboxIds ?? [mailboxId]).includes(mailboxId)) throw new Error(`mailbox ${mailboxId} is destroyed and has mail`);
    }
  }
  return [
    ...puts.map((put) => ({ put })),
    ...updates,
    ...destroyed.map((destroy) => ({ destroy })),
    ...destroyedMailboxes.map((destroyMailbox) => ({ destroyMailbox })),
  ];
};

/**
 * What is left to do of an operation on a newer view: an update's own differences are made in the row as it is now, so that what
 * somebody else did to it in the meantime stays.
 * @returns undefined when there is nothing left; `blocked` when it can't be done any more.
 */
export const carriedOver = (operation: Operation, index: AccountIndex): Operation | 'blocked' | undefined => {
  if ('put' in operation) return operation;
  if ('destroyMailbox' in operation) {
    if (!index.mailboxes.has(operation.destroyMailbox)) return undefined;
    return index.emails.counters(operation.destroyMailbox).totalEmails > 0 ? 'blocked' : operation;
  }
  const now = index.emails.row('destroy' in operation ? operation.destroy.id : operation.update.id);
  if (!now) return undefined;
  if ('destroy' in operation) return { destroy: now };
  const { update, from } = operation;
  const mailboxIds = merged(now.mailboxIds, from.mailboxIds, update.mailboxIds).filter((id) => index.mailboxes.has(id));
  const keywords = merged(now.keywords, from.keywords, update.keywords);
  const next = { ...now, mailboxIds: mailboxIds.length > 0 ? mailboxIds : now.mailboxIds, keywords };
  return sameRow(next, now) ? undefined : { update: next, from: now };
};

const lastOfEach = <T extends { readonly id: string }>(records: readonly T[]): T[] => [...new Map(records.map((record) => [record.id, record])).values()];

const merged = (now: readonly string[], from: readonly string[], to: readonly string[]): string[] =>
  ordered([...now.filter((each) => to.includes(each) || !from.includes(each)), ...to.filter((each) => !from.includes(each))]);

const ordered = (members: readonly string[]): string[] => [...new Set(members)].sort();

const same = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((each, i) => each === b[i]);

const sameRow = (a: EmailRow, b: EmailRow): boolean => same(a.mailboxIds, b.mailboxIds) && same(a.keywords, b.keywords);

const sameMailbox = (a: MailboxRecord, b: MailboxRecord | undefined): boolean => b !== undefined && a.name === b.name
  && a.parentId === b.parentId && a.role === b.role && a.sortOrder === b.sortOrder && a.isSubscribed === b.isSubscribed;
