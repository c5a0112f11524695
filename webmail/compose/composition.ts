import type { Acts } from '../context/acts.ts';
import type { MessageFile } from '../context/composers.ts';
import { reasonOf, type CallMethod } from '../jmap/requests.ts';
import type { Id, Identity } from '../jmap/types.ts';
import type { Uploads } from '../uploads/uploads.ts';
import { composerWords as words } from '../words/composer-words.ts';
import { longTime } from '../words/words.ts';
import { holdDraft, keepOnDevice, removeFromDevice } from './device-drafts.ts';
import { emailOf, newMessageId } from './draft-email.ts';
import { attachedPart } from './draft-parts.ts';
import { createDraftSaver, type DraftSaver, type SaveState } from './draft-saver.ts';
import type { Draft, DraftPart } from './draft.ts';
import { forgetsAttachment } from './forgotten-attachment.ts';
import {
  ChangedElsewhere,
  checkSaved,
  holdFor,
  NotSent,
  recipientsProblem,
  sendDraft,
  sendingProblem,
  undoSending,
  type SendDependencies,
  type Sent,
} from './send-draft.ts';
import type { Started } from './start-draft.ts';

/** A file that is on its way to the server, or did not get there. */
export type Upload = {
  readonly key: string;
  readonly name: string;
  readonly size: number;
  readonly sent: number;
  readonly problem: string;
  /** Brings it there. */
  readonly send: (onProgress: (sent: number) => void, signal: AbortSignal) => Promise<DraftPart>;
};

/** The state that a composer shows. */
export type Composing = {
  readonly draft: Draft;
  readonly save: SaveState;
  readonly uploads: readonly Upload[];
  readonly isSending: boolean;
  /** Whether it is sent soon, as far as that is not undone: the server holds no message. */
  readonly isHeld: boolean;
  /** The reason for which the message was not sent. */
  readonly problem: string;
  /** A question before it is sent all the same. */
  readonly question: string;
  /** Why the server refuses recipients, by their addresses in small letters. */
  readonly problems: ReadonlyMap<string, string>;
  /** Whether another tab has the draft too. */
  readonly isOpenElsewhere: boolean;
};

export type CompositionDependencies = {
  readonly call: CallMethod;
  readonly accountId: Id;
  readonly owner: string;
  readonly wait: (milliseconds: number) => Promise<void>;
  readonly identities: readonly Identity[];
  readonly draftsId: Id;
  readonly sentId: Id;
  readonly maxDelayedSend: number;
  readonly uploads: Uploads;
  /** Copies a file of an account, so that it outlives the message that it is from. */
  readonly copyPart: (accountId: Id, part: DraftPart) => Promise<DraftPart>;
  readonly acts: Acts;
  readonly refresh: () => void;
  /** Hears which Email the draft is. */
  readonly onSaved: (emailId: Id) => void;
  /** Ends the composer on the screen. */
  readonly onEnd: () => void;
  /** Opens a draft again whose sending was undone. */
  readonly reopen: (emailId: Id) => void;
};

export type Composition = {
  readonly state: () => Composing;
  readonly subscribe: (listener: () => void) => () => void;
  change(patch: Partial<Draft>): void;
  /** Uploads a file. An image in the text has a Content-ID. */
  addFile(file: File, cid?: string): void;
  /** Attaches a file of a message, or a whole message, of any account. */
  attach(file: MessageFile): void;
  /** Tries again a file that did not get there. */
  tryAgain(key: string): void;
  removeFile(key: string): void;
  removePart(part: DraftPart): void;
  /** Makes it a message in plain text, with its original below. */
  makePlain(): void;
  /**
   * @param isSure whether it is sent although something seems to be missing.
   * @param at milliseconds since 1970 at which it is sent. Default: at once, as far as it can be undone.
   */
  send(isSure: boolean, at?: number): Promise<void>;
  /** Saves the draft, and ends. @throws Error when it can't be saved. */
  close(): Promise<void>;
  discard(): Promise<void>;
  /** Ends without another word to the server, because the page ends. */
  stop(): void;
};

