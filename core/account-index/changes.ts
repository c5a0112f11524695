import type { Head } from '../account-log/head.ts';
import { changesOf, type LogEntry } from '../account-log/log-entry.ts';
import { maxReplay } from '../account-log/log-trim.ts';
import { parseStateString, stateString, type LogPosition } from '../account-log/records/state-string.ts';
import type { MemberKey, RecordEvent, StoredType } from '../account-log/records/stored-type.ts';
import type { Table } from '../storage/table.ts';
import type { AccountIndex } from './account-index.ts';
import type { ChangedRecord, Changes } from './account-view.ts';
import { readLog } from './open-account.ts';

/** The changes that one commit made to the records of a type, ordered by id. */
type CommitEvents = { readonly sequence: number; readonly events: readonly RecordEvent[] };

/**
 * The changes of a type's records since a state (RFC 8620 §5.2).
 * @param member the member who sees the changes. Default: the changes for all members.
 * @returns undefined when they can't be calculated: {@link eventsSince}.
 */
export const changesSince = async (
  table: Table,
  account: AccountIndex,
  typeName: string,
  oldState: string,
  maxChanges = Infinity,
  member?: MemberKey,
): Promise<Changes | undefined> => {
  const commits = await eventsSince(table, account, typeName, oldState, member);
  if (!commits) return undefined;
  const { window, end } = takeEvents(commits, Math.max(1, maxChanges));
  const folded = netChanges(window);
  const ids = (kind: Outcome) => [...folded].flatMap(([id, { outcome }]) => (outcome === kind ? [id] : []));
  return {
    oldState,
    newState: stateString(typeName, end ?? { sequence: account.head.states[typeName] ?? 0 }),
    hasMoreChanges: end !== undefined,
    created: ids('created'),
    updated: ids('updated'),
    destroyed: ids('destroyed'),
    onlyComputed: isOnlyComputed([...folded.values()]),
  };
};

/**
 * The records that changed since a state, with the properties that may have changed. A record that was created and
 * destroyed since then is omitted.
 * @returns undefined when they can't be calculated: {@link eventsSince}. A query never has a state inside a commit.
 */
export const recordsChangedSince = async (
  table: Table,
  account: AccountIndex,
  typeName: string,
  oldState: string,
  member?: MemberKey,
): Promise<readonly ChangedRecord[] | undefined> => {
  if (parseStateString(oldState)?.afterId !== undefined) return undefined;
  const commits = await eventsSince(table, account, typeName, oldState, member);
  if (!commits) return undefined;
  return [...netChanges(commits.flatMap(({ events }) => events))].flatMap(([id, { outcome, properties, groupId }]) =>
    outcome === 'nothing' ? [] : [{ id, kind: outcome, properties, groupId }],
  );
};

/**
 * The events of a type's records after a state, by commit.
 * @returns undefined when they can't be calculated: the state is of another type, newer than the account, or older than
 * the log.
 */
const eventsSince = async (
  table: Table,
  account: AccountIndex,
  typeName: string,
  oldState: string,
  member: MemberKey | undefined,
): Promise<readonly CommitEvents[] | undefined> => {
  const type = account.types.get(typeName);
  const state = parseStateString(oldState, typeName);
  const { sequence, states, lowWater } = account.head;
  const current = states[typeName] ?? 0;
  if (!type || !state || state.sequence > current || (state.afterId !== undefined && state.sequence === current)) return undefined;
  if (state.sequence === current) return [];
  const since = newestEqual(account.head, typeName, state);
  if (since.sequence < lowWater || sequence - since.sequence > maxReplay) return undefined;
  const entries = await entriesAfter(table, account, since.sequence);
  if (account.head.sequence !== sequence) return eventsSince(table, account, typeName, oldState, member);
  return entries && eventsAfter(eventsByCommit(type, entries, account, member), since);
};

/**
 * The newest log position at which the type had this state. A state names the last commit that changed the type. That
 * commit may be before the low-water mark although the type did not change since.
 */
const newestEqual = ({ lowWater, lowWaterStates }: Head, typeName: string, state: LogPosition): LogPosition => {
  const atLowWater = lowWaterStates && (lowWaterStates[typeName] ?? 0);
  return state.afterId === undefined && state.sequence < lowWater && state.sequence === atLowWater ? { sequence: lowWater } : state;
};

const isOnlyComputed = (folded: readonly NetChange[]): boolean => {
  const updated = folded.filter(({ outcome }) => outcome === 'updated');
  return updated.length > 0 && updated.every(({ onlyComputed }) => onlyComputed);
};

