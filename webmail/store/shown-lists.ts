import type { Email, Id } from '../jmap/types.ts';
import { isOutside, keyOf, type ListQuery } from './list-query.ts';
import { withoutIds, type QueryWindow } from './query-window.ts';

export type ShownListSources = {
  readonly version: () => number;
  /** An Email as it is shown. */
  readonly email: (id: Id) => Email | undefined;
  /** The results of a list as the server said them last. */
  readonly results: (query: ListQuery) => QueryWindow;
};

/** Lists as they are shown: without what left their mailboxes by a change that the results don't have yet. */
export const createShownLists = ({ version, email, results }: ShownListSources): ((query: ListQuery) => QueryWindow) => {
  const last = new Map<string, { readonly version: number; readonly window: QueryWindow }>();
  return (query) => {
    const key = keyOf(query);
    const before = last.get(key);
    if (before?.version === version()) return before.window;
    const isGone = (id: Id): boolean => {
      const known = email(id);
      return known !== undefined && isOutside(query, known);
    };
    const window = withoutIds(results(query), isGone);
    // A list that did not change is the same, so that nothing is shown again for it.
    const isSame =
      before?.window.queryState === window.queryState &&
      before.window.ids.length === window.ids.length &&
      before.window.ids.every((id, index) => id === window.ids[index]);
    const kept = isSame ? before.window : window;
    last.set(key, { version: version(), window: kept });
    return kept;
  };
};
