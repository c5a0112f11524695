import type { Acts } from '../context/acts.ts';
import type { Email, Id, Mailbox } from '../jmap/types.ts';
import { mailboxName } from '../mailboxes/mailbox-tree.ts';
import type { MailStore } from '../store/mail-store.ts';
import type { Patch } from '../store/pending-changes.ts';
import { words } from '../words/words.ts';

/** The Emails of a command, by their ids, and the mailbox in which they are shown: a command also acts on messages that are not open. */
export type CommandTarget = { readonly emailIds: readonly Id[]; readonly mailboxId: Id | undefined };

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
  readonly acts: Acts;
  readonly goOlder: () => void;
  readonly goNewer: () => void;
  readonly openActive: () => void;
  readonly goBack: () => void;
  /** Leaves a conversation that is about to leave the list. */
  readonly goOn: () => void;
  readonly isOpen: boolean;
  readonly showMove: () => void;
  readonly showShortcuts: () => void;
};

const seen = 'keywords/$seen';
const flagged = 'keywords/$flagged';

/** Keywords that say what a person thinks of mail in a mailbox (RFC 8457 §2, the registry of IMAP keywords). */
const judgement = (role: string | null): Patch => (role === 'junk' ? { 'keywords/$junk': true, 'keywords/$notjunk': null } : {});
const acquittal: Patch = { 'keywords/$junk': null, 'keywords/$notjunk': true };

type MoveDependencies = Pick<CommandDependencies, 'store' | 'isReadOnly' | 'acts' | 'goOn'>;

const emailsOf = (store: MailStore, { emailIds }: CommandTarget): readonly Email[] => emailIds.flatMap((id) => store.email(id) ?? []);

/** The messages of a target that a move takes: those in the shown mailbox. */
const movable = (store: MailStore, target: CommandTarget): readonly Email[] =>
  emailsOf(store, target).filter(({ mailboxIds }) => target.mailboxId !== undefined && mailboxIds[target.mailboxId]);

/** Whether a person may move messages to a mailbox. */
export const mayMove = ({ store, isReadOnly }: MoveDependencies, target: CommandTarget, to: Mailbox | undefined): boolean => {
  const from = store.mailboxes().find(({ id }) => id === target.mailboxId);
  if (isReadOnly || !from || !to || from.id === to.id) return false;
  return from.myRights.mayRemoveItems && to.myRights.mayAddItems && movable(store, target).length > 0;
};

export const moveTo = ({ store, acts, goOn }: MoveDependencies, target: CommandTarget, to: Mailbox): void => {
  const from = store.mailboxes().find(({ id }) => id === target.mailboxId);
  if (!from) return;
  const keywords = from.myRights.maySetKeywords ? (from.role === 'junk' && to.role !== 'trash' ? acquittal : judgement(to.role)) : {};
  const patch: Patch = { [`mailboxIds/${from.id}`]: null, [`mailboxIds/${to.id}`]: true, ...keywords };
  const emails = movable(store, target);
  goOn();
  acts.act(new Map(emails.map(({ id }) => [id, patch])), words.moved(emails.length, mailboxName(to)));
};

/** The one table of commands, which the toolbar, the keys and the list of shortcuts read. */
export const commandsOf = (dependencies: CommandDependencies): readonly Command[] => {
  const { store, isReadOnly, acts, goOlder, goNewer, openActive, goBack, isOpen, showMove, showShortcuts } = dependencies;
  const mailboxes = store.mailboxes();
  const byRole = (role: string): Mailbox | undefined => mailboxes.find((mailbox) => mailbox.role === role);
  const unseen = (target: CommandTarget): Id[] => emailsOf(store, target).flatMap(({ id, keywords }) => (keywords['$seen'] ? [] : [id]));
  const all = (ids: readonly Id[], patch: Patch): ReadonlyMap<Id, Patch> => new Map(ids.map((id) => [id, patch]));
  const may = (target: CommandTarget, right: 'maySetSeen' | 'maySetKeywords'): boolean => {
    const emails = emailsOf(store, target);
    return !isReadOnly && emails.length > 0 && mailboxes.every(({ id, myRights }) => myRights[right] || !emails.some(({ mailboxIds }) => mailboxIds[id]));
  };
  const newest = (target: CommandTarget): Email | undefined => emailsOf(store, target).at(-1);
  const move = (id: string, label: string, keys: readonly string[], to: (target: CommandTarget) => Mailbox | undefined): Command => ({
    id,
    label,
    keys,
    isAllowed: (target) => mayMove(dependencies, target, to(target)),
    run(target) {
      const mailbox = to(target);
      if (mailbox) moveTo(dependencies, target, mailbox);
    },
  });
  const isJunk = ({ mailboxId }: CommandTarget): boolean => mailboxId !== undefined && mailboxId === byRole('junk')?.id;
  return [
    { id: 'older', label: words.older, keys: ['j', 'ArrowDown'], isAllowed: () => true, run: goOlder },
    { id: 'newer', label: words.newer, keys: ['k', 'ArrowUp'], isAllowed: () => true, run: goNewer },
    { id: 'open', label: words.open, keys: ['o', 'Enter'], isAllowed: () => true, run: openActive },
    { id: 'back', label: words.back, keys: ['u', 'Escape'], isAllowed: () => isOpen, run: goBack },
    move('archive', words.archive, ['e'], () => byRole('archive')),
    move('delete', words.delete, ['#', 'Delete'], () => byRole('trash')),
    move('junk', words.junk, ['!'], (target) => (isJunk(target) ? undefined : byRole('junk'))),
    move('notJunk', words.notJunk, ['!'], (target) => (isJunk(target) ? byRole('inbox') : undefined)),
    { id: 'move', label: words.move, keys: ['v'], isAllowed: (target) => mailboxes.some((to) => mayMove(dependencies, target, to)), run: showMove },
    {
      id: 'flag',
      label: words.flag,
      keys: ['s'],
      isAllowed: (target) => may(target, 'maySetKeywords'),
      run(target) {
        // The newest message alone: a conversation is flagged by what came last.
        const email = newest(target);
        if (email)
          acts.act(all([email.id], { [flagged]: email.keywords['$flagged'] ? null : true }), email.keywords['$flagged'] ? words.unflagged : words.flagged);
      },
    },
    {
      id: 'read',
      label: words.markRead,
      keys: ['I'],
      isAllowed: (target) => may(target, 'maySetSeen') && unseen(target).length > 0,
      run(target) {
        const ids = unseen(target);
        acts.act(all(ids, { [seen]: true }), words.read(ids.length));
      },
    },
    {
      id: 'unread',
      label: words.markUnread,
      keys: ['U'],
      isAllowed: (target) => may(target, 'maySetSeen') && unseen(target).length === 0,
      run(target) {
        // The newest message alone: the others were read before.
        const ids = target.emailIds.slice(-1);
        acts.act(all(ids, { [seen]: null }), words.madeUnread(ids.length));
      },
    },
    { id: 'undo', label: words.undo, keys: ['z'], isAllowed: () => true, run: () => acts.undo() },
    { id: 'shortcuts', label: words.shortcuts, keys: ['?'], isAllowed: () => true, run: showShortcuts },
  ];
};
