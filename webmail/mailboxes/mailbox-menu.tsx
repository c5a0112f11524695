import { useState } from 'react';
import { useMail, type MailAccount } from '../context/mail-context.ts';
import { ConfirmDialog } from '../dialogs/confirm-dialog.tsx';
import { Menu, type MenuItem } from '../dialogs/menu.tsx';
import type { Id, Mailbox } from '../jmap/types.ts';
import { words } from '../words/words.ts';
import { MailboxForm } from './mailbox-form.tsx';
import { mailboxName } from './mailbox-tree.ts';
import { removalOf, removeMailbox } from './remove-mailbox.ts';

type Shown = { readonly kind: 'menu'; readonly x: number; readonly y: number } | { readonly kind: 'new' | 'change' | 'remove' };

export type MailboxMenuProps = { readonly account: MailAccount; readonly mailbox: Mailbox; readonly onRemoved: (mailboxId: Id) => void };

/** What can be done with a mailbox: a button that opens a menu, and the dialogs of its items. */
export const MailboxMenu = ({ account, mailbox, onRemoved }: MailboxMenuProps) => {
  const { acts } = useMail();
  const [shown, setShown] = useState<Shown | undefined>();
  const { store, isReadOnly } = account;
  const close = (): void => setShown(undefined);
  const { mayCreateChild, mayRename, mayDelete } = mailbox.myRights;
  const dialog = (kind: 'new' | 'change' | 'remove', label: string, isAllowed: boolean): readonly MenuItem[] =>
    isAllowed && !isReadOnly ? [{ id: kind, label, run: () => setShown({ kind }) }] : [];
  const subscribe = (isSubscribed: boolean): void => {
    store.setMailboxes({ update: { [mailbox.id]: { isSubscribed } } }).then(
      () => acts.done(isSubscribed ? words.shownAgain(mailboxName(mailbox)) : words.hidden(mailboxName(mailbox))),
      (error: Error) => acts.done(words.refused(error.message)),
    );
  };
  const hide: MenuItem = { id: 'subscribe', label: mailbox.isSubscribed ? words.hide : words.showInList, run: () => subscribe(!mailbox.isSubscribed) };
  const items = [
    ...dialog('new', words.newMailboxInside, mayCreateChild),
    ...dialog('change', words.changeMailbox, mayRename && mailbox.role === null),
    ...(mailbox.role === 'inbox' || isReadOnly ? [] : [hide]),
    ...dialog('remove', words.removeMailbox, mayDelete && mailbox.role === null),
  ];
  const removal = removalOf(store, mailbox);
  if (items.length === 0) return null;
  return (
    <>
      <button
        type="button"
        className="mailbox-menu"
        aria-haspopup="menu"
        aria-label={words.menuOf(mailboxName(mailbox))}
        onClick={({ currentTarget }) => {
          const { left, bottom } = currentTarget.getBoundingClientRect();
          setShown({ kind: 'menu', x: left, y: bottom });
        }}
      >
        ⋯
      </button>
      {shown?.kind === 'menu' && <Menu at={shown} items={items} onClose={() => setShown((before) => (before?.kind === 'menu' ? undefined : before))} />}
      {shown?.kind === 'new' && <MailboxForm store={store} mailbox={undefined} parentId={mailbox.id} onClose={close} />}
      {shown?.kind === 'change' && <MailboxForm store={store} mailbox={mailbox} parentId={null} onClose={close} />}
      {shown?.kind === 'remove' && (
        <ConfirmDialog
          question={removal.text}
          yes={words.removeMailbox}
          isPossible={removal.isPossible}
          run={() => {
            onRemoved(mailbox.id);
            void removeMailbox(store, acts, mailbox);
          }}
          onClose={close}
        />
      )}
    </>
  );
};
