import type { Id } from '../jmap/types.ts';
import type { MailStore } from '../store/mail-store.ts';
import { inverseOf, type Patch } from '../store/pending-changes.ts';
import { words } from '../words/words.ts';

/** Milliseconds for which an act can be undone. */
export const undoFor = 10_000;

/** Says something; with `undo` it can be undone while it is shown. */
export type Say = (text: string, undo?: () => void) => void;

/** Changes of messages by a person. Each shows at once, and the last one can be undone. */
export type Acts = { act(patches: ReadonlyMap<Id, Patch>, said: string): void; undo(): void };

export const createActs = (store: Pick<MailStore, 'email' | 'change'>, say: Say): Acts => {
  let last: { readonly inverse: ReadonlyMap<Id, Patch>; readonly until: number } | undefined;
  const undo = (): void => {
    if (!last || Date.now() > last.until) return say(words.nothingToUndo);
    const { inverse } = last;
    last = undefined;
    void store.change(inverse);
    return say(words.undone);
  };
  return {
    act(patches, said) {
      const inverse = [...patches].flatMap(([id, patch]) => {
        const email = store.email(id);
        return email ? [[id, inverseOf(email, patch)] as const] : [];
      });
      last = { inverse: new Map(inverse), until: Date.now() + undoFor };
      void store.change(patches);
      say(said, undo);
    },
    undo,
  };
};
