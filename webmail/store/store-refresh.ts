import { MethodError } from '../jmap/requests.ts';
import type { Email } from '../jmap/types.ts';
import type { AccountRecords } from './account-records.ts';
import type { createChanges } from './changes.ts';
import type { ListWindows } from './list-windows.ts';
import type { ChangesRead } from './read-changes.ts';

export type StoreRefreshDependencies = {
  readonly wait: (milliseconds: number) => Promise<void>;
  readonly records: AccountRecords;
  readonly lists: ListWindows;
  readonly changes: Pick<ReturnType<typeof createChanges>, 'made' | 'forget'>;
  readonly readChanges: () => Promise<ChangesRead>;
  readonly changed: () => void;
  readonly onCreated: (emails: readonly Email[]) => void;
};

/** Maximum requests in which changes are read. After more, what is shown is loaded again. */
const maxRounds = 5;

/** Milliseconds until records of another state are read again, unless a push comes first. */
const suspicionDelay = 300;

/** Makes what decides when records and lists are brought up to date: one refresh at a time, and none during a mass change. */
export const createStoreRefresh = ({ wait, records, lists, changes, readChanges, changed, onCreated }: StoreRefreshDependencies) => {
  let refreshing: Promise<void> | undefined;
  let isStale = false;
  /** Changes under way that put off the refresh. */
  let held = 0;
  let isDue = false;
  let created: readonly Email[] = [];

  const reload = async (): Promise<void> => {
    await records.reload();
    await lists.reload();
  };

  const refreshOnce = async (): Promise<void> => {
    // Nothing is loaded, so nothing can be old.
    if (records.mailboxes.size === 0 && records.threads.size === 0 && !lists.isAnyLoaded()) return undefined;
    if (records.states.size < 3) return reload();
    try {
      // The lists are refreshed in the request of the first changes.
      const first = Promise.withResolvers<unknown>();
      first.promise.catch(() => undefined);
      const ofLists = lists.refresh(first.promise);
      ofLists.catch(() => undefined);
      for (let rounds = 1; ; rounds += 1) {
        const read = readChanges();
        first.resolve(read);
        const { created: found, hasMore } = await read;
        created = [...created, ...found];
        isStale ||= held > 0;
        if (held > 0 || (!hasMore && (!records.hasSuspects() || rounds === maxRounds))) break;
        if (rounds === maxRounds) throw new MethodError('cannotCalculateChanges', undefined);
      }
      await ofLists;
    } catch (error) {
      if (!(error instanceof MethodError)) throw error;
      await reload();
    }
    return undefined;
  };

  const refreshWhileStale = async (): Promise<void> => {
    try {
      while (isStale) {
        isStale = false;
        lists.forgetSuspicion();
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
      if (found.length > 0) onCreated(found);
    } finally {
      refreshing = undefined;
    }
  };

  const refresh = async (): Promise<void> => {
    isStale = true;
    if (held > 0) return undefined;
    return (refreshing ??= refreshWhileStale());
  };

  return {
    refresh,
    isStale: (): boolean => isStale,
    isHeld: (): boolean => held > 0,
    /** Notes that a refresh under way leaves something old, which it reads then once more. */
    markStale(): void {
      isStale = true;
    },
    /** Refreshes after a moment what is suspect by then. */
    async refreshSoon(): Promise<void> {
      if (isDue) return;
      isDue = true;
      await wait(suspicionDelay);
      isDue = false;
      if (lists.isSuspect() || records.hasSuspects()) await refresh().catch(() => undefined);
    },
    /** Puts off refreshes during an act. Each batch would be followed by one; one at the end brings everything up to date. */
    async holding<T>(act: () => Promise<T>): Promise<T> {
      held += 1;
      try {
        return await act();
      } finally {
        held -= 1;
        if (held === 0 && isStale) void refresh().catch(() => undefined);
      }
    },
  };
};
