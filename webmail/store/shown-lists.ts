import type { Email, Id } from '../jmap/types.ts';
import { isOutside, keyOf, type ListQuery } from './list-query.ts';
import { withEmails, withoutIds, type QueryWindow } from './query-window.ts';

export type ShownListSources = {
  readonly version: () => number;
  /** An Email as it is shown. */
  readonly email: (id: Id) => Email | undefined;
  /** Whether a change of an Email is shown that the results may lack. */
  readonly isChanging: (id: Id) => boolean;
  /** The results of a list as the server said them last. */
  readonly results: (query: ListQuery) => QueryWindow;
};

/** A list as it was shown last, and the rows that changes took from it. */
type Shown = { readonly version: number; readonly window: QueryWindow; readonly taken: Set<Id> };

/**
 * Lists as they are shown: without what left their mailboxes by a change that the results don't have yet, and with what an
 * undo brought back.
 */
export const createShownLists = ({ version, email, isChanging, results }: ShownListSources): ((query: ListQuery) => QueryWindow) => {
  const last = new Map<string, Shown>();

  /** The rows that were taken from a list and come back to it by a change that its results don't have yet. */
  const broughtBack = (query: ListQuery, ids: QueryWindow['ids'], taken: ReadonlySet<Id>): readonly Email[] => {
    const coming = [...taken].filter(isChanging).flatMap((id) => email(id) ?? []);
    const missing = coming.filter((each) => !isOutside(query, each));
    if (missing.length === 0) return [];
    const listed = new Set(ids);
    const threads = new Set(ids.map((id) => (id === undefined ? undefined : email(id)?.threadId)));
    return missing.filter(({ id, threadId }) => !listed.has(id) && !threads.has(threadId));
  };

  return (query) => {
    const key = keyOf(query);
    const before = last.get(key);
    if (before?.version === version()) return before.window;
    const taken = before?.taken ?? new Set<Id>();
    const isGone = (id: Id): boolean => {
      const known = email(id);
      const isOut = known !== undefined && isOutside(query, known);
      if (isOut) taken.add(id);
      else taken.delete(id);
      return isOut;
    };
    const rest = withoutIds(results(query), isGone);
    const window = withEmails(rest, broughtBack(query, rest.ids, taken), email);
    // A list that did not change is the same, so that nothing is shown again for it.
    const isSame =
      before?.window.queryState === window.queryState &&
      before.window.ids.length === window.ids.length &&
      before.window.ids.every((id, index) => id === window.ids[index]);
    const kept = isSame ? before.window : window;
    last.set(key, { version: version(), window: kept, taken });
    return kept;
  };
};
