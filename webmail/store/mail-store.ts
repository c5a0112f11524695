import { callsIn, type Requests } from '../jmap/requests.ts';
import type { Email, EmailBody, Id, Mailbox, SearchSnippet, SetResponse, Thread } from '../jmap/types.ts';
import { createAccountRecords } from './account-records.ts';
import { createChanges, type Refusal } from './changes.ts';
import type { ListQuery } from './list-query.ts';
import { createListWindows, pageSize } from './list-windows.ts';
import { changeAll, type MassChange, type MassResult } from './mass-change.ts';
import { createMessageBodies } from './message-bodies.ts';
import type { Patch } from './pending-changes.ts';
import type { QueryWindow } from './query-window.ts';
import { readChanges } from './read-changes.ts';
import { createSearchSnippets, type SearchSnippets } from './search-snippets.ts';
import { setMailboxes, type MailboxSet } from './set-mailboxes.ts';
import { createShownLists } from './shown-lists.ts';
import { createShownMailboxes } from './shown-mailboxes.ts';
import { restore, snapshotOf, type Snapshot } from './snapshot.ts';
import { createStoreRefresh } from './store-refresh.ts';

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

/**
 * The mail of one account: records by their ids, windows of queries, and changes that are under way. What is shown is
 * always the server's data with the changes that the server has not confirmed.
 */
export const createMailStore = ({ accountId, requests, wait, maxObjectsInSet, before }: MailStoreDependencies): MailStore => {
  const listeners = new Set<() => void>();
  const createdListeners = new Set<(emails: readonly Email[]) => void>();
  let version = 0;

  const changed = (): void => {
    version += 1;
    for (const listener of listeners) listener();
  };

  const call = callsIn(requests, accountId);
  const bodies = createMessageBodies(call, changed);
  const snippets = createSearchSnippets(async ({ filter }, emailIds) => {
    const { list } = await call<{ readonly list: readonly SearchSnippet[] }>('SearchSnippet/get', { filter, emailIds }).result;
    return list;
  }, changed);

  const onSuspect = (): void => void refreshes.refreshSoon();
  const records = createAccountRecords({ call, changed, onSuspect });
  const { mailboxes, emails, threads, states, readMailboxes } = records;
  const lists = createListWindows({ call, getWithThreads: records.getWithThreads, changed, onSuspect, onOvertaken: () => refreshes.markStale() });
  const { results, loadPage } = lists;

  const changes = createChanges({
    call,
    wait,
    maxObjectsInSet,
    isKnown: (id) => emails.has(id),
    keepEmails: (response) => records.keep('Email', response),
    keepMailboxes: (response) => records.keep('Mailbox', response),
    onDestroyed(ids) {
      // They are in no list any more; the next refresh forgets them.
      for (const id of ids) {
        const email = emails.get(id);
        if (email) emails.set(id, { ...email, mailboxIds: {} });
      }
    },
    changed,
  });

  const refreshes = createStoreRefresh({
    wait,
    records,
    lists,
    changes,
    readChanges: () => readChanges({ call, records, bodies, changed }),
    changed,
    onCreated(created) {
      for (const listener of createdListeners) listener(created);
    },
  });

  const shownEmail = (id: Id): Email | undefined => {
    const email = emails.get(id);
    return email && changes.shown(email);
  };
  const shownList = createShownLists({ version: () => version, email: shownEmail, isChanging: changes.isChanging, results });

  if (before) lists.restore(before.query, restore(records, before));

  return {
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
      const isCurrent = window.queryState !== '' && states.size === 3 && mailboxes.size > 0 && !lists.isSuspect() && !records.hasSuspects();
      return isCurrent ? snapshotOf(records, query, window, pageSize) : undefined;
    },
    async open(query) {
      await Promise.all([mailboxes.size === 0 ? readMailboxes() : undefined, query && loadPage(query, 0, pageSize)]);
    },
    async loadRange(query, from, to) {
      // What is not shown any more has a place in the results yet.
      const hidden = results(query).ids.length - shownList(query).ids.length;
      lists.show(query, from, to + hidden);
      // An act that takes away what the list has would take the next page too. The refresh after it loads what is left.
      if (hidden > 0 && refreshes.isHeld()) return;
      await lists.loadShown(query);
    },
    loadThread: (id) => records.loadThread(id),
    loadBodies: (ids) => bodies.load(ids),
    states: () => [...states.values()].join(' '),
    isCurrent: (ofTypes) => !refreshes.isStale() && Object.entries(ofTypes).every(([type, state]) => new Map<string, string>(states).get(type) === state),
    refresh: refreshes.refresh,
    change: (patches) => (patches.size > maxObjectsInSet ? refreshes.holding(() => changes.change(patches)) : changes.change(patches)),
    changeAll: (change) => refreshes.holding(() => changeAll({ call, change: (patches) => changes.change(patches), maxObjectsInSet }, change)),
    setMailboxes: (set) => setMailboxes(call, readMailboxes, set),
    onCreated(listener) {
      createdListeners.add(listener);
    },
  };
};
