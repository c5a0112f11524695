import { useEffect, useLayoutEffect, useMemo, useState } from 'react';
import { useLabels, useMail, useStore } from '../context/mail-context.ts';
import { keepPlace, placeOfHistory, useRoute, type Route } from '../context/route.ts';
import type { Id, Mailbox } from '../jmap/types.ts';
import { conversationRow, type ConversationRow } from '../list/conversation-row.ts';
import { useTicks, type TickState } from '../list/ticks.ts';
import { parseSearch, searchFilter, type Label } from '../search/search-text.ts';
import { keyOf, mailboxList, type ListQuery } from '../store/list-query.ts';
import type { MailStore } from '../store/mail-store.ts';
import { emptyWindow } from '../store/query-window.ts';
import { words } from '../words/words.ts';

/** The list of a route. */
type RouteList = {
  /** Undefined while it is not known, because mailboxes are not loaded. */
  readonly query: ListQuery | undefined;
  /** The mailbox that is shown. Undefined in a search. */
  readonly mailbox: Mailbox | undefined;
  /** Why parts of a search's text are ignored, in words. */
  readonly problems: readonly string[];
};

/** The row that keys act on. It remains the same while others come and go; when it is gone, the next one has its place. */
type ActiveRow = { readonly index: number; readonly id: Id | undefined };

/** The list that is shown, and the person's place in it. */
export type ShownList = RouteList & {
  readonly store: MailStore;
  readonly ids: readonly (Id | undefined)[];
  /** Why the list could not be read, in words. Empty where it could. */
  readonly problem: string;
  readonly tryAgain: () => void;
  readonly route: Route;
  /** The route of the list without a conversation. */
  readonly here: Route;
  /** The index of the row whose conversation is open. -1 where none is, or where the list does not have it. */
  readonly openIndex: number;
  /** The index of the row that keys act on. */
  readonly current: number;
  readonly setActive: (index: number) => void;
  readonly rowAt: (index: number) => ConversationRow | undefined;
  readonly ticks: TickState;
  /** Changes when the list begins at `top` anew. */
  readonly key: string;
  /** Pixels from the top at which the list begins. */
  readonly top: number;
  /** Begins at the top of the next list, also when it is the one that is shown. */
  readonly begin: () => void;
};

/** Finds the list of a route: a mailbox, the inbox where the route names none, or a search. */
const useRouteList = ({ search, mailboxId }: Route, mailboxes: readonly Mailbox[], labels: readonly Label[]): RouteList => {
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

/** Reads a list from the server, unless it is loaded. */
const useReading = (store: MailStore, query: ListQuery | undefined): Pick<ShownList, 'problem' | 'tryAgain'> => {
  const [problem, setProblem] = useState('');
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (query ? store.isLoaded(query) : store.mailboxes().length > 0) return;
    store.open(query).then(
      () => setProblem(''),
      (error: Error) => setProblem(words.failed(error.message)),
    );
  }, [store, query, tries]);
  return { problem, tryAgain: () => setTries(tries + 1) };
};

/** Follows the row that keys act on: that of the open conversation, or the one that was active last. */
const usePlace = (listKey: string, ids: ShownList['ids'], openIndex: number): Pick<ShownList, 'current' | 'setActive' | 'key' | 'top' | 'begin'> => {
  const [active, setActiveRow] = useState<ActiveRow>(() => ({ index: placeOfHistory().active, id: undefined }));
  const [visits, setVisits] = useState(0);
  const place = useMemo(placeOfHistory, [listKey, visits]);
  useEffect(() => setActiveRow({ index: place.active, id: undefined }), [place]);
  const activeIndex = active.id === undefined ? -1 : ids.indexOf(active.id);
  const current = openIndex >= 0 ? openIndex : Math.min(activeIndex >= 0 ? activeIndex : active.index, Math.max(0, ids.length - 1));
  const setActive = (index: number): void => setActiveRow({ index, id: ids[index] });
  useLayoutEffect(() => {
    if (ids.length === 0) return;
    keepPlace({ active: current });
    if (active.index !== current || active.id !== ids[current]) setActive(current);
  });
  const begin = (): void => {
    setVisits(visits + 1);
    setActiveRow({ index: 0, id: undefined });
  };
  return { current, setActive, key: `${listKey} ${visits}`, top: place.top, begin };
};

/** Shows the list of the route, from the person's place in it. */
export const useShownList = (): ShownList => {
  const { account, isOwn } = useMail();
  const store = useStore();
  const route = useRoute();
  const list = useRouteList(route, store.mailboxes(), useLabels());
  const { query, mailbox } = list;
  const listKey = `${account.id} ${query ? keyOf(query) : ''}`;
  const ticks = useTicks(listKey);
  const { ids } = query ? store.list(query) : emptyWindow;
  const reading = useReading(store, query);
  const openIndex = route.threadId === undefined ? -1 : ids.findIndex((id) => id !== undefined && store.email(id)?.threadId === route.threadId);
  const place = usePlace(listKey, ids, openIndex);
  const mailboxId = route.search === undefined ? mailbox?.id : route.mailboxId;
  const here: Route = { accountId: account.pathId, mailboxId, search: route.search, threadId: undefined };
  const rowAt = (index: number): ConversationRow | undefined => {
    const id = ids[index];
    return id === undefined ? undefined : conversationRow(store, id, mailbox?.role ?? null, isOwn);
  };
  return { ...list, ...reading, ...place, store, ids, route, here, openIndex, rowAt, ticks };
};
