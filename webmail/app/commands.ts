import type { Id } from '../jmap/types.ts';
import type { MailStore } from '../store/mail-store.ts';
import type { Patch } from '../store/pending-changes.ts';
import { words } from '../words/words.ts';

/** The Emails of a command, by their ids: a command also acts on messages that are not open. */
export type CommandTarget = { readonly emailIds: readonly Id[] };

export type Command = {
  readonly id: string;
  readonly label: string;
  /** Keys as `KeyboardEvent.key`, in the notation of `?`. */
  readonly keys: readonly string[];
  isAllowed(target: CommandTarget): boolean;
  run(target: CommandTarget): void;
};

export type CommandDependencies = {
  readonly store: MailStore;
  readonly isReadOnly: boolean;
  readonly say: (text: string) => void;
  readonly goOlder: () => void;
  readonly goNewer: () => void;
  readonly openActive: () => void;
  readonly goBack: () => void;
  readonly isOpen: boolean;
  readonly showShortcuts: () => void;
};

const seen = 'keywords/$seen';

/** The one table of commands, which the toolbar, the keys and the list of shortcuts read. */
export const commandsOf = (dependencies: CommandDependencies): readonly Command[] => {
  const { store, isReadOnly, say, goOlder, goNewer, openActive, goBack, isOpen, showShortcuts } = dependencies;
  const emails = ({ emailIds }: CommandTarget) => emailIds.flatMap((id) => store.email(id) ?? []);
  const unseen = (target: CommandTarget): Id[] => emails(target).flatMap(({ id, keywords }) => (keywords['$seen'] ? [] : [id]));
  const change = (ids: readonly Id[], patch: Patch): void => void store.change(new Map(ids.map((id) => [id, patch])));
  const mayMark = (target: CommandTarget): boolean =>
    !isReadOnly &&
    emails(target).length > 0 &&
    store.mailboxes().every(({ id, myRights }) => myRights.maySetSeen || !emails(target).some(({ mailboxIds }) => mailboxIds[id]));
  return [
    { id: 'older', label: words.older, keys: ['j', 'ArrowDown'], isAllowed: () => true, run: goOlder },
    { id: 'newer', label: words.newer, keys: ['k', 'ArrowUp'], isAllowed: () => true, run: goNewer },
    { id: 'open', label: words.open, keys: ['o', 'Enter'], isAllowed: () => true, run: openActive },
    { id: 'back', label: words.back, keys: ['u', 'Escape'], isAllowed: () => isOpen, run: goBack },
    {
      id: 'read',
      label: words.markRead,
      keys: ['I'],
      isAllowed: (target) => mayMark(target) && unseen(target).length > 0,
      run(target) {
        const ids = unseen(target);
        change(ids, { [seen]: true });
        say(words.read(ids.length));
      },
    },
    {
      id: 'unread',
      label: words.markUnread,
      keys: ['U'],
      isAllowed: (target) => mayMark(target) && unseen(target).length === 0,
      run(target) {
        // The newest message alone: the others were read before.
        const ids = target.emailIds.slice(-1);
        change(ids, { [seen]: null });
        say(words.madeUnread(ids.length));
      },
    },
    { id: 'shortcuts', label: words.shortcuts, keys: ['?'], isAllowed: () => true, run: showShortcuts },
  ];
};

/** Whether a key belongs to what has the focus: a dialog, a field, a menu, or an input method that composes. */
const isTaken = ({ target, isComposing, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  document.querySelector('dialog[open]') !== null ||
  isComposing ||
  ctrlKey ||
  metaKey ||
  altKey ||
  (target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)));

/** The command of a key. Letters are commands only while `withLetters` is set (WCAG 2.1.4). */
export const commandOf = (commands: readonly Command[], event: KeyboardEvent, withLetters: boolean): Command | undefined => {
  if (isTaken(event) || (event.key.length === 1 && event.key !== '?' && !withLetters)) return undefined;
  const isButton = event.target instanceof HTMLElement && event.target.closest('button, a, summary') !== null;
  if (isButton && event.key === 'Enter') return undefined;
  return commands.find(({ keys }) => keys.includes(event.key));
};