export const createComposition = (dependencies: CompositionDependencies, { draft, saved, isUnsaved }: Started): Composition => {
  const { call, accountId, owner, wait, identities, draftsId, copyPart, acts, refresh, onSaved, onEnd, reopen } = dependencies;
  let state: Composing = {
    draft,
    save: { kind: saved ? 'saved' : 'unsaved' },
    uploads: [],
    isSending: false,
    isHeld: false,
    problem: '',
    question: '',
    problems: new Map(),
    isOpenElsewhere: false,
  };
  let chosen: number | undefined;
  const listeners = new Set<() => void>();
  const running = new Map<string, AbortController>();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const set = (patch: Partial<Composing>): void => {
    state = { ...state, ...patch };
    for (const listener of listeners) listener();
  };
  void holdDraft(draft.messageId, ended).then((isOurs) => set({ isOpenElsewhere: !isOurs }));

  const identityOf = ({ identityId }: Draft): Identity => identities.find(({ id }) => id === identityId) ?? identities[0]!;
  const toEmail = (each: Draft): object => emailOf(each, identityOf(each), draftsId);
  const create: SendDependencies['create'] = (each, destroy) =>
    call('Email/set', { create: { message: toEmail(each) }, ...(destroy.length > 0 && { destroy }) });
  const sendDependencies: SendDependencies = { ...dependencies, create };
  const onState = (save: SaveState): void => {
    set({ save });
    const emailId = saver.saved()?.emailId;
    if (emailId !== undefined) onSaved(emailId);
    const messageId = saver.messageId();
    if (save.kind !== 'elsewhere' || messageId === undefined) return;
    // It is a draft of its own from here on.
    removeFromDevice(state.draft.messageId);
    set({ draft: { ...state.draft, messageId } });
    keepOnDevice({ owner, accountId, draft: state.draft });
  };
  const saver: DraftSaver = createDraftSaver(
    { call, wait, draftsId, newMessageId: () => newMessageId(identityOf(draft).email), toEmail, onState },
    saved,
    isUnsaved ? draft : undefined,
  );
  if (isUnsaved) saver.update(draft);

  const change = (patch: Partial<Draft>): void => {
    const next = { ...state.draft, ...patch };
    set({ draft: next, problem: '', question: '', problems: new Map() });
    keepOnDevice({ owner, accountId, draft: next });
    saver.update(next);
  };
  const finish = (): void => {
    saver.stop();
    end();
    for (const abort of running.values()) abort.abort();
    removeFromDevice(state.draft.messageId);
    onEnd();
  };

  const setUpload = (key: string, patch: Partial<Upload>): void =>
    set({ uploads: state.uploads.map((each) => (each.key === key ? { ...each, ...patch } : each)) });
  const upload = async ({ key, send }: Upload): Promise<void> => {
    const abort = new AbortController();
    running.set(key, abort);
    setUpload(key, { problem: '', sent: 0 });
    try {
      const part = await send((sent) => setUpload(key, { sent }), abort.signal);
      if (abort.signal.aborted) return;
      set({ uploads: state.uploads.filter((each) => each.key !== key) });
      change({ parts: [...state.draft.parts, part] });
    } catch (error) {
      if (!abort.signal.aborted) setUpload(key, { problem: reasonOf(error) });
    } finally {
      running.delete(key);
    }
  };

  const addUpload = (file: Pick<Upload, 'name' | 'size' | 'send'>): void => {
    const added: Upload = { ...file, key: crypto.randomUUID(), sent: 0, problem: '' };
    set({ uploads: [...state.uploads, added], problem: '' });
    void upload(added);
  };

  const objectionOfUploads = (): string | undefined => {
    if (state.uploads.length === 0) return undefined;
    return state.uploads.some(({ problem }) => problem !== '') ? words.uploadFailed : words.stillUploading;
  };

  /** Why it can't be sent, or what seems to be missing. */
  const objection = (isSure: boolean): Partial<Composing> | undefined => {
    const { draft: current } = state;
    const all = [...current.to, ...current.cc, ...current.bcc];
    const problem = recipientsProblem(all) ?? objectionOfUploads();
    if (problem !== undefined) return { problem };
    if (isSure) return undefined;
    if (forgetsAttachment(current)) return { question: words.forgotAttachment };
    return current.subject.trim() === '' ? { question: words.noSubject } : undefined;
  };

  const undo = async (sent: Sent, current: Draft): Promise<void> => {
    await undoSending(sendDependencies, sent, current);
    refresh();
    reopen(sent.emailId);
  };

  /** Holds a message where the server can't. @returns whether that was not undone. */
  const hold = async (): Promise<boolean> => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    set({ isHeld: true });
    acts.done(words.sentSoon(holdFor), async () => resolve(false));
    setTimeout(() => resolve(true), holdFor * 1000);
    void ended.then(() => resolve(false));
    const isOver = await promise;
    if (isOver) acts.done(words.sending);
    set({ isHeld: false, isSending: isOver });
    return isOver;
  };

  const refused = (error: unknown): void => {
    if (error instanceof ChangedElsewhere) return set({ isSending: false, question: words.sentElsewhere });
    if (error instanceof NotSent) saver.setSaved(error.saved);
    return set({ isSending: false, ...sendingProblem(error) });
  };

  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    change,
    addFile(file, cid) {
      const { name, size, type } = file;
      const send: Upload['send'] = async (onProgress, signal) => {
        const uploaded = await dependencies.uploads.upload({ accountId, file, type, onProgress, signal });
        return { ...uploaded, name, cid: cid ?? null };
      };
      addUpload({ name, size, send });
    },
    attach(file) {
      const part = attachedPart(file);
      if (part) addUpload({ name: part.name ?? '', size: part.size, send: () => copyPart(file.accountId, part) });
    },
    tryAgain(key) {
      const found = state.uploads.find((each) => each.key === key);
      if (found) void upload(found);
    },
    removeFile(key) {
      running.get(key)?.abort();
      set({ uploads: state.uploads.filter((each) => each.key !== key) });
    },
    removePart: (part) => change({ parts: state.draft.parts.filter((each) => each !== part) }),
    makePlain() {
      const { text, quote } = state.draft;
      change({ html: null, text: quote ? `${text}\n\n${quote.text}` : text, quote: undefined });
    },
    async send(isSure, given) {
      if (state.isSending) return;
      // A question keeps the time that was chosen.
      const at = isSure ? (given ?? chosen) : given;
      chosen = at;
      const against = objection(isSure);
      if (against) return set(against);
      const current = state.draft;
      const canHold = dependencies.maxDelayedSend >= holdFor;
      set({ isSending: true, problem: '', question: '' });
      try {
        if (!canHold && !(await hold())) return;
        await saver.pause();
        const before = saver.saved();
        if (before && !isSure) await checkSaved(call, before);
        const seconds = at === undefined ? holdFor : Math.max(holdFor, Math.ceil((at - Date.now()) / 1000));
        const sent = await sendDraft(sendDependencies, current, identityOf(current), { saved: before, seconds: canHold ? seconds : 0 });
        finish();
        refresh();
        acts.done(at === undefined ? words.sent : words.sentLater(longTime(sent.sendAt)), canHold ? () => undo(sent, current) : undefined);
      } catch (error) {
        refused(error);
        keepOnDevice({ owner, accountId, draft: current });
      }
    },
    async close() {
      // A file that is not there yet would be lost.
      if (state.uploads.length > 0) return set({ problem: objectionOfUploads() ?? '' });
      await saver.flush();
      finish();
      refresh();
    },
    async discard() {
      await saver.discard();
      finish();
      refresh();
    },
    stop() {
      saver.stop();
      end();
    },
  };
};
