import type { Email, Id, Mailbox } from '../jmap/types.ts';
import { mailboxTree } from '../mailboxes/mailbox-tree.ts';
import type { ListQuery } from '../store/list-query.ts';
import type { MailStore } from '../store/mail-store.ts';
import type { Placed } from '../store/mass-change.ts';

/** A conversation of a target, with the mailbox in which its row shows it. */
export type ShownConversation = { readonly emailIds: readonly Id[]; readonly mailboxId: Id | undefined };

/** What a command acts on: conversations by the ids of their Emails, which need not be open, or all that a list has. */
export type CommandTarget = {
  /** The mailbox that is shown. Undefined in a search. */
  readonly mailboxId: Id | undefined;
  readonly conversations: readonly ShownConversation[];
  readonly all?: ListQuery | undefined;
};

/** An Email with the mailbox in which it is shown. */
export type PlacedEmail = { readonly email: Email; readonly from: Mailbox };

export const emailsOf = (store: MailStore, { conversations }: CommandTarget): readonly Email[] =>
  conversations.flatMap(({ emailIds }) => emailIds.flatMap((id) => store.email(id) ?? []));

/** The newest Email of each conversation. */
export const newestOf = (store: MailStore, { conversations }: CommandTarget): readonly Email[] =>
  conversations.flatMap(({ emailIds }) => emailIds.flatMap((id) => store.email(id) ?? []).at(-1) ?? []);

/** Finds the mailbox of a search result: the first one of the navigation, Trash and Junk last. */
export const placeIn = (mailboxes: readonly Mailbox[]): ((email: Placed) => Mailbox | undefined) => {
  const isLast = ({ role }: Mailbox): boolean => role === 'trash' || role === 'junk';
  const ordered = mailboxTree(mailboxes).map(({ mailbox }) => mailbox);
  const inOrder = [...ordered.filter((mailbox) => !isLast(mailbox)), ...ordered.filter(isLast)];
  return ({ mailboxIds }) => inOrder.find(({ id }) => mailboxIds[id]);
};

/** The Emails that a move takes, each with its mailbox: those of a conversation in the mailbox in which it is shown. */
export const placedEmails = (store: MailStore, { conversations }: CommandTarget): readonly PlacedEmail[] => {
  const byId = new Map(store.mailboxes().map((mailbox) => [mailbox.id, mailbox]));
  return conversations.flatMap(({ emailIds, mailboxId }) => {
    const from = byId.get(mailboxId ?? '');
    const emails = from ? emailIds.flatMap((id) => store.email(id) ?? []) : [];
    return emails.flatMap((email) => (from && email.mailboxIds[from.id] ? [{ email, from }] : []));
  });
};
