import { reasonOf, refusalOf, ResponseLost, type CallMethod } from '../jmap/requests.ts';
import type { CreateResponse, GetResponse, Id, QueryResponse, SetResponse } from '../jmap/types.ts';
import type { Draft } from './draft.ts';

export type DraftSaverDependencies = {
  readonly call: CallMethod;
  readonly wait: (milliseconds: number) => Promise<void>;
  readonly draftsId: Id;
  readonly newMessageId: () => string;
  /** Makes the object of Email/set that creates a draft. */
  readonly toEmail: (draft: Draft) => object;
  readonly onState: (state: SaveState) => void;
};

/**
 * How far a draft is saved. `elsewhere`: somebody changed, sent or removed the saved draft, and this one is saved beside
 * what is left of it.
 */
export type SaveState = { readonly kind: 'unsaved' | 'saving' | 'saved' | 'elsewhere' } | { readonly kind: 'failed'; readonly reason: string };

/** The saved form of a draft. */
export type SavedDraft = { readonly draft: Draft; readonly emailId: Id };

/** Milliseconds between two saves at least. */
export const saveInterval = 2000;

/** Milliseconds before another try of a save that failed: the first one, and the longest. */
const [firstWait, longestWait] = [2000, 60_000];

/** The newest Emails of a mailbox among which a draft is looked for whose response was lost. */
const maxLookedAt = 50;

type Found = { readonly id: Id; readonly messageId: readonly string[] | null };

/** Finds the Emails of a mailbox that have a Message-ID. */
export const findByMessageId = async (call: CallMethod, mailboxId: Id, messageId: string): Promise<readonly Id[]> => {
  const sort = [{ property: 'receivedAt', isAscending: false }];
  const found = call<QueryResponse>('Email/query', { filter: { inMailbox: mailboxId }, sort, limit: maxLookedAt });
  const emails = call<GetResponse<Found>>('Email/get', { '#ids': found.ref('/ids'), properties: ['id', 'messageId'] });
  const [, { list }] = await Promise.all([found.result, emails.result]);
  return list.filter((email) => email.messageId?.includes(messageId)).map(({ id }) => id);
};

/** Thrown when the server refuses a draft. */
class DraftRefused extends Error {
  override readonly name = 'DraftRefused';
}

/** Makes what saves a draft as one Email at the server, in place of the one before. */
const createSavedCopy = ({ call, draftsId, toEmail }: Pick<DraftSaverDependencies, 'call' | 'draftsId' | 'toEmail'>, opened: SavedDraft | undefined) => {
  let saved = opened;
  /** Emails of this draft that are to be destroyed with the next save. */
  let superseded: readonly Id[] = [];
  let isLost = false;

  const create = async (draft: Draft, destroy: readonly Id[]) => {
    const set = await call<SetResponse>('Email/set', { create: { draft: toEmail(draft) }, ...(destroy.length > 0 && { destroy }) }).result;
    return { emailId: set.created?.['draft']?.id, refusal: set.notCreated?.['draft'], notDestroyed: set.notDestroyed ?? {} };
  };

  /** Finds what is left of a draft after a response was lost. */
  const lookAgain = async (draft: Draft): Promise<void> => {
    superseded = await findByMessageId(call, draftsId, draft.messageId);
    saved = undefined;
    isLost = false;
  };

  const replace = async (draft: Draft): Promise<{ readonly isElsewhere: boolean }> => {
    if (isLost) await lookAgain(draft);
    const before = saved;
    const destroy = [...superseded, ...(before ? [before.emailId] : [])];
    const { emailId, refusal, notDestroyed } = await create(draft, destroy);
    superseded = [];
    if (emailId === undefined) {
      saved = undefined;
      // The one before was removed with it. It fitted, so it fits again.
      const restored = before && (await create(before.draft, [])).emailId;
      if (before && restored !== undefined) saved = { draft: before.draft, emailId: restored };
      throw new DraftRefused(refusalOf(refusal));
    }
    saved = { draft, emailId };
    return { isElsewhere: before !== undefined && notDestroyed[before.emailId]?.type === 'notFound' };
  };

  return {
    saved: (): SavedDraft | undefined => saved,
    setSaved(next: SavedDraft | undefined): void {
      saved = next;
    },
    /** Saves a draft. @returns whether somebody changed, sent or removed the one before. @throws DraftRefused or ResponseLost. */
    async save(draft: Draft): Promise<{ readonly isElsewhere: boolean }> {
      try {
        return await replace(draft);
      } catch (error) {
        if (error instanceof ResponseLost) isLost = true;
        throw error;
      }
    },
    /** Removes the Emails of the draft, and finds those first whose response was lost. */
    async remove(draft: Draft | undefined): Promise<void> {
      const ids = isLost && draft ? await findByMessageId(call, draftsId, draft.messageId) : [...superseded, ...(saved ? [saved.emailId] : [])];
      if (ids.length > 0) await call<CreateResponse>('Email/set', { destroy: ids }).result;
      saved = undefined;
    },
  };
};

