import type { Email, Id, Mailbox } from '../jmap/types.ts';
import type { ListQuery } from '../store/list-query.ts';
import type { Placed } from '../store/mass-change.ts';
import type { Patch } from '../store/pending-changes.ts';
import { words } from '../words/words.ts';
import { deleteForever, isArchived, mayDeleteForever, mayMove, moveTo, type From, type MoveDependencies } from './moves.ts';
import { emailsOf, newestOf, placedEmails, type CommandTarget } from './targets.ts';

export type Command = {
  readonly id: string;
  readonly label: string;
  /** Keys as `KeyboardEvent.key`, in the notation of `?`. Keys with a space between them are pressed one after the other. */
  readonly keys: readonly string[];
  isAllowed(target: CommandTarget): boolean;
  run(target: CommandTarget): void;
};

/** Which rows of the list are ticked: all of them, none, or those that are read, unread or flagged. */
export type Ticks = 'all' | 'none' | 'read' | 'unread' | 'flagged';

export type CommandDependencies = MoveDependencies & {
  readonly goOlder: () => void;
  readonly goNewer: () => void;
  readonly goToMailbox: (mailboxId: Id) => void;
  readonly openActive: () => void;
  readonly goBack: () => void;
  readonly tickActive: () => void;
  readonly tick: (ticks: Ticks) => void;
  /** Whether a conversation or a search is open, or rows are ticked, which "back" leaves. */
  readonly canGoBack: boolean;
  readonly showMove: (target: CommandTarget) => void;
  readonly showLabels: (target: CommandTarget) => void;
  readonly showShortcuts: () => void;
  readonly hasSettings: boolean;
  readonly showSettings: () => void;
  readonly focusSearch: () => void;
  readonly findMail: (text: string) => void;
  /** Runs something after the person said yes. */
  readonly confirm: (question: string, yes: string, run: () => void) => void;
};

const seen = 'keywords/$seen';
const flagged = 'keywords/$flagged';

type Right = 'maySetSeen' | 'maySetKeywords';

/** Whether a person may set keywords of a target. */
const may = ({ store, isReadOnly }: CommandDependencies, target: CommandTarget, right: Right): boolean => {
  if (isReadOnly) return false;
  const mailboxes = store.mailboxes();
  if (target.all) return mailboxes.every(({ id, myRights }) => myRights[right] || (target.mailboxId !== undefined && id !== target.mailboxId));
  const emails = emailsOf(store, target);
  return emails.length > 0 && mailboxes.every(({ id, myRights }) => myRights[right] || !emails.some(({ mailboxIds }) => mailboxIds[id]));
};

/** Changes the Emails of a target that need it: the chosen ones of its conversations, or all that its list has. */
export const patchEmails = (
  { store, acts }: Pick<CommandDependencies, 'store' | 'acts'>,
  target: CommandTarget,
  choose: readonly Email[],
  patchOf: (email: Placed) => Patch | undefined,
  said: (count: number) => string,
): void => {
  if (target.all) {
    void acts.actOnAll({ store, filter: target.all.filter, patchOf, said });
    return;
  }
  const patches = new Map<Id, Patch>();
  for (const email of choose) {
    const patch = patchOf(email);
    if (patch) patches.set(email.id, patch);
  }
  acts.act(store, patches, said(patches.size));
};

const movesOf = (dependencies: CommandDependencies): readonly Command[] => {
  const { store, goNewer, goOlder, confirm, showMove } = dependencies;
  const mailboxes = store.mailboxes();
  const byRole = (role: string): Mailbox | undefined => mailboxes.find((mailbox) => mailbox.role === role);
  const roleOf = (mailboxId: Id | undefined): string | null => mailboxes.find(({ id }) => id === mailboxId)?.role ?? null;
  const isJunk = (target: CommandTarget): boolean =>
    target.all ? roleOf(target.mailboxId) === 'junk' : placedEmails(store, target).every(({ from }) => from.role === 'junk');
  type Move = { readonly isFrom?: From; readonly after?: () => void };
  const move = (
    id: string,
    label: string,
    keys: readonly string[],
    to: (target: CommandTarget) => Mailbox | undefined,
    { isFrom, after }: Move = {},
  ): Command => ({
    id,
    label,
    keys,
    isAllowed: (target) => mayMove(dependencies, target, to(target), isFrom),
    run(target) {
      const mailbox = to(target);
      if (!mailbox) return;
      after?.();
      moveTo(dependencies, target, mailbox, isFrom);
    },
  });
  const countOf = (target: CommandTarget): number | undefined => (target.all ? undefined : placedEmails(store, target).length);
  const forever = (id: string, label: string, keys: readonly string[], widen: (target: CommandTarget) => CommandTarget): Command => ({
    id,
    label,
    keys,
    isAllowed: (target) => mayDeleteForever(dependencies, widen(target)) && (widen(target).all !== undefined || placedEmails(store, target).length > 0),
    run(target) {
      confirm(words.askForever(countOf(widen(target))), words.deleteForever, () => deleteForever(dependencies, widen(target)));
    },
  });
  const everything = (target: CommandTarget): CommandTarget => {
    const isFull = mailboxes.some(({ id, totalEmails }) => id === target.mailboxId && totalEmails > 0);
    const all: ListQuery | undefined = isFull && target.mailboxId !== undefined ? { filter: { inMailbox: target.mailboxId } } : undefined;
    return { mailboxId: target.mailboxId, conversations: [], all };
  };
  const toArchive = (): Mailbox | undefined => byRole('archive');
  return [
    move('archive', words.archive, ['e'], toArchive, { isFrom: isArchived }),
    move('archiveAndNewer', words.archiveAndNewer, [']'], toArchive, { isFrom: isArchived, after: goNewer }),
    move('archiveAndOlder', words.archiveAndOlder, ['['], toArchive, { isFrom: isArchived, after: goOlder }),
    move('delete', words.delete, ['#', 'Delete'], () => byRole('trash')),
    forever('deleteForever', words.deleteForever, ['#', 'Delete'], (target) =>
      roleOf(target.mailboxId) === 'trash' ? target : { ...target, mailboxId: undefined },
    ),
    forever('empty', words.empty, [], everything),
    move('junk', words.junk, ['!'], (target) => (isJunk(target) ? undefined : byRole('junk'))),
    move('notJunk', words.notJunk, ['!'], (target) => (isJunk(target) ? byRole('inbox') : undefined)),
    { id: 'move', label: words.move, keys: ['v'], isAllowed: (target) => mailboxes.some((to) => mayMove(dependencies, target, to)), run: showMove },
  ];
};

