import type { Email, Id, QueryChangesResponse, QueryResponse } from '../jmap/types.ts';

/** The known part of a query's results. A position whose id is not known yet is `undefined`. */
export type QueryWindow = { readonly ids: readonly (Id | undefined)[]; readonly queryState: string; readonly canCalculateChanges: boolean };

export const emptyWindow: QueryWindow = { ids: [], queryState: '', canCalculateChanges: false };

/**
 * The window as it is shown: without what is known to be in its mailbox no more, because of a change that the query's
 * results don't have yet.
 */
export const withoutIds = (window: QueryWindow, isGone: (id: Id) => boolean): QueryWindow => {
  if (!window.ids.some((id) => id !== undefined && isGone(id))) return window;
  return { ...window, ids: window.ids.filter((id) => id === undefined || !isGone(id)) };
};

/** Whether an Email stands before another one in a list: newest first, then by id, as this server sorts. */
const isBefore = (one: Email, other: Email): boolean =>
  one.receivedAt === other.receivedAt ? one.id < other.id : Date.parse(one.receivedAt) > Date.parse(other.receivedAt);

/** The window with Emails that its results lack, each behind the last one that is known to be newer. */
export const withEmails = (window: QueryWindow, emails: readonly Email[], emailOf: (id: Id) => Email | undefined): QueryWindow => {
  if (emails.length === 0) return window;
  const coming = emails.toSorted((one, other) => (isBefore(one, other) ? -1 : 1));
  const ids: (Id | undefined)[] = [];
  let behindKnown: (Id | undefined)[] = [];
  for (const id of window.ids) {
    const known = id === undefined ? undefined : emailOf(id);
    if (!known) {
      behindKnown.push(id);
      continue;
    }
    while (coming[0] && isBefore(coming[0], known)) ids.push(coming.shift()!.id);
    ids.push(...behindKnown, known.id);
    behindKnown = [];
  }
  ids.push(...coming.map(({ id }) => id), ...behindKnown);
  return { ...window, ids };
};

const resized = (ids: readonly (Id | undefined)[], total: number): (Id | undefined)[] => Array.from({ length: total }, (_, index) => ids[index]);

/** The window with a further page. A page of another state of the query replaces what was known. */
export const withPage = (window: QueryWindow, { queryState, canCalculateChanges, position, ids, total }: QueryResponse): QueryWindow => {
  const known = window.queryState === queryState ? window.ids : [];
  const next = resized(known, total ?? Math.max(known.length, position + ids.length));
  for (const [index, id] of ids.entries()) next[position + index] = id;
  return { ids: next, queryState, canCalculateChanges };
};

/**
 * The window after changes (RFC 8620 §5.6). When something was removed at a position that is not known, what is known
 * behind the first gap may have moved, and is forgotten.
 */
export const withChanges = (window: QueryWindow, { newQueryState, total, removed, added }: QueryChangesResponse): QueryWindow => {
  const gone = new Set(removed);
  const known = new Set(window.ids);
  const firstGap = window.ids.indexOf(undefined);
  const isCertain = firstGap < 0 || removed.every((id) => known.has(id));
  const kept = (isCertain ? window.ids : window.ids.slice(0, firstGap)).filter((id) => id === undefined || !gone.has(id));
  for (const { id, index } of added.toSorted((one, other) => one.index - other.index)) {
    if (index <= kept.length) kept.splice(index, 0, id);
    else kept[index] = id;
  }
  return { ...window, ids: resized(kept, total ?? kept.length), queryState: newQueryState };
};

/** The ranges in which a window lacks ids, between two positions, in pages of at most `size`. */
export const missingRanges = (
  { ids }: QueryWindow,
  from: number,
  to: number,
  size: number,
): readonly { readonly position: number; readonly limit: number }[] => {
  const ranges: { position: number; limit: number }[] = [];
  for (let position = Math.max(0, from); position < Math.min(to, ids.length); position += 1) {
    if (ids[position] !== undefined) continue;
    const last = ranges.at(-1);
    if (last && position - last.position < size) last.limit = position - last.position + 1;
    else ranges.push({ position, limit: 1 });
  }
  return ranges;
};
