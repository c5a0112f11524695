import type { MailAccount, MailContext } from '../context/mail-context.ts';
import type { Id, Mailbox } from '../jmap/types.ts';
import { mailboxName } from '../mailboxes/mailbox-tree.ts';
import { destroyed, inverseOf, type Patch } from '../store/pending-changes.ts';
import { words } from '../words/words.ts';
import { mayMove, moveTo, type MoveDependencies } from './moves.ts';
import { placedEmails, type CommandTarget, type PlacedEmail } from './targets.ts';

export type MoveToAccountDependencies = MoveDependencies & { readonly account: MailAccount; readonly copy: MailContext['copy'] };

/** Whether a person may move messages to a mailbox of any account. To another account all that match can't be moved. */
export const mayMoveTo = (dependencies: MoveToAccountDependencies, target: CommandTarget, to: Mailbox, account: MailAccount): boolean =>
  account.id === dependencies.account.id
    ? mayMove(dependencies, target, to)
    : !dependencies.isReadOnly &&
      !account.isReadOnly &&
      to.myRights.mayAddItems &&
      target.all === undefined &&
      placedEmails(dependencies.store, target).some(({ from }) => from.myRights.mayRemoveItems);

const moveAway = async (
  { store, acts, goOn, account, copy }: MoveToAccountDependencies,
  target: CommandTarget,
  to: Mailbox,
  other: MailAccount,
): Promise<void> => {
  const placed = placedEmails(store, target).filter(({ from }) => from.myRights.mayRemoveItems);
  const trash = store.mailboxes().find(({ role, myRights }) => role === 'trash' && myRights.mayAddItems);
  /** The original goes to Trash, unless it is in another mailbox too. */
  const patchOf = ({ email, from }: PlacedEmail): Patch => {
    const away = { [`mailboxIds/${from.id}`]: null };
    if (Object.keys(email.mailboxIds).length > 1) return away;
    return trash && trash.id !== from.id ? { ...away, [`mailboxIds/${trash.id}`]: true } : destroyed;
  };
  goOn(target);
  acts.done(words.moving(placed.length, mailboxName(to)));
  const { copies, reason } = await copy({ fromAccountId: account.id, accountId: other.id, mailboxId: to.id, emails: placed.map(({ email }) => email) });
  const moved = placed.filter(({ email }) => copies.has(email.id));
  const patches = new Map(moved.map((each) => [each.email.id, patchOf(each)]));
  const inverse = new Map(moved.map((each) => [each.email.id, inverseOf(each.email, patchOf(each))]));
  void other.store.refresh().catch(() => undefined);
  const refusal = await store.change(patches);
  const said = words.moved(moved.length, `${mailboxName(to)} (${other.name})`);
  const problem = reason ?? refusal?.reason;
  const undo = async (): Promise<void> => {
    const back = await store.change(inverse);
    if (back) return acts.done(words.refused(back.reason));
    await other.store.change(new Map([...copies.values()].map((id: Id) => [id, destroyed])));
    return undefined;
  };
  const canUndo = moved.length > 0 && [...patches.values()].every((patch) => patch !== destroyed);
  acts.done(problem === undefined ? said : `${said}. ${words.refused(problem)}`, canUndo ? undo : undefined);
};

/** Moves messages to a mailbox of any account. To another account, it copies them, and moves the originals to Trash. */
export const moveToAny = (dependencies: MoveToAccountDependencies, target: CommandTarget, to: Mailbox, account: MailAccount): void => {
  if (account.id === dependencies.account.id) moveTo(dependencies, target, to);
  else void moveAway(dependencies, target, to, account);
};
