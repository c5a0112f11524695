import { MethodError, type Call, type Requests } from '../jmap/requests.ts';
import type {
  ChangesResponse,
  Email,
  EmailBody,
  GetResponse,
  Id,
  Mailbox,
  QueryChangesResponse,
  QueryResponse,
  SearchSnippet,
  SetResponse,
  Thread,
} from '../jmap/types.ts';
import { createChanges, type Refusal } from './changes.ts';
import { keyOf, querySort, type ListQuery } from './list-query.ts';
import { changeAll, type MassChange, type MassResult } from './mass-change.ts';
import { createMessageBodies } from './message-bodies.ts';
import type { Patch } from './pending-changes.ts';
import { emptyWindow, missingRanges, withChanges, withPage, type QueryWindow } from './query-window.ts';
import { listProperties } from './read-properties.ts';
import { createSearchSnippets, type SearchSnippets } from './search-snippets.ts';
import { setMailboxes, type MailboxSet } from './set-mailboxes.ts';
import { createShownLists } from './shown-lists.ts';
import { createShownMailboxes } from './shown-mailboxes.ts';
import { restore, snapshotOf, type Snapshot, type TypeName } from './snapshot.ts';

export type MailStore = {
  /** Calls the listener after every change of what the store has. @returns a function that removes the listener. */
  readonly subscribe: (listener: () => void) => () => void;
  /** Changes with every change of what the store has. */
  readonly version: () => number;
  mailboxes(): readonly Mailbox[];
  email(id: Id): Email | undefined;
  thread(id: Id): Thread | undefined;
  body(id: Id): EmailBody | undefined;
  readonly snippets: SearchSnippets;
  list(query: ListQuery): QueryWindow;
  /** Whether a list was loaded once. */
  isLoaded(query: ListQuery): boolean;
  /** The first page of a list. Undefined while the store is not up to date. */
  snapshot(query: ListQuery): Snapshot | undefined;
  /** Loads the mailboxes, and the first page of a list in the same request. */
  open(query?: ListQuery): Promise<void>;
  /** Loads what a list lacks between two positions. */
  loadRange(query: ListQuery, from: number, to: number): Promise<void>;
  /** Loads a conversation that is in no list. */
  loadThread(id: Id): Promise<void>;
  loadBodies(ids: readonly Id[]): Promise<void>;
  /** Whether the store has all changes up to these states of types (RFC 8620 §7.1). */
  isCurrent(ofTypes: Readonly<Record<string, string>>): boolean;
  /** The states of all types, which change with what is known of the server. */
  states(): string;
  /** Reads what changed at the server, and brings everything that was loaded up to date. */
  refresh(): Promise<void>;
  /** Shows a change of Emails at once and sends it. It is taken back when the server refuses it. @returns what was refused. */
  change(patches: ReadonlyMap<Id, Patch>): Promise<Refusal | undefined>;
  /** Creates, updates or destroys mailboxes, and reads them again. @throws Error with what the server refused. */
  setMailboxes(set: MailboxSet): Promise<SetResponse>;
  /** Changes all Emails that match a filter, in batches. */
  changeAll(change: MassChange): Promise<MassResult>;
  /** Calls the listener with the Emails that came, once for all that a refresh found. */
  onCreated(listener: (emails: readonly Email[]) => void): void;
};

export type MailStoreDependencies = {
  readonly accountId: Id;
  readonly requests: Requests;
  readonly wait: (milliseconds: number) => Promise<void>;
  /** Maximum Emails of one Email/set. */
  readonly maxObjectsInSet: number;
  /** What an earlier store had. It is shown at once, and a refresh brings it up to date. */
  readonly before?: Snapshot | undefined;
};

/** Lists that are kept up to date. Of an older one, the next visit loads the beginning again. */
const maxLists = 6;

/** Conversations that are loaded at once. */
export const pageSize = 50;

/** Maximum changes of a type that are read one by one. After more, what is shown is loaded again. */
const maxChanges = 200;
const maxRounds = 5;

/** Milliseconds until records of another state are read again, unless a push comes first. */
const suspicionDelay = 300;

