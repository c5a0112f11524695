import { MethodError, type CallMethod } from '../jmap/requests.ts';
import type { QueryChangesResponse, QueryResponse } from '../jmap/types.ts';
import { maxChanges, type AccountRecords } from './account-records.ts';
import { keyOf, querySort, type ListQuery } from './list-query.ts';
import { emptyWindow, missingRanges, withChanges, withPage, type QueryWindow } from './query-window.ts';

export type ListWindowsDependencies = {
  readonly call: CallMethod;
  readonly getWithThreads: AccountRecords['getWithThreads'];
  readonly changed: () => void;
  /** Is called when a page has another state than what is known of its list. */
  readonly onSuspect: () => void;
  /** Is called when a page of another state came while the changes of its list were read. */
  readonly onOvertaken: () => void;
};

/** A list that was asked for, what is known of its results, and the positions that were shown last. */
type KnownList = { readonly query: ListQuery; window: QueryWindow; seen: { readonly from: number; readonly to: number } };

/** Lists that are kept up to date. Of an older one, the next visit loads the beginning again. */
const maxLists = 6;

/** Conversations that are loaded at once. */
export const pageSize = 50;

const queryArguments = ({ filter }: ListQuery) => ({ filter, sort: querySort, collapseThreads: true });

const pageStart = (position: number): number => position - (position % pageSize);

/** Finds or adds a list, as the last one that is forgotten. */
const visit = (lists: Map<string, KnownList>, query: ListQuery): KnownList => {
  const known = lists.get(keyOf(query)) ?? { query, window: emptyWindow, seen: { from: 0, to: pageSize } };
  lists.delete(keyOf(query));
  lists.set(keyOf(query), known);
  for (const key of lists.keys()) if (lists.size > maxLists) lists.delete(key);
  return known;
};

export type ListWindows = ReturnType<typeof createListWindows>;

/** Makes the windows of lists: the parts of their results that are loaded. */
export const createListWindows = ({ call, getWithThreads, changed, onSuspect, onOvertaken }: ListWindowsDependencies) => {
  const lists = new Map<string, KnownList>();
  const loading = new Set<string>();
  let isSuspect = false;

  /**
   * Loads a page of a list. A page of another state than what is known of the list is left out, unless it replaces that: the
   * next refresh brings the list to the state of today, and loads what is missing then.
   */
  const loadPage = async (query: ListQuery, position: number, limit: number, isReplacing = false): Promise<void> => {
    const found = call<QueryResponse>('Email/query', { ...queryArguments(query), position, limit, calculateTotal: true });
    const keepAll = getWithThreads(found, '/ids');
    const [page] = await Promise.all([found.result, keepAll()]);
    const known = visit(lists, query);
    const { queryState, canCalculateChanges } = known.window;
    const isOther = queryState !== '' && queryState !== page.queryState;
    if (!isOther || isReplacing || !canCalculateChanges) known.window = withPage(known.window, page);
    changed();
    if (isOther) {
      isSuspect = true;
      onSuspect();
    }
  };

  /** Reads what changed in a list since its window, and loads what is missing then. */
  const readQueryChanges = async (known: KnownList, records: Promise<unknown>): Promise<void> => {
    const { query, window } = known;
    const changes = call<QueryChangesResponse>('Email/queryChanges', {
      ...queryArguments(query),
      sinceQueryState: window.queryState,
      maxChanges,
      calculateTotal: true,
    });
    const keepAll = getWithThreads(changes, '/added/*/id');
    const [result] = await Promise.all([changes.result, records]);
    await keepAll();
    // The changes don't belong to a page of another state that came meanwhile.
    if (known.window.queryState !== window.queryState) return onOvertaken();
    known.window = withChanges(known.window, result);
    changed();
    const missing = missingRanges(known.window, known.seen.from, known.seen.to, pageSize);
    await Promise.all(missing.map(({ position, limit }) => loadPage(query, position, limit)));
    return undefined;
  };

  const refreshList = async (known: KnownList, records: Promise<unknown>): Promise<void> => {
    const { query, window, seen } = known;
    if (window.queryState === '') return undefined;
    const again = (): Promise<void> => loadPage(query, Math.max(0, pageStart(seen.from)), Math.max(pageSize, seen.to - seen.from), true);
    if (!window.canCalculateChanges) return again();
    try {
      await readQueryChanges(known, records);
    } catch (error) {
      if (!(error instanceof MethodError)) throw error;
      await again();
    }
    return undefined;
  };

  return {
    loadPage,
    /** The results of a list as the server said them last. */
    results: (query: ListQuery): QueryWindow => lists.get(keyOf(query))?.window ?? emptyWindow,
    isAnyLoaded: (): boolean => [...lists.values()].some(({ window }) => window.queryState !== ''),
    /** Whether a page came since the last refresh that may be older than what is known of its list. */
    isSuspect: (): boolean => isSuspect,
    forgetSuspicion(): void {
      isSuspect = false;
    },
    restore(query: ListQuery, window: QueryWindow): void {
      visit(lists, query).window = window;
    },
    /** Sets the positions of a list that are shown. */
    show(query: ListQuery, from: number, to: number): void {
      visit(lists, query).seen = { from, to };
    },
    /** Loads what a list lacks of what is shown. */
    async loadShown(query: ListQuery): Promise<void> {
      const { window, seen } = visit(lists, query);
      const pages = new Set(missingRanges(window, seen.from, seen.to, pageSize).map(({ position }) => pageStart(position)));
      await Promise.all(
        Array.from(pages, async (at) => {
          const key = `${keyOf(query)} ${at}`;
          if (loading.has(key)) return;
          loading.add(key);
          await loadPage(query, at, pageSize).finally(() => loading.delete(key));
        }),
      );
    },
    /** Brings all lists up to date. @param records resolves when the changes of records are applied, which come first. */
    refresh: (records: Promise<unknown>): Promise<unknown> => Promise.all([...lists.values()].map((known) => refreshList(known, records))),
    /** Loads again what was shown last: the normal way where changes can't be calculated. */
    async reload(): Promise<void> {
      for (const known of Array.from(lists.values())) {
        const { from, to } = known.seen;
        const at = Math.max(0, pageStart(from));
        known.window = { ...known.window, queryState: '' };
        await loadPage(known.query, at, Math.max(pageSize, to - at));
      }
    },
  };
};
