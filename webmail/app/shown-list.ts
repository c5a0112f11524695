import { useMemo } from 'react';
import type { Route } from '../context/route.ts';
import type { Mailbox } from '../jmap/types.ts';
import { parseSearch, searchFilter, type Label } from '../search/search-text.ts';
import { keyOf, mailboxList, type ListQuery } from '../store/list-query.ts';

/** The list of a route. */
export type ShownList = {
  /** Undefined while it is not known, because mailboxes are not loaded. */
  readonly query: ListQuery | undefined;
  /** The mailbox that is shown. Undefined in a search. */
  readonly mailbox: Mailbox | undefined;
  /** Why parts of a search's text are ignored, in words. */
  readonly problems: readonly string[];
};

/** Finds the list of a route: a mailbox, the inbox where the route names none, or a search. */
export const useShownList = ({ search, mailboxId }: Route, mailboxes: readonly Mailbox[], labels: readonly Label[]): ShownList => {
  // A search for "the last 7 days" remains the same while it is shown.
  const now = useMemo(() => new Date(), [search, mailboxId]);
  const inbox = mailboxes.find(({ role }) => role === 'inbox') ?? mailboxes[0];
  const shownId = mailboxId ?? inbox?.id;
  const mailbox = search === undefined ? mailboxes.find(({ id }) => id === shownId) : undefined;
  const found = search === undefined || mailboxes.length === 0 ? undefined : searchFilter(parseSearch(search), { mailboxes, mailboxId, labels, now });
  const next: ListQuery | undefined =
    search === undefined ? (shownId === undefined ? undefined : mailboxList(shownId)) : found && { filter: found.filter, isSearch: true };
  const query = useMemo(() => next, [next && keyOf(next)]);
  return { query, mailbox, problems: found?.problems ?? [] };
};