/**
 * The mail of one account: records by their ids, windows of queries, and changes that are under way. What is shown is
 * always the server's data with the changes that the server has not confirmed.
 */
export const createMailStore = ({ accountId, requests, wait, maxObjectsInSet, before }: MailStoreDependencies): MailStore => {
  const mailboxes = new Map<Id, Mailbox>();
  const emails = new Map<Id, Email>();
  const threads = new Map<Id, Thread>();
  const windows = new Map<string, { readonly query: ListQuery; window: QueryWindow; seen: { from: number; to: number } }>();
  const states = new Map<TypeName, string>();
  /** Records that may be older than the known state of their type. */
  const suspects: Readonly<Record<TypeName, Set<Id>>> = { Mailbox: new Set(), Email: new Set(), Thread: new Set() };
  const loading = new Set<string>();
  const listeners = new Set<() => void>();
  const createdListeners = new Set<(emails: readonly Email[]) => void>();
  let version = 0;
  let refreshing: Promise<void> | undefined;
  let isStale = false;
  /** Changes under way that put off the refresh. */
  let held = 0;
  let isRefreshDue = false;
  let isPageSuspect = false;
  let created: readonly Email[] = [];

  const changed = (): void => {
    version += 1;
    for (const listener of listeners) listener();
  };

  const call = <T>(name: string, args: Readonly<Record<string, unknown>>): Call<T> => requests.call<T>(name, { accountId, ...args });

  const bodies = createMessageBodies(call, changed);
  const snippets = createSearchSnippets(async ({ filter }, emailIds) => {
    const { list } = await call<{ readonly list: readonly SearchSnippet[] }>('SearchSnippet/get', { filter, emailIds }).result;
    return list;
  }, changed);

  /**
   * Keeps records. The first state is kept; later ones come from the changes. Responses can overtake each other, and states
   * have no order: records of another state than the known one are read again by the next refresh.
   */
  const keep = <R extends { readonly id: Id }>(type: TypeName, records: Map<Id, R>, { state, list }: GetResponse<R>): void => {
    if (!states.has(type)) states.set(type, state);
    const isCurrent = states.get(type) === state;
    for (const record of list) {
      records.set(record.id, record);
      if (isCurrent) suspects[type].delete(record.id);
      else suspects[type].add(record.id);
    }
    if (!isCurrent && list.length > 0) void refreshSoon();
  };

  const hasSuspects = (): boolean => Object.values(suspects).some(({ size }) => size > 0);

  const refreshSoon = async (): Promise<void> => {
    if (isRefreshDue) return;
    isRefreshDue = true;
    await wait(suspicionDelay);
    isRefreshDue = false;
    if (isPageSuspect || hasSuspects()) await store.refresh().catch(() => undefined);
  };

  /** Asks for the threads of the Emails of a call, and for the Emails of these threads, in the same request. */
  const getWithThreads = (source: Call<unknown>, path: string): (() => Promise<void>) => {
    const newest = call<GetResponse<Email>>('Email/get', { '#ids': source.ref(path), properties: ['threadId'] });
    const ofThreads = call<GetResponse<Thread>>('Thread/get', { '#ids': newest.ref('/list/*/threadId') });
    const members = call<GetResponse<Email>>('Email/get', { '#ids': ofThreads.ref('/list/*/emailIds'), properties: listProperties });
    const all = Promise.all([newest.result, ofThreads.result, members.result]);
    all.catch(() => undefined);
    return async () => {
      const [, threadList, emailList] = await all;
      keep('Thread', threads, threadList);
      keep('Email', emails, emailList);
    };
  };

  const queryArguments = ({ filter }: ListQuery) => ({ filter, sort: querySort, collapseThreads: true });

  const windowOf = (query: ListQuery) => {
    const known = windows.get(keyOf(query)) ?? { query, window: emptyWindow, seen: { from: 0, to: pageSize } };
    windows.delete(keyOf(query));
    windows.set(keyOf(query), known);
    for (const key of windows.keys()) if (windows.size > maxLists) windows.delete(key);
    return known;
  };

  /**
   * Loads a page of a list. A page of another state than what is known of the list is left out, unless it replaces that: the
   * next refresh brings the list to the state of today, and loads what is missing then.
   */
  const loadPage = async (query: ListQuery, position: number, limit: number, isReplacing = false): Promise<void> => {
    const found = call<QueryResponse>('Email/query', { ...queryArguments(query), position, limit, calculateTotal: true });
    const keepAll = getWithThreads(found, '/ids');
    const [page] = await Promise.all([found.result, keepAll()]);
    const known = windowOf(query);
    const { queryState, canCalculateChanges } = known.window;
    const isOther = queryState !== '' && queryState !== page.queryState;
    if (!isOther || isReplacing || !canCalculateChanges) known.window = withPage(known.window, page);
    changed();
    if (isOther) {
      isPageSuspect = true;
      void refreshSoon();
    }
  };

  const readMailboxes = async (): Promise<void> => {
    const all = await call<GetResponse<Mailbox>>('Mailbox/get', { ids: null }).result;
    mailboxes.clear();
    suspects.Mailbox.clear();
    states.delete('Mailbox');
    keep('Mailbox', mailboxes, all);
    changed();
  };

  /** Loads again what was shown last: the normal way where changes can't be calculated. */
  const reload = async (): Promise<void> => {
    states.clear();
    for (const ids of Object.values(suspects)) ids.clear();
    await readMailboxes();
    for (const known of Array.from(windows.values())) {
      const { from, to } = known.seen;
      const at = Math.max(0, from - (from % pageSize));
      known.window = { ...known.window, queryState: '' };
      await loadPage(known.query, at, Math.max(pageSize, to - at));
    }
  };

  /** Brings a list up to date. @param records resolves when the changes of records are applied, which come first. */
  const refreshWindow = async (key: string, records: Promise<unknown>): Promise<void> => {
    const known = windows.get(key);
    if (!known) return undefined;
    const { query, window } = known;
    if (window.queryState === '') return undefined;
    const { from, to } = known.seen;
    const again = (): Promise<void> => loadPage(query, Math.max(0, from - (from % pageSize)), Math.max(pageSize, to - from), true);
    if (!window.canCalculateChanges) return again();
    try {
      const changes = call<QueryChangesResponse>('Email/queryChanges', {
        ...queryArguments(query),
        sinceQueryState: window.queryState,
        maxChanges,
        calculateTotal: true,
      });
      const keepAll = getWithThreads(changes, '/added/*/id');
      const [result] = await Promise.all([changes.result, records]);
      await keepAll();
      if (known.window.queryState !== window.queryState) {
        // A page of another state came meanwhile, to which these changes don't belong.
        isStale = true;
        return undefined;
      }
      known.window = withChanges(known.window, result);
      changed();
      const missing = missingRanges(known.window, known.seen.from, known.seen.to, pageSize);
      await Promise.all(missing.map(({ position, limit }) => loadPage(query, position, limit)));
    } catch (error) {
      if (!(error instanceof MethodError)) throw error;
      await again();
    }
    return undefined;
  };

  /** Reads the suspect records of a type again. */
  const readAgain = async <R>(type: TypeName, more = {}): Promise<GetResponse<R> | undefined> => {
    const ids = [...suspects[type]].slice(0, maxChanges);
    return ids.length === 0 ? undefined : call<GetResponse<R>>(`${type}/get`, { ids, ...more }).result;
  };

  const settleSuspects = <R extends { readonly id: Id }>(type: TypeName, records: Map<Id, R>, response: GetResponse<R> | undefined): void => {
    if (!response) return;
    for (const id of response.notFound) {
      records.delete(id);
      suspects[type].delete(id);
    }
    keep(type, records, response);
  };

  /** Reads what changed. @returns whether there may be more. */
  const readChanges = async (): Promise<boolean> => {
    const since = (type: TypeName) => ({ sinceState: states.get(type), maxChanges });
    const mailboxChanges = call<ChangesResponse>('Mailbox/changes', since('Mailbox'));
    const newMailboxes = call<GetResponse<Mailbox>>('Mailbox/get', { '#ids': mailboxChanges.ref('/created') });
    const otherMailboxes = call<GetResponse<Mailbox>>('Mailbox/get', { '#ids': mailboxChanges.ref('/updated') });
    const emailChanges = call<ChangesResponse>('Email/changes', since('Email'));
    const updated = call<GetResponse<Email>>('Email/get', { '#ids': emailChanges.ref('/updated'), properties: listProperties });
    const newEmails = call<GetResponse<Email>>('Email/get', { '#ids': emailChanges.ref('/created'), properties: listProperties });
    const threadChanges = call<ChangesResponse>('Thread/changes', since('Thread'));
    const updatedThreads = call<GetResponse<Thread>>('Thread/get', { '#ids': threadChanges.ref('/updated') });
    const [ofMailboxes, ofEmails, ofThreads, createdMailboxes, updatedMailboxes, updatedEmails, createdEmails, threadList, ...again] = await Promise.all([
      ...([mailboxChanges.result, emailChanges.result, threadChanges.result, newMailboxes.result, otherMailboxes.result] as const),
      ...([updated.result, newEmails.result, updatedThreads.result] as const),
      ...([readAgain<Mailbox>('Mailbox'), readAgain<Email>('Email', { properties: listProperties }), readAgain<Thread>('Thread')] as const),
    ]);
    states.set('Mailbox', ofMailboxes.newState).set('Email', ofEmails.newState).set('Thread', ofThreads.newState);
    for (const list of [createdMailboxes, updatedMailboxes]) keep('Mailbox', mailboxes, list);
    for (const list of [updatedEmails, createdEmails]) keep('Email', emails, list);
    keep('Thread', threads, threadList);
    created = [...created, ...createdEmails.list];
    for (const id of ofMailboxes.destroyed) mailboxes.delete(id);
    for (const id of ofEmails.destroyed) {
      emails.delete(id);
      bodies.delete(id);
    }
    for (const id of ofThreads.destroyed) threads.delete(id);
    const [mailboxList, emailList, otherThreads] = again;
    settleSuspects('Mailbox', mailboxes, mailboxList);
    settleSuspects('Email', emails, emailList);
    settleSuspects('Thread', threads, otherThreads);
    changed();
    return [ofMailboxes, ofEmails, ofThreads].some(({ hasMoreChanges }) => hasMoreChanges);
  };

  const refreshOnce = async (): Promise<void> => {
    // Nothing is loaded, so nothing can be old.
    if (mailboxes.size === 0 && threads.size === 0 && ![...windows.values()].some(({ window }) => window.queryState !== '')) return undefined;
    if (states.size < 3) return reload();
    try {
      // The windows are refreshed in the request of the first changes.
      const first = Promise.withResolvers<unknown>();
      first.promise.catch(() => undefined);
      const ofWindows = Promise.all([...windows.keys()].map((key) => refreshWindow(key, first.promise)));
      ofWindows.catch(() => undefined);
      for (let rounds = 1; ; rounds += 1) {
        const read = readChanges();
        first.resolve(read);
        const hasMore = await read;
        isStale ||= held > 0;
        if (held > 0 || (!hasMore && (!hasSuspects() || rounds === maxRounds))) break;
        if (rounds === maxRounds) throw new MethodError('cannotCalculateChanges', undefined);
      }
      await ofWindows;
    } catch (error) {
      if (!(error instanceof MethodError)) throw error;
      await reload();
    }
    return undefined;
  };

  const changes = createChanges({
    call,
    wait,
    maxObjectsInSet,
    isKnown: (id) => emails.has(id),
    keepEmails: (response) => keep('Email', emails, response),
    keepMailboxes: (response) => keep('Mailbox', mailboxes, response),
    onDestroyed(ids) {
      // They are in no list any more; the next refresh forgets them.
      for (const id of ids) {
        const email = emails.get(id);
        if (email) emails.set(id, { ...email, mailboxIds: {} });
      }
    },
    changed,
  });

  /** Puts off refreshes during an act. Each batch would be followed by one; one at the end brings everything up to date. */
  const holding = async <T>(act: () => Promise<T>): Promise<T> => {
    held += 1;
    try {
      return await act();
    } finally {
      held -= 1;
      if (held === 0 && isStale) void store.refresh().catch(() => undefined);
    }
  };

  const shownEmail = (id: Id): Email | undefined => {
    const email = emails.get(id);
    return email && changes.shown(email);
  };
  const results = (query: ListQuery): QueryWindow => windows.get(keyOf(query))?.window ?? emptyWindow;
  const shownList = createShownLists({ version: () => version, email: shownEmail, isChanging: changes.isChanging, results });

  if (before) windowOf(before.query).window = restore({ mailboxes, emails, threads, states }, before);

  const store: MailStore = {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    version: () => version,
    mailboxes: createShownMailboxes({ version: () => version, mailboxes, emails, pending: changes.pending }),
    email: shownEmail,
    thread: (id) => threads.get(id),
    body: (id) => bodies.get(id),
    snippets,
    list: shownList,
    isLoaded: (query) => results(query).queryState !== '',
    snapshot(query) {
      const window = results(query);
      const isCurrent = window.queryState !== '' && states.size === 3 && mailboxes.size > 0 && !isPageSuspect && !hasSuspects();
      return isCurrent ? snapshotOf({ mailboxes, emails, threads, states }, query, window, pageSize) : undefined;
    },
    async open(query) {
      await Promise.all([mailboxes.size === 0 ? readMailboxes() : undefined, query && loadPage(query, 0, pageSize)]);
    },
    async loadRange(query, from, shownTo) {
      const known = windowOf(query);
      // What is not shown any more has a place in the results yet.
      const to = shownTo + known.window.ids.length - store.list(query).ids.length;
      known.seen = { from, to };
      // An act that takes away what the list has would take the next page too. The refresh after it loads what is left.
      if (held > 0 && to > shownTo) return;
      const pages = new Set(missingRanges(known.window, from, to, pageSize).map(({ position }) => position - (position % pageSize)));
      await Promise.all(
        Array.from(pages, async (at) => {
          const key = `${keyOf(query)} ${at}`;
          if (loading.has(key)) return;
          loading.add(key);
          await loadPage(query, at, pageSize).finally(() => loading.delete(key));
        }),
      );
    },
    async loadThread(id) {
      const found = call<GetResponse<Thread>>('Thread/get', { ids: [id] });
      const members = call<GetResponse<Email>>('Email/get', { '#ids': found.ref('/list/*/emailIds'), properties: listProperties });
      const [threadList, emailList] = await Promise.all([found.result, members.result]);
      keep('Thread', threads, threadList);
      keep('Email', emails, emailList);
      changed();
    },
    loadBodies: (ids) => bodies.load(ids),
    states: () => [...states.values()].join(' '),
    isCurrent: (ofTypes) => !isStale && Object.entries(ofTypes).every(([type, state]) => new Map<string, string>(states).get(type) === state),
    async refresh() {
      isStale = true;
      if (held > 0) return undefined;
      return (refreshing ??= (async () => {
        try {
          while (isStale) {
            isStale = false;
            isPageSuspect = false;
            const made = changes.made();
            await refreshOnce().catch((error: unknown) => {
              isStale = true;
              throw error;
            });
            if (held > 0) {
              isStale = true;
              break;
            }
            changes.forget(made);
            if (made.size > 0) changed();
          }
          const found = created;
          created = [];
          if (found.length > 0) for (const listener of createdListeners) listener(found);
        } finally {
          refreshing = undefined;
        }
      })());
    },
    change: (patches) => (patches.size > maxObjectsInSet ? holding(() => changes.change(patches)) : changes.change(patches)),
    changeAll: (change) => holding(() => changeAll({ call, change: (patches) => changes.change(patches), maxObjectsInSet }, change)),
    setMailboxes: (set) => setMailboxes(call, readMailboxes, set),
    onCreated(listener) {
      createdListeners.add(listener);
    },
  };
  return store;
};
