import { useEffect, useRef } from 'react';
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
export const MoveDialog = ({ mailboxes, isAllowed, onChoose, onClose }: MoveDialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-label={words.moveTo} onClose={onClose}>
      <h2>{words.moveTo}</h2>
      <ul className="choices">
        {mailboxTree(mailboxes).map(({ mailbox, depth }) => (
          <li key={mailbox.id} style={{ paddingInlineStart: `${Math.min(depth, 8)}rem` }}>
            <button
              type="button"
              disabled={!isAllowed(mailbox)}
              onClick={() => {
                dialog.current?.close();
                onChoose(mailbox);
              }}
            >
              <bdi>{mailboxName(mailbox)}</bdi>
            </button>
          </li>
        ))}
      </ul>
      <button type="button" onClick={() => dialog.current?.close()}>
        {words.close}
      </button>
    </dialog>
  );
};
