import type { Email, Id, Mailbox } from '../jmap/types.ts';
import type { ConversationRow } from '../list/conversation-row.ts';
import { isOutside } from '../store/list-query.ts';
import type { ShownList } from './shown-list.ts';
import { placeIn, type CommandTarget, type ShownConversation } from './targets.ts';

/** The targets of commands in a list. */
export type ListTargets = {
  /** The ticked conversations that are still in the list: somebody else may have moved some away. */
  readonly ticked: CommandTarget;
  readonly hasTicks: boolean;
  /** The open conversation, or that of the active row. */
  readonly open: CommandTarget;
  /** The target of a row: what is ticked, if the row is. */
  readonly of: (row: ConversationRow) => CommandTarget;
};

type PlaceOf = (email: Email) => Mailbox | undefined;

const conversationOf = ({ store, mailbox }: ShownList, placeOf: PlaceOf, threadId: Id, emailId: Id | undefined): ShownConversation => {
  const email = emailId === undefined ? undefined : store.email(emailId);
  const emailIds = store.thread(threadId)?.emailIds ?? (emailId === undefined ? [] : [emailId]);
  return { emailIds, mailboxId: mailbox?.id ?? (email && placeOf(email)?.id) };
};

const isListed = ({ store, query }: ShownList, id: Id): boolean => {
  const email = store.email(id);
  return email !== undefined && query !== undefined && !isOutside(query, email);
};

const openConversations = (list: ShownList, placeOf: PlaceOf): readonly ShownConversation[] => {
  const { store, route, openIndex, current, rowAt } = list;
  if (route.threadId !== undefined && openIndex < 0) {
    // Keys act on nothing while a conversation is open whose messages are not known.
    const thread = store.thread(route.threadId);
    return thread ? [conversationOf(list, placeOf, thread.id, thread.emailIds.at(-1))] : [];
  }
  const row = rowAt(current);
  return row ? [conversationOf(list, placeOf, row.threadId, row.newest.id)] : [];
};

/** Finds the targets of commands in a list. */
export const listTargets = (list: ShownList): ListTargets => {
  const { store, query, ticks } = list;
  const placeOf = placeIn(store.mailboxes());
  const mailboxId = list.mailbox?.id;
  const conversations = [...ticks.rows]
    .map(([threadId, emailId]) => conversationOf(list, placeOf, threadId, emailId))
    .filter(({ emailIds }) => emailIds.some((id) => isListed(list, id)));
  const ticked: CommandTarget = { mailboxId, conversations, all: ticks.isAll ? query : undefined };
  return {
    ticked,
    hasTicks: ticks.isAll || conversations.length > 0,
    open: { mailboxId, conversations: openConversations(list, placeOf) },
    of: ({ threadId, newest }) =>
      ticks.isAll || ticks.rows.has(threadId) ? ticked : { mailboxId, conversations: [conversationOf(list, placeOf, threadId, newest.id)] },
  };
};
