import type { Acts } from '../context/acts.ts';
import { reasonOf } from '../jmap/requests.ts';
import type { Mailbox } from '../jmap/types.ts';
import type { MailStore } from '../store/mail-store.ts';
import type { Placed } from '../store/mass-change.ts';
import { destroyed, type Patch } from '../store/pending-changes.ts';
import { words } from '../words/words.ts';
import { mailboxName } from './mailbox-tree.ts';

/** Where the messages of a mailbox go that is removed: to Trash; out of Trash, and without one, they are deleted. */
const trashOf = (store: MailStore, mailbox: Mailbox): Mailbox | undefined =>
  store.mailboxes().find(({ role, id, myRights }) => role === 'trash' && id !== mailbox.id && myRights.mayAddItems);

/** Tells in words where the messages go when a mailbox is removed, and whether it can be. */
export const removalOf = (store: MailStore, mailbox: Mailbox): { readonly text: string; readonly isPossible: boolean } => {
  const name = mailboxName(mailbox);
  if (store.mailboxes().some(({ parentId }) => parentId === mailbox.id)) return { text: words.hasMailboxes(name), isPossible: false };
  const trash = trashOf(store, mailbox);
  return { text: words.askRemove(name, mailbox.totalEmails, trash && mailboxName(trash)), isPossible: true };
};

/** Moves the messages of a mailbox to Trash, and removes it when they are all gone. */
export const removeMailbox = async (store: MailStore, acts: Acts, mailbox: Mailbox): Promise<void> => {
  const trash = trashOf(store, mailbox);
  const here = `mailboxIds/${mailbox.id}`;
  const patchOf = ({ mailboxIds }: Placed): Patch => {
    if (Object.keys(mailboxIds).length > 1) return { [here]: null };
    return trash ? { [here]: null, [`mailboxIds/${trash.id}`]: true } : destroyed;
  };
  const said = words.removed(mailboxName(mailbox));
  const isEmptied = mailbox.totalEmails === 0 || (await acts.actOnAll({ store, filter: { inMailbox: mailbox.id }, patchOf, said: () => said }));
  if (!isEmptied) return;
  try {
    await store.setMailboxes({ destroy: [mailbox.id] });
    acts.done(said);
  } catch (error) {
    acts.done(words.refused(reasonOf(error)));
  }
};
