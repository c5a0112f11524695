import type { Table } from '../storage/table.ts';
import type { AccountIndex } from './account-index.ts';
import { eventsOf, type EntryEvents, type Event } from './events.ts';
import type { LogEntry } from './log.ts';
import type { Changes, StoredType } from './mail-store.ts';
import { longestReplay, readLog } from './open-account.ts';
import { placeOf, stateAt, type Place } from './state-string.ts';

/**
 * What changed of a type since a state (RFC 8620 §5.2).
 * @returns undefined when that can't be told: the state is of another type, from the future, or older than the log.
 */
export const changesSince = async (table: Table, index: AccountIndex, type: StoredType, oldState: string, maxChanges = Infinity): Promise<Changes | undefined> => {
  const since = placeOf(oldState, type);
  const { sequence, states, lowWater } = index.head;
  if (!since || since.sequence > states[type] || (since.past !== undefined && since.sequence === states[type])) return undefined;
  if (since.sequence < lowWater || sequence - since.sequence > longestReplay) return undefined;
  if (since.sequence === states[type]) return { oldState, newState: oldState, hasMoreChanges: false, created: [], updated: [], destroyed: [], ...told(type, []) };
  const entries = await entriesAfter(table, index, since.sequence);
  if (index.head.sequence !== sequence) return changesSince(table, index, type, oldState, maxChanges);
  if (!entries) return undefined;
  const { window, end } = cut(withoutTold(eventsOf(type, entries, index), since), Math.max(1, maxChanges));
  const changed = fold(window);
  const ids = (kind: Outcome) => [...changed].flatMap(([id, change]) => (change.outcome === kind ? [id] : []));
  return {
    oldState,
    newState: end ? stateAt(type, end) : stateAt(type, { sequence: states[type] }),
    hasMoreChanges: end !== undefined,
    created: ids('created'),
    updated: ids('updated'),
    destroyed: ids('destroyed'),
    ...told(type, [...changed.values()]),
  };
};

const told = (type: StoredType, changed: readonly Change[]): Pick<Changes, 'onlyCounters'> => {
  const updated = changed.filter(({ outcome }) => outcome === 'updated');
  return type === 'Mailbox' ? { onlyCounters: updated.length > 0 && updated.every(({ onlyCounters }) => onlyCounters) } : {};
};

/** The log after a commit up to the index's own head: from memory, or else read. */
const entriesAfter = async (table: Table, index: AccountIndex, after: number): Promise<readonly LogEntry[] | undefined> => {
  const upTo = index.head.sequence;
  if (after >= index.tailStart) return index.tail.slice(after - index.tailStart);
  const read = await readLog(table, index.accountId, after);
  if (!read || read.head.lowWater > after) return undefined;
  return read.entries.filter(({ sequence }) => sequence <= upTo);
};

/** Leaves out what was told already, when the old state lies inside the first commit. */
const withoutTold = (commits: readonly EntryEvents[], { sequence, past }: Place): readonly EntryEvents[] => {
  if (past === undefined) return commits;
  return commits.map((commit) => (commit.sequence === sequence + 1 ? { ...commit, events: commit.events.filter(({ id }) => id > past) } : commit));
};

type Outcome = 'created' | 'updated' | 'destroyed' | 'nothing';
type Change = { readonly outcome: Outcome; readonly onlyCounters: boolean };

/** What a record's history in the window comes to, after one more event. */
const after = (before: Change | undefined, { kind, onlyCounters = false }: Event): Change => {
  const outcome = outcomes[before?.outcome ?? 'unseen'][kind];
  return { outcome, onlyCounters: onlyCounters && (before?.onlyCounters ?? true) };
};

/** By what the window came to so far, and the next event. A record that went and came back was updated. */
const outcomes: Record<Outcome | 'unseen', Record<Event['kind'], Outcome>> = {
  unseen: { created: 'created', updated: 'updated', destroyed: 'destroyed' },
  created: { created: 'created', updated: 'created', destroyed: 'nothing' },
  updated: { created: 'updated', updated: 'updated', destroyed: 'destroyed' },
  destroyed: { created: 'updated', updated: 'updated', destroyed: 'destroyed' },
  nothing: { created: 'created', updated: 'created', destroyed: 'nothing' },
};

const fold = (events: readonly Event[]): Map<string, Change> => {
  const changes = new Map<string, Change>();
  for (const event of events) changes.set(event.id, after(changes.get(event.id), event));
  return changes;
};

/**
 * As many events as come to at most `maxChanges` ids: whole commits if one fits at least, else the first ids of one. There is
 * always at least one event, so that a client gets on.
 * @returns `end`: the place after the last event, unless nothing is left.
 */
const cut = (commits: readonly EntryEvents[], maxChanges: number): { window: Event[]; end?: Place } => {
  const window: Event[] = [];
  const changes = new Map<string, Change>();
  let told = 0;
  let reached: Place | undefined;
  for (const { sequence, events } of commits) {
    const start = window.length;
    for (const event of events) {
      const before = changes.get(event.id);
      const next = after(before, event);
      told += Number(next.outcome !== 'nothing') - Number(before !== undefined && before.outcome !== 'nothing');
      if (told > maxChanges) {
        if (reached) return { window: window.slice(0, start), end: reached };
        return { window, end: { sequence: sequence - 1, past: window.at(-1)!.id } };
      }
      changes.set(event.id, next);
      window.push(event);
    }
    reached = { sequence };
  }
  return { window };
};
