import type { MailAccount, MailContext } from '../context/mail-context.ts';
import type { Id, Mailbox } from '../jmap/types.ts';
import { mailboxName } from '../mailboxes/mailbox-tree.ts';
import type { Placed } from '../store/mass-change.ts';
import { destroyed, inverseOf, type Patch } from '../store/pending-changes.ts';
import { words } from '../words/words.ts';
import { mayMove, moveTo, placeOf, sources, type MoveDependencies } from './moves.ts';
import { placedEmails, type CommandTarget } from './targets.ts';

export type MoveToAccountDependencies = MoveDependencies & { readonly account: MailAccount; readonly copy: MailContext['copy'] };

/** Whether a person may move messages to a mailbox of any account. */
export const mayMoveTo = (dependencies: MoveToAccountDependencies, target: CommandTarget, to: Mailbox, account: MailAccount): boolean =>
  account.id === dependencies.account.id
    ? mayMove(dependencies, target, to)
    : !dependencies.isReadOnly &&
      !account.isReadOnly &&
      to.myRights.mayAddItems &&
      sources(dependencies.store, target).some(({ myRights }) => myRights.mayRemoveItems);

const moveAway = async (
  { store, acts, goOn, account, copy }: MoveToAccountDependencies,
  target: CommandTarget,
  to: Mailbox,
  other: MailAccount,
): Promise<void> => {
  const trash = store.mailboxes().find(({ role, myRights }) => role === 'trash' && myRights.mayAddItems);
  /** The original goes to Trash, unless it is in another mailbox too. */
  const patchOf = ({ mailboxIds }: Placed, from: Mailbox): Patch => {
    const away = { [`mailboxIds/${from.id}`]: null };
    if (Object.keys(mailboxIds).length > 1) return away;
    return trash && trash.id !== from.id ? { ...away, [`mailboxIds/${trash.id}`]: true } : destroyed;
  };
  const copies = new Map<Id, Id>();
  const makeCopies = async (emails: readonly Placed[]) => {
    const made = await copy({ fromAccountId: account.id, accountId: other.id, mailboxId: to.id, emails });
    for (const [original, id] of made.copies) copies.set(original, id);
    return { ids: new Set(made.copies.keys()), reason: made.reason };
  };
  const removeCopies = (): Promise<unknown> => other.store.change(new Map([...copies.values()].map((id) => [id, destroyed])));
  const said = (count: number): string => words.moved(count, `${mailboxName(to)} (${other.name})`);
  goOn(target);
  if (target.all) {
    const place = placeOf(store, target);
    const patchAt = (email: Placed): Patch | undefined => {
      const from = place(email);
      return from?.myRights.mayRemoveItems ? patchOf(email, from) : undefined;
    };
    await acts.actOnAll({ store, filter: target.all.filter, patchOf: patchAt, prepare: makeCopies, undoPrepared: removeCopies, said });
    return other.store.refresh().catch(() => undefined);
  }
  const placed = placedEmails(store, target).filter(({ from }) => from.myRights.mayRemoveItems);
  acts.done(words.moving(placed.length, mailboxName(to)));
  const { ids, reason } = await makeCopies(placed.map(({ email }) => email));
  const moved = placed.filter(({ email }) => ids.has(email.id));
  const patches = new Map(moved.map(({ email, from }) => [email.id, patchOf(email, from)]));
  const inverse = new Map(moved.map(({ email, from }) => [email.id, inverseOf(email, patchOf(email, from))]));
  void other.store.refresh().catch(() => undefined);
  const refusal = await store.change(patches);
  const problem = reason ?? refusal?.reason;
  const undo = async (): Promise<unknown> => {
    const back = await store.change(inverse);
    return back ? acts.done(words.refused(back.reason)) : removeCopies();
  };
  const canUndo = moved.length > 0 && [...patches.values()].every((patch) => patch !== destroyed);
  acts.done(problem === undefined ? said(moved.length) : `${said(moved.length)}. ${words.refused(problem)}`, canUndo ? undo : undefined);
  return undefined;
};

/** Moves messages to a mailbox of any account. To another account, it copies them, and moves the originals to Trash. */
export const moveToAny = (dependencies: MoveToAccountDependencies, target: CommandTarget, to: Mailbox, account: MailAccount): void => {
  if (account.id === dependencies.account.id) moveTo(dependencies, target, to);
  else void moveAway(dependencies, target, to, account);
};