const keywordsOf = (dependencies: CommandDependencies): readonly Command[] => {
  const { store, showLabels } = dependencies;
  const unseen = (target: CommandTarget): readonly Email[] => emailsOf(store, target).filter(({ keywords }) => !keywords['$seen']);
  return [
    {
      id: 'flag',
      label: words.flag,
      keys: ['s'],
      isAllowed: (target) => may(dependencies, target, 'maySetKeywords'),
      run(target) {
        // The newest message of a conversation alone: a conversation is flagged by what came last.
        const newest = newestOf(store, target);
        const isOn = newest.length === 0 || newest.some(({ keywords }) => !keywords['$flagged']);
        const said = (count: number): string => (isOn ? words.flagged(count) : words.unflagged(count));
        patchEmails(dependencies, target, newest, ({ keywords }) => ((keywords['$flagged'] ?? false) === isOn ? undefined : { [flagged]: isOn || null }), said);
      },
    },
    { id: 'label', label: words.label, keys: ['l'], isAllowed: (target) => may(dependencies, target, 'maySetKeywords'), run: showLabels },
    {
      id: 'read',
      label: words.markRead,
      keys: ['I'],
      isAllowed: (target) => may(dependencies, target, 'maySetSeen') && (target.all !== undefined || unseen(target).length > 0),
      run(target) {
        patchEmails(dependencies, target, unseen(target), ({ keywords }) => (keywords['$seen'] ? undefined : { [seen]: true }), words.read);
      },
    },
    {
      id: 'unread',
      label: words.markUnread,
      keys: ['U'],
      isAllowed: (target) =>
        may(dependencies, target, 'maySetSeen') && (target.all !== undefined || newestOf(store, target).some(({ keywords }) => keywords['$seen'])),
      run(target) {
        // The newest message of a conversation alone: the others were read before.
        patchEmails(dependencies, target, newestOf(store, target), ({ keywords }) => (keywords['$seen'] ? { [seen]: null } : undefined), words.madeUnread);
      },
    },
  ];
};

const ways = (dependencies: CommandDependencies): readonly Command[] => {
  const { store, goToMailbox, canGoBack, tickActive, tick } = dependencies;
  const always = (id: string, label: string, keys: readonly string[], run: () => void): Command => ({ id, label, keys, isAllowed: () => true, run });
  const place = (role: string, key: string, label: string): Command => {
    const mailbox = store.mailboxes().find((each) => each.role === role);
    return { id: `go ${role}`, label, keys: [`g ${key}`], isAllowed: () => mailbox !== undefined, run: () => mailbox && goToMailbox(mailbox.id) };
  };
  return [
    always('older', words.older, ['j', 'ArrowDown'], dependencies.goOlder),
    always('newer', words.newer, ['k', 'ArrowUp'], dependencies.goNewer),
    always('open', words.open, ['o', 'Enter'], dependencies.openActive),
    { id: 'back', label: words.back, keys: ['u', 'Escape'], isAllowed: () => canGoBack, run: dependencies.goBack },
    always('find', words.find, ['/'], dependencies.focusSearch),
    always('tick', words.tick, ['x'], tickActive),
    always('tickAll', words.tickAll, ['* a'], () => tick('all')),
    always('tickNone', words.tickNone, ['* n'], () => tick('none')),
    always('tickRead', words.tickRead, ['* r'], () => tick('read')),
    always('tickUnread', words.tickUnread, ['* u'], () => tick('unread')),
    always('tickFlagged', words.tickFlagged, ['* s'], () => tick('flagged')),
    place('inbox', 'i', words.goInbox),
    place('sent', 't', words.goSent),
    place('drafts', 'd', words.goDrafts),
    place('archive', 'a', words.goArchive),
    always('goFlagged', words.goFlagged, ['g s'], () => dependencies.findMail('is:flagged')),
  ];
};

/** The one table of commands, which toolbars, menus, keys and the list of shortcuts read. */
export const commandsOf = (dependencies: CommandDependencies): readonly Command[] => [
  ...ways(dependencies),
  ...movesOf(dependencies),
  ...keywordsOf(dependencies),
  { id: 'undo', label: words.undo, keys: ['z'], isAllowed: () => true, run: () => dependencies.acts.undo() },
  { id: 'settings', label: words.settings, keys: [','], isAllowed: () => dependencies.hasSettings, run: dependencies.showSettings },
  { id: 'shortcuts', label: words.shortcuts, keys: ['?'], isAllowed: () => true, run: dependencies.showShortcuts },
];
