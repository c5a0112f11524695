import type { Email, EmailFilter, Id } from '../jmap/types.ts';

/** What a list shows: the newest matching message of each conversation, newest first. */
export type ListQuery = {
  readonly filter: EmailFilter;
  /** Whether it is a search: its rows have snippets, and the mailbox of each. */
  readonly isSearch?: true;
};

export const mailboxList = (mailboxId: Id): ListQuery => ({ filter: { inMailbox: mailboxId } });

/** What is the same for the same list. */
export const keyOf = ({ filter }: ListQuery): string => JSON.stringify(filter);

export const querySort = [{ property: 'receivedAt', isAscending: false }] as const;

/** Whether an Email matches the conditions of a filter about mailboxes. Undefined where other conditions decide. */
const matches = (filter: EmailFilter, email: Email): boolean | undefined => {
  if ('operator' in filter) {
    const results = filter.conditions.map((condition) => matches(condition, email));
    const decisive = filter.operator !== 'AND';
    const found = results.includes(decisive) ? decisive : results.includes(undefined) ? undefined : !decisive;
    return filter.operator === 'NOT' && found !== undefined ? !found : found;
  }
  const { inMailbox, inMailboxOtherThan, ...others } = filter;
  const isIn = inMailbox === undefined || email.mailboxIds[inMailbox] === true;
  const isElsewhere = inMailboxOtherThan === undefined || Object.keys(email.mailboxIds).some((id) => !inMailboxOtherThan.includes(id));
  if (!isIn || !isElsewhere) return false;
  return Object.keys(others).length > 0 ? undefined : true;
};

/** Whether an Email is in none of the mailboxes that a list is about. */
export const isOutside = ({ filter }: ListQuery, email: Email): boolean => Object.keys(email.mailboxIds).length === 0 || matches(filter, email) === false;
