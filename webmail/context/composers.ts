import type { BodyPart, Email, Id } from '../jmap/types.ts';

/** How a message comes from another one. `forwardAsAttachment` has it whole as a file. */
export type OriginalUse = 'reply' | 'replyAll' | 'forward' | 'forwardAsAttachment';

/** A message that a person wants to write. `restored` is a draft that this device kept. */
export type ComposeRequest =
  | { readonly kind: 'new'; readonly to?: string }
  | { readonly kind: OriginalUse | 'continue'; readonly emailId: Id }
  | { readonly kind: 'editAsNew'; readonly emailId: Id; readonly to?: readonly string[] }
  | { readonly kind: 'restored'; readonly messageId: string };

/** A message that a person wants to send on as it is. */
export type RedirectRequest = { readonly kind: 'redirect'; readonly emailId: Id };

/** A message that is being written, or sent on. */
export type OpenComposer = {
  readonly key: number;
  readonly accountId: Id;
  readonly request: ComposeRequest | RedirectRequest;
  /** The Email of the saved draft. */
  readonly emailId?: Id | undefined;
};

/** The type of a drag of such a file, which has no data: any page could write it. */
export const messageFileDrag = 'application/x-message-file';

/** A file of a message that is read, or the whole message, to be attached to one that is written. */
export type MessageFile = { readonly accountId: Id } & ({ readonly part: BodyPart } | { readonly email: Email });

/** The messages that are being written in this tab. They remain while a person goes on reading. */
export type Composers = {
  readonly all: () => readonly OpenComposer[];
  readonly subscribe: (listener: () => void) => () => void;
  open(accountId: Id, request: ComposeRequest | RedirectRequest): void;
  /** Says which Email a draft is, so that it is not opened twice, and is found where an earlier one is shown. */
  setSaved(key: number, emailId: Id): void;
  close(key: number): void;
  /** Gives a composer the files of messages that are attached, until the returned function is called. */
  takeFiles(key: number, take: (file: MessageFile) => void): () => void;
  /** Whether there is a composer that takes files. */
  readonly takesFiles: () => boolean;
  /** Says in which composer the person writes. */
  setCurrent(key: number): void;
  /** Attaches to the message in which the person wrote last. */
  attach(file: MessageFile): void;
  /** Says which file the person drags. */
  drag(file: MessageFile | undefined): void;
  readonly dragged: () => MessageFile | undefined;
};

export const createComposers = (): Composers => {
  let open: readonly OpenComposer[] = [];
  let count = 0;
  let current = 0;
  let dragged: MessageFile | undefined;
  // A list may show a draft that a save has replaced since.
  const replaced = new Map<Id, Id>();
  const latest = (emailId: Id): Id => {
    const next = replaced.get(emailId);
    return next === undefined ? emailId : latest(next);
  };
  const takers = new Map<number, (file: MessageFile) => void>();
  const listeners = new Set<() => void>();
  const set = (next: readonly OpenComposer[]): void => {
    open = next;
    for (const listener of listeners) listener();
  };
  return {
    all: () => open,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    open(accountId, asked) {
      count += 1;
      const request = asked.kind === 'continue' ? { ...asked, emailId: latest(asked.emailId) } : asked;
      const emailId = request.kind === 'continue' ? request.emailId : undefined;
      const isOpen = emailId !== undefined && open.some((each) => each.emailId === emailId);
      if (!isOpen) set([...open, { key: count, accountId, request, emailId }]);
    },
    setSaved(key, emailId) {
      const saved = open.find((each) => each.key === key);
      if (!saved || saved.emailId === emailId) return;
      replaced.delete(emailId);
      if (saved.emailId !== undefined) replaced.set(saved.emailId, emailId);
      set(open.map((each) => (each === saved ? { ...each, emailId } : each)));
    },
    close(key) {
      set(open.filter((each) => each.key !== key));
    },
    takeFiles(key, take) {
      takers.set(key, take);
      set([...open]);
      return () => {
        takers.delete(key);
        set([...open]);
      };
    },
    takesFiles: () => takers.size > 0,
    setCurrent(key) {
      current = key;
    },
    attach(file) {
      (takers.get(current) ?? [...takers.values()].at(-1))?.(file);
    },
    drag(file) {
      dragged = file;
    },
    dragged: () => dragged,
  };
};
