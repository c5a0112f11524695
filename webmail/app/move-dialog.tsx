import type { MailAccount } from '../context/mail-context.ts';
import { ModalDialog } from '../dialogs/modal-dialog.tsx';
import type { Mailbox } from '../jmap/types.ts';
import { mailboxName, mailboxTree } from '../mailboxes/mailbox-tree.ts';
import { words } from '../words/words.ts';

export type MoveDialogProps = {
  /** The account of the messages first. */
  readonly accounts: readonly MailAccount[];
  readonly isAllowed: (mailbox: Mailbox, account: MailAccount) => boolean;
  readonly onChoose: (mailbox: Mailbox, account: MailAccount) => void;
  readonly onClose: () => void;
};

/** Asks for the mailbox to which messages are moved. */
export const MoveDialog = ({ accounts, isAllowed, onChoose, onClose }: MoveDialogProps) => (
  <ModalDialog label={words.moveTo} onClose={onClose}>
    {(close) => (
      <>
        <h2>{words.moveTo}</h2>
        {accounts
          .filter((account, index) => index === 0 || account.store.mailboxes().some((mailbox) => isAllowed(mailbox, account)))
          .map((account, index) => (
            <section key={account.id} aria-label={account.name}>
              {index > 0 && (
                <h3>
                  <bdi>{account.name}</bdi>
                </h3>
              )}
              <ul className="choices">
                {mailboxTree(account.store.mailboxes()).map(({ mailbox, depth }) => (
                  <li key={mailbox.id} style={{ paddingInlineStart: `${Math.min(depth, 8)}rem` }}>
                    <button
                      type="button"
                      disabled={!isAllowed(mailbox, account)}
                      onClick={() => {
                        close();
                        onChoose(mailbox, account);
                      }}
                    >
                      <bdi>{mailboxName(mailbox)}</bdi>
                    </button>
                  </li>
                ))}
              </ul>
            </section>
          ))}
        <button type="button" onClick={close}>
          {words.close}
        </button>
      </>
    )}
  </ModalDialog>
);
