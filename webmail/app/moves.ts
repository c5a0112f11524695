import type { Acts } from '../context/acts.ts';
import type { Id, Mailbox } from '../jmap/types.ts';
import { mailboxName } from '../mailboxes/mailbox-tree.ts';
import type { MailStore } from '../store/mail-store.ts';
import type { Placed } from '../store/mass-change.ts';
import { destroyed, type Patch } from '../store/pending-changes.ts';
import { words } from '../words/words.ts';
import { placedEmails, placeIn, type CommandTarget } from './targets.ts';

export type MoveDependencies = {
  readonly store: MailStore;
  readonly isReadOnly: boolean;
  readonly acts: Acts;
  /** Leaves what is about to leave the list. */
  readonly goOn: (target: CommandTarget) => void;
};

/** Keywords that say what a person thinks of mail in a mailbox (RFC 8457 §2, the registry of IMAP keywords). */
const judgement = (role: string | null): Patch => (role === 'junk' ? { 'keywords/$junk': true, 'keywords/$notjunk': null } : {});
const acquittal: Patch = { 'keywords/$junk': null, 'keywords/$notjunk': true };

const movePatch = (from: Mailbox, to: Mailbox): Patch => ({
  [`mailboxIds/${from.id}`]: null,
  [`mailboxIds/${to.id}`]: true,
  ...(from.myRights.maySetKeywords && (from.role === 'junk' && to.role !== 'trash' ? acquittal : judgement(to.role))),
});

/** Takes an Email from a mailbox for ever. In other mailboxes it remains. */
const removal = ({ mailboxIds }: Placed, from: Mailbox): Patch => (Object.keys(mailboxIds).length > 1 ? { [`mailboxIds/${from.id}`]: null } : destroyed);

/** Finds the mailbox from which an Email of a list is moved. */
export const placeOf = (store: MailStore, { mailboxId }: CommandTarget): ((email: Placed) => Mailbox | undefined) => {
  const mailboxes = store.mailboxes();
  const shownIn = mailboxes.find(({ id }) => id === mailboxId);
  return shownIn ? () => shownIn : placeIn(mailboxes);
};

/** Mailboxes from which a target takes messages. */
export const sources = (store: MailStore, target: CommandTarget): readonly Mailbox[] => {
  if (!target.all) return placedEmails(store, target).map(({ from }) => from);
  return store.mailboxes().filter(({ id }) => target.mailboxId === undefined || id === target.mailboxId);
};

/** Whether messages of a mailbox are moved to another one. The archive takes no drafts and no copies of sent mail. */
export type From = (from: Mailbox) => boolean;
const anywhere: From = () => true;
export const isArchived: From = ({ role }) => role !== 'sent' && role !== 'drafts';

/** Whether a person may move messages to a mailbox. */
export const mayMove = ({ store, isReadOnly }: MoveDependencies, target: CommandTarget, to: Mailbox | undefined, isFrom = anywhere): boolean =>
  !isReadOnly && to?.myRights.mayAddItems === true && sources(store, target).some((from) => from.id !== to.id && from.myRights.mayRemoveItems && isFrom(from));

/** Changes the messages of a target that may leave their mailboxes. */
const takeAway = (
  { store, acts, goOn }: MoveDependencies,
  target: CommandTarget,
  patchOf: (email: Placed, from: Mailbox) => Patch | undefined,
  said: (count: number) => string,
): void => {
  const patch = (email: Placed, from: Mailbox | undefined): Patch | undefined => (from?.myRights.mayRemoveItems ? patchOf(email, from) : undefined);
  if (target.all) {
    const place = placeOf(store, target);
    goOn(target);
    void acts.actOnAll({ store, filter: target.all.filter, patchOf: (email) => patch(email, place(email)), said });
    return;
  }
  const patches = new Map<Id, Patch>();
  for (const { email, from } of placedEmails(store, target)) {
    const own = patch(email, from);
    if (own) patches.set(email.id, own);
  }
  goOn(target);
  acts.act(store, patches, said(patches.size));
};

export const moveTo = (dependencies: MoveDependencies, target: CommandTarget, to: Mailbox, isFrom = anywhere): void =>
  takeAway(
    dependencies,
    target,
    (_, from) => (from.id === to.id || !isFrom(from) ? undefined : movePatch(from, to)),
    (count) => words.moved(count, mailboxName(to)),
  );

/** Whether a person may delete messages of the shown mailbox for ever. */
export const mayDeleteForever = ({ store, isReadOnly }: MoveDependencies, { mailboxId }: CommandTarget): boolean => {
  const mailbox = store.mailboxes().find(({ id }) => id === mailboxId);
  return !isReadOnly && (mailbox?.role === 'trash' || mailbox?.role === 'junk') && mailbox.myRights.mayRemoveItems;
};

export const deleteForever = (dependencies: MoveDependencies, target: CommandTarget): void =>
  takeAway(dependencies, target, removal, (count) => words.deletedForever(count));
