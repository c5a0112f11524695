import { ModalDialog } from '../dialogs/modal-dialog.tsx';
import type { Mailbox } from '../jmap/types.ts';
import { mailboxName, mailboxTree } from '../mailboxes/mailbox-tree.ts';
import { words } from '../words/words.ts';

export type MoveDialogProps = {
  readonly mailboxes: readonly Mailbox[];
  readonly isAllowed: (mailbox: Mailbox) => boolean;
  readonly onChoose: (mailbox: Mailbox) => void;
  readonly onClose: () => void;
};

/** Asks for the mailbox to which messages are moved. */
export const MoveDialog = ({ mailboxes, isAllowed, onChoose, onClose }: MoveDialogProps) => (
  <ModalDialog label={words.moveTo} onClose={onClose}>
    {(close) => (
      <>
        <h2>{words.moveTo}</h2>
        <ul className="choices">
          {mailboxTree(mailboxes).map(({ mailbox, depth }) => (
            <li key={mailbox.id} style={{ paddingInlineStart: `${Math.min(depth, 8)}rem` }}>
              <button
                type="button"
                disabled={!isAllowed(mailbox)}
                onClick={() => {
                  close();
                  onChoose(mailbox);
                }}
              >
                <bdi>{mailboxName(mailbox)}</bdi>
              </button>
            </li>
          ))}
        </ul>
        <button type="button" onClick={close}>
          {words.close}
        </button>
      </>
    )}
  </ModalDialog>
);