/** The log entries from a commit to the head. Entries that are read from the table are kept for later calls. */
const entriesAfter = async (table: Table, account: AccountIndex, sequence: number): Promise<readonly LogEntry[] | undefined> => {
  if (sequence < account.tailStart) {
    const read = await readLog(table, account.types, account.accountId, sequence);
    if (!read || read.head.lowWater > sequence) return undefined;
    account.applyCommits(read.entries, account.head);
  }
  return account.tail.slice(sequence - account.tailStart);
};

const recordEvents = (entries: readonly LogEntry[], type: StoredType): readonly (readonly RecordEvent[])[] =>
  entries.map((entry) => {
    const { created, updated, destroyed } = changesOf(entry, type);
    return [
      ...created.map(({ id }) => ({ id, kind: 'created' as const })),
      ...updated.map(({ record: { id } }) => ({ id, kind: 'updated' as const })),
      ...destroyed.map(({ id }) => ({ id, kind: 'destroyed' as const })),
    ];
  });

/** The events of the type by commit. Commits without events are omitted. */
const eventsByCommit = (type: StoredType, entries: readonly LogEntry[], account: AccountIndex, member: MemberKey | undefined): readonly CommitEvents[] => {
  const shows = ({ onlyFor }: RecordEvent) => !onlyFor || member === undefined || onlyFor.includes(member);
  const perEntry = type.events?.(entries, account) ?? recordEvents(entries, type);
  return entries.flatMap(({ sequence }, i) => {
    const events = perEntry[i]!.filter(shows).toSorted((a, b) => (a.id < b.id ? -1 : 1));
    return events.length > 0 ? [{ sequence, events }] : [];
  });
};

/** The events after a position. When it is inside the first commit, the events up to that position are removed. */
const eventsAfter = (commits: readonly CommitEvents[], { sequence, afterId }: LogPosition): readonly CommitEvents[] => {
  if (afterId === undefined) return commits;
  return commits.map((commit) => (commit.sequence === sequence + 1 ? { ...commit, events: commit.events.filter(({ id }) => id > afterId) } : commit));
};

type Outcome = 'created' | 'updated' | 'destroyed' | 'nothing';
type NetChange = Pick<RecordEvent, 'properties' | 'groupId'> & { readonly outcome: Outcome; readonly onlyComputed: boolean };

/**
 * The new outcome of a record, by its previous outcome and its next event. The outcome of a record that was destroyed
 * and created again is `updated`.
 */
const outcomes: Record<Outcome | 'unseen', Record<RecordEvent['kind'], Outcome>> = {
  unseen: { created: 'created', updated: 'updated', destroyed: 'destroyed' },
  created: { created: 'created', updated: 'created', destroyed: 'nothing' },
  updated: { created: 'updated', updated: 'updated', destroyed: 'destroyed' },
  destroyed: { created: 'updated', updated: 'updated', destroyed: 'destroyed' },
  nothing: { created: 'created', updated: 'created', destroyed: 'nothing' },
};

const nextNetChange = (before: NetChange | undefined, { kind, onlyComputed = false, properties, groupId }: RecordEvent): NetChange => ({
  outcome: outcomes[before?.outcome ?? 'unseen'][kind],
  onlyComputed: onlyComputed && (before?.onlyComputed ?? true),
  properties: before ? before.properties && properties && [...new Set([...before.properties, ...properties])] : properties,
  groupId,
});

const netChanges = (events: readonly RecordEvent[]): ReadonlyMap<string, NetChange> => {
  const folded = new Map<string, NetChange>();
  for (const event of events) folded.set(event.id, nextNetChange(folded.get(event.id), event));
  return folded;
};

/**
 * Takes the first events, with at most `maxChanges` changed ids: whole commits if at least one fits, else the first ids
 * of one commit. At least one event is always taken, so that a client makes progress.
 * @returns `end`: the position after the last event, if there are further events.
 */
const takeEvents = (commits: readonly CommitEvents[], maxChanges: number): { window: RecordEvent[]; end?: LogPosition } => {
  const window: RecordEvent[] = [];
  const folded = new Map<string, NetChange>();
  let ids = 0;
  let lastWholeCommit: LogPosition | undefined;
  for (const { sequence, events } of commits) {
    const start = window.length;
    for (const event of events) {
      const before = folded.get(event.id);
      const next = nextNetChange(before, event);
      ids += Number(next.outcome !== 'nothing') - Number(before !== undefined && before.outcome !== 'nothing');
      if (ids > maxChanges) {
        if (lastWholeCommit) return { window: window.slice(0, start), end: lastWholeCommit };
        return { window, end: { sequence: sequence - 1, afterId: window.at(-1)!.id } };
      }
      folded.set(event.id, next);
      window.push(event);
    }
    lastWholeCommit = { sequence };
  }
  return { window };
};
