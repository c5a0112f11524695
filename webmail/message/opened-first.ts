import type { Email, Id } from '../jmap/types.ts';

/** The messages that are open when a conversation is: those that were not read, or the newest one. */
export const openedFirst = (emails: readonly Email[]): ReadonlySet<Id> => {
  const unread = emails.filter(({ keywords }) => !keywords['$seen'] && !keywords['$draft']);
  return new Set((unread.length > 0 ? unread : emails.slice(-1)).map(({ id }) => id));
};
