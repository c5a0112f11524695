import type { Id } from '../jmap/types.ts';

/** How a message comes from another one. `forwardAsAttachment` has it whole as a file. */
export type OriginalUse = 'reply' | 'replyAll' | 'forward' | 'forwardAsAttachment';

/** A message that a person wants to write. `restored` is a draft that this device kept. */
export type ComposeRequest =
  | { readonly kind: 'new'; readonly to?: string }
  | { readonly kind: OriginalUse | 'continue'; readonly emailId: Id }
  | { readonly kind: 'editAsNew'; readonly emailId: Id; readonly to?: readonly string[] }
  | { readonly kind: 'restored'; readonly messageId: string };

/** A message that is being written. */
export type OpenComposer = {
  readonly key: number;
  readonly accountId: Id;
  readonly request: ComposeRequest;
  /** The Email of the saved draft. */
  readonly emailId?: Id | undefined;
};

/** The messages that are being written in this tab. They remain while a person goes on reading. */
export type Composers = {
  readonly all: () => readonly OpenComposer[];
  readonly subscribe: (listener: () => void) => () => void;
  open(accountId: Id, request: ComposeRequest): void;
  /** Says which Email a draft is, so that it is not opened twice. */
  setSaved(key: number, emailId: Id): void;
  close(key: number): void;
};

export const createComposers = (): Composers => {
  let open: readonly OpenComposer[] = [];
  let count = 0;
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
    open(accountId, request) {
      count += 1;
      const emailId = request.kind === 'continue' ? request.emailId : undefined;
      const isOpen = emailId !== undefined && open.some((each) => each.emailId === emailId);
      if (!isOpen) set([...open, { key: count, accountId, request, emailId }]);
    },
    setSaved(key, emailId) {
      if (open.some((each) => each.key === key && each.emailId !== emailId)) set(open.map((each) => (each.key === key ? { ...each, emailId } : each)));
    },
    close(key) {
      set(open.filter((each) => each.key !== key));
    },
  };
};