/** Saves a draft as a person writes it: one Email in the end, and nothing lost when a response is. */
export type DraftSaver = {
  /** Takes what was written. It is saved within {@link saveInterval}. */
  update(draft: Draft): void;
  /** Saves now what is not saved, and waits for it. @throws Error with the reason when it can't be saved. */
  flush(): Promise<SavedDraft | undefined>;
  /** The Message-ID of the draft, which becomes another one when it was changed elsewhere. Undefined before anything is written. */
  messageId(): string | undefined;
  /** The draft as the server has it. */
  saved(): SavedDraft | undefined;
  /** Takes what a request beside it has made of the draft. Undefined when the server has no draft any more. */
  setSaved(saved: SavedDraft | undefined): void;
  /** Removes the draft from the server. */
  discard(): Promise<void>;
  /** Waits for a save that is under way, and saves nothing until something is written again. */
  pause(): Promise<void>;
  /** Saves nothing any more. */
  stop(): void;
};

/** @param unsaved what is to be saved although nobody writes on it. */
export const createDraftSaver = (
  { call, wait, draftsId, newMessageId, toEmail, onState }: DraftSaverDependencies,
  opened?: SavedDraft,
  unsaved?: Draft,
): DraftSaver => {
  let current = unsaved ?? opened?.draft;
  const copy = createSavedCopy({ call, draftsId, toEmail }, opened);
  let running: Promise<void> | undefined;
  let isScheduled = false;
  let isStopped = false;
  let isPaused = false;
  let lastSave = 0;

  const isDirty = (): boolean => current !== undefined && current !== copy.saved()?.draft;

  const mayGoOn = (): boolean => !isStopped && !isPaused && isDirty();

  const saveOnce = async (): Promise<void> => {
    const draft = current!;
    const { isElsewhere } = await copy.save(draft);
    if (!isElsewhere) return onState({ kind: current === draft ? 'saved' : 'unsaved' });
    // From here on it is a draft of its own, so that neither is taken for the other.
    current = { ...current!, messageId: newMessageId() };
    return onState({ kind: 'elsewhere' });
  };

  const save = async (): Promise<void> => {
    onState({ kind: 'saving' });
    lastSave = Date.now();
    try {
      await saveOnce();
    } catch (error) {
      onState({ kind: 'failed', reason: reasonOf(error) });
      throw error;
    }
  };

  const settle = async (): Promise<void> => {
    const save = running;
    if (!save) return;
    await save.catch(() => undefined);
    await settle();
  };

  const run = (): Promise<void> =>
    (running ??= save().finally(() => {
      running = undefined;
    }));

  const saveSoon = async (): Promise<void> => {
    if (isScheduled) return;
    isScheduled = true;
    let pause = firstWait;
    while (mayGoOn()) {
      await wait(Math.max(0, lastSave + saveInterval - Date.now()));
      await settle();
      if (!mayGoOn()) break;
      try {
        await run();
        pause = firstWait;
      } catch (error) {
        // A refusal is not tried again before something else is written.
        const refused = error instanceof DraftRefused ? current : undefined;
        const isRefused = (): boolean => mayGoOn() && refused !== undefined && refused === current;
        do {
          await wait(pause);
          pause = Math.min(2 * pause, longestWait);
        } while (isRefused());
      }
    }
    isScheduled = false;
  };

  return {
    update(draft) {
      // Its Message-ID may have become another one here.
      current = { ...draft, messageId: current?.messageId ?? draft.messageId };
      isPaused = false;
      if (!running) onState({ kind: 'unsaved' });
      void saveSoon();
    },
    async flush() {
      await settle();
      while (isDirty()) await run();
      return copy.saved();
    },
    messageId: () => current?.messageId,
    saved: copy.saved,
    setSaved(next) {
      copy.setSaved(next);
      if (next) current = next.draft;
    },
    async discard() {
      isStopped = true;
      await settle();
      await copy.remove(current);
    },
    pause() {
      isPaused = true;
      return settle();
    },
    stop() {
      isStopped = true;
    },
  };
};
