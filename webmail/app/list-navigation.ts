import { go } from '../context/route.ts';
import type { Ticks } from './commands.ts';
import type { ShownList } from './shown-list.ts';
import type { CommandTarget } from './targets.ts';

/** Maximum rows that are selected at once, of those that are loaded. */
const maxTicked = 500;

/** Opens the conversation of a row. */
export const openRow = ({ rowAt, setActive, here }: ShownList, index: number): void => {
  const row = rowAt(index);
  setActive(index);
  if (row) go({ ...here, threadId: row.threadId });
};

/** Goes to a later row of the list, or to an earlier one with a negative number, and opens it where a conversation is open. */
export const step = (list: ShownList, by: number): void => {
  const { ids, route, openIndex, current, setActive } = list;
  // The open conversation may have left the list: the next one stands at its place.
  const hasLeft = route.threadId !== undefined && openIndex < 0;
  const next = Math.min(Math.max(0, hasLeft && by > 0 ? current : current + by), ids.length - 1);
  if (next < 0) return;
  setActive(next);
  if (route.threadId !== undefined) openRow(list, next);
};

/** Puts the older conversation, or the newer one at the end of the list, in the place of the open one that leaves it. */
export const goOn = ({ store, route, here, openIndex, current, rowAt, ticks }: ShownList, leaving: CommandTarget): void => {
  const threadIds = leaving.conversations.flatMap(({ emailIds }) => emailIds.map((id) => store.email(id)?.threadId));
  if (leaving.all || threadIds.some((id) => ticks.rows.has(id ?? ''))) ticks.clear();
  if (route.threadId === undefined || openIndex < 0) return;
  if (!leaving.all && !threadIds.includes(route.threadId)) return;
  const next = leaving.all || leaving.conversations.length > 1 ? undefined : (rowAt(current + 1) ?? rowAt(current - 1));
  go({ ...here, threadId: next?.threadId }, true);
};

/** Ticks the loaded rows of one kind, and unticks the others. */
export const tickRows = ({ ids, rowAt, ticks }: ShownList, which: Ticks): void => {
  if (which === 'none') return ticks.clear();
  const rows = ids.slice(0, maxTicked).flatMap((_, index) => rowAt(index) ?? []);
  const chosen = rows.filter(({ isUnread, isFlagged }) => ({ all: true, read: !isUnread, unread: isUnread, flagged: isFlagged })[which]);
  return ticks.tick(
    chosen.map(({ threadId, newest }) => ({ threadId, emailId: newest.id })),
    true,
  );
};
