import { reasonOf } from '../jmap/requests.ts';
import type { EmailFilter, Id } from '../jmap/types.ts';
import type { MailStore } from '../store/mail-store.ts';
import type { MassChange, MassResult } from '../store/mass-change.ts';
import { destroyed, inverseOf, type Patch } from '../store/pending-changes.ts';
import { words } from '../words/words.ts';

/** Milliseconds for which an act can be undone. */
export const undoFor = 10_000;

/** Words to the person, with what can be done about it while they are shown. */
export type Said = {
  readonly text: string;
  readonly undo?: () => void;
  /** An act that is under way: how much of it is done, and what stops it. */
  readonly progress?: { readonly done: number; readonly total: number; readonly stop: () => void };
};

type ActStore = Pick<MailStore, 'email' | 'change'>;

export type ActOnAll = {
  readonly store: ActStore & Pick<MailStore, 'changeAll'>;
  readonly filter: EmailFilter;
  readonly patchOf: MassChange['patchOf'];
  readonly prepare?: MassChange['prepare'];
  /** Undoes what was prepared, after the changes themselves are undone. */
  readonly undoPrepared?: () => Promise<unknown>;
  readonly said: (count: number) => string;
};

/** Changes of messages by a person. Each shows at once, and the last one can be undone. */
export type Acts = {
  act(store: ActStore, patches: ReadonlyMap<Id, Patch>, said: string): void;
  /** Changes all messages that match, in batches, with progress. @returns whether all were changed. */
  actOnAll(act: ActOnAll): Promise<boolean>;
  /** Says something about what is no act, so that the last act can still be undone by its key. */
  say(said: Said): void;
  /** Says what was done, and how it is undone. */
  done(said: string, undo?: () => Promise<unknown>): void;
  undo(): void;
  /** Whether an act is under way that ends with the page. */
  isBusy(): boolean;
};

export const createActs = (say: (said: Said) => void): Acts => {
  let last: { readonly undo: () => Promise<unknown>; readonly until: number } | undefined;
  let running = 0;

  const undo = (): void => {
    if (!last || Date.now() > last.until) return say({ text: words.nothingToUndo });
    const undoing = last.undo();
    last = undefined;
    say({ text: words.undone });
    undoing.catch((error: Error) => say({ text: words.refused(error.message) }));
    return undefined;
  };
  const done = (text: string, undoAct?: () => Promise<unknown>): void => {
    last = undoAct && { undo: undoAct, until: Date.now() + undoFor };
    say(undoAct ? { text, undo } : { text });
  };
  /** Changes, and says what the server refused. @returns whether all was changed. */
  const change = async (store: ActStore, patches: ReadonlyMap<Id, Patch>): Promise<boolean> => {
    running += 1;
    const refusal = await store.change(patches);
    running -= 1;
    if (refusal) say({ text: words.refused(refusal.reason) });
    return refusal === undefined;
  };

  return {
    act(store, patches, said) {
      const inverse = new Map(
        [...patches].flatMap(([id, patch]) => {
          const email = store.email(id);
          return email && patch !== destroyed ? [[id, inverseOf(email, patch)] as const] : [];
        }),
      );
      void change(store, patches);
      // Undo would bring back a part only of an act that also deleted for ever.
      done(said, inverse.size === patches.size && inverse.size > 0 ? () => change(store, inverse) : undefined);
    },
    async actOnAll({ store, filter, patchOf, prepare, undoPrepared, said }) {
      const abort = new AbortController();
      const stop = (): void => abort.abort();
      const onProgress: MassChange['onProgress'] = (count, total) => say({ text: words.working(count, total), progress: { done: count, total, stop } });
      running += 1;
      let result: MassResult;
      try {
        say({ text: words.loading, progress: { done: 0, total: 1, stop } });
        result = await store.changeAll({ filter, patchOf, prepare, signal: abort.signal, onProgress });
      } catch (error) {
        done(words.refused(reasonOf(error)));
        return false;
      } finally {
        running -= 1;
      }
      const { inverse, changed, refused, reason } = result;
      const text = refused > 0 ? `${said(changed)}. ${words.refusedSome(refused, reason ?? '')}` : said(changed);
      const undoAll = async (): Promise<unknown> => (await change(store, inverse)) && undoPrepared?.();
      done(text, inverse.size === changed && changed > 0 ? undoAll : undefined);
      return refused === 0 && !abort.signal.aborted;
    },
    say,
    done,
    undo,
    isBusy: () => running > 0,
  };
};
