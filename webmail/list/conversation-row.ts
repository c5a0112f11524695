import type { Email, EmailAddress, Id } from '../jmap/types.ts';
import type { MailStore } from '../store/mail-store.ts';
import { personName, words } from '../words/words.ts';

/** A conversation as the list shows it. */
export type ConversationRow = {
  readonly threadId: Id;
  /** The newest message in the shown mailbox. */
  readonly newest: Email;
  /** All messages of the conversation, oldest first. */
  readonly emails: readonly Email[];
  readonly people: string;
  readonly isUnread: boolean;
  readonly isFlagged: boolean;
};

type IsOwn = (address: string) => boolean;

/** Names in a row, beyond which the middle ones are left out. */
const maxNames = 3;

const namesOf = (addresses: readonly EmailAddress[], isOwn: IsOwn): string => {
  const names = [...new Set(addresses.map((address) => (isOwn(address.email) ? words.me : personName(address))))];
  if (names.length <= maxNames) return names.join(', ');
  return [names[0], '…', ...names.slice(-2)].join(', ');
};

/** The row of the conversation of an Email. Undefined while the Email is not loaded. */
export const conversationRow = (store: MailStore, emailId: Id, mailboxRole: string | null, isOwn: IsOwn): ConversationRow | undefined => {
  const newest = store.email(emailId);
  if (!newest) return undefined;
  const emails = (store.thread(newest.threadId)?.emailIds ?? [emailId]).flatMap((id) => store.email(id) ?? []);
  const outgoing = mailboxRole === 'sent' || mailboxRole === 'drafts';
  const people = emails.flatMap((email) => (outgoing ? email.to : email.from) ?? []);
  return {
    threadId: newest.threadId,
    newest,
    emails,
    people: namesOf(people, isOwn) || (outgoing ? words.draft : words.noSender),
    isUnread: emails.some(({ keywords }) => !keywords['$seen'] && !keywords['$draft']),
    isFlagged: emails.some(({ keywords }) => keywords['$flagged']),
  };
};
