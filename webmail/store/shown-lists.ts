import type { Email, Id } from '../jmap/types.ts';
import { withoutIds, type QueryWindow } from './query-window.ts';

export type ShownListSources = {
  readonly version: () => number;
  /** An Email as it is shown. */
  readonly email: (id: Id) => Email | undefined;
  /** The results of the list of a mailbox as the server said them last. */
  readonly results: (mailboxId: Id) => QueryWindow;
};

/** Lists as they are shown: without what left the mailbox by a change that the results don't have yet. */
export const createShownLists = ({ version, email, results }: ShownListSources): ((mailboxId: Id) => QueryWindow) => {
  const last = new Map<Id, { readonly version: number; readonly window: QueryWindow }>();
  return (mailboxId) => {
    const before = last.get(mailboxId);
    if (before?.version === version()) return before.window;
    const isGone = (id: Id): boolean => {
      const known = email(id);
      return known !== undefined && !known.mailboxIds[mailboxId];
    };
    const window = withoutIds(results(mailboxId), isGone);
    // A list that did not change is the same, so that nothing is shown again for it.
    const isSame =
      before?.window.queryState === window.queryState &&
      before.window.ids.length === window.ids.length &&
      before.window.ids.every((id, index) => id === window.ids[index]);
    const kept = isSame ? before.window : window;
    last.set(mailboxId, { version: version(), window: kept });
    return kept;
  };
};
