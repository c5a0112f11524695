import { useState } from 'react';
import { ModalDialog } from '../dialogs/modal-dialog.tsx';
import { reasonOf } from '../jmap/requests.ts';
import type { Id, Mailbox } from '../jmap/types.ts';
import type { MailStore } from '../store/mail-store.ts';
import { words } from '../words/words.ts';
import { mailboxName, mailboxTree } from './mailbox-tree.ts';

/** Maximum characters of a name. Servers limit its octets (RFC 8621 §1.3.1, maxSizeMailboxName). */
const maxName = 100;

/** A mailbox and all below it, inside which it can't be. */
const within = (mailboxes: readonly Mailbox[], mailbox: Mailbox): ReadonlySet<Id> => {
  const ids = new Set([mailbox.id]);
  // Parents come first in the tree.
  for (const { mailbox: each } of mailboxTree(mailboxes)) if (each.parentId !== null && ids.has(each.parentId)) ids.add(each.id);
  return ids;
};

export type MailboxFormProps = {
  readonly store: MailStore;
  /** The mailbox that is changed. Undefined for a new one. */
  readonly mailbox: Mailbox | undefined;
  /** The mailbox in which a new one is offered. */
  readonly parentId: Id | null;
  readonly onClose: () => void;
};

/** Asks for the name of a mailbox and the mailbox that it is in, and saves them. */
export const MailboxForm = ({ store, mailbox, parentId: offered, onClose }: MailboxFormProps) => {
  const [name, setName] = useState(mailbox?.name ?? '');
  const [parentId, setParentId] = useState(mailbox ? mailbox.parentId : offered);
  const [problem, setProblem] = useState('');
  const [isSaving, setSaving] = useState(false);
  const mailboxes = store.mailboxes();
  const forbidden = mailbox ? within(mailboxes, mailbox) : new Set<Id>();
  const parents = mailboxTree(mailboxes).filter(
    ({ mailbox: each }) => each.id === parentId || (each.myRights.mayCreateChild && !forbidden.has(each.id) && each.role !== 'trash' && each.role !== 'junk'),
  );
  const label = mailbox ? words.changeMailbox : words.newMailbox;
  const save = async (close: () => void): Promise<void> => {
    const trimmed = name.trim().normalize('NFC');
    if (trimmed === '') return setProblem(words.nameMissing);
    setSaving(true);
    try {
      await store.setMailboxes(
        mailbox ? { update: { [mailbox.id]: { name: trimmed, parentId } } } : { create: { new: { name: trimmed, parentId, isSubscribed: true } } },
      );
      return close();
    } catch (error) {
      setProblem(words.refused(reasonOf(error)));
      return setSaving(false);
    }
  };
  return (
    <ModalDialog label={label} onClose={onClose}>
      {(close) => (
        <form
          className="form"
          onSubmit={(event) => {
            event.preventDefault();
            void save(close);
          }}
        >
          <h2>{label}</h2>
          <label>
            {words.name}
            <input autoFocus value={name} maxLength={maxName} onChange={({ target }) => setName(target.value)} />
          </label>
          <label>
            {words.inside}
            <select value={parentId ?? ''} onChange={({ target }) => setParentId(target.value === '' ? null : target.value)}>
              <option value="">{words.topLevel}</option>
              {parents.map(({ mailbox: each, depth }) => (
                <option key={each.id} value={each.id}>
                  {'\u00a0'.repeat(2 * Math.min(depth, 8))}
                  {mailboxName(each)}
                </option>
              ))}
            </select>
          </label>
          {problem && <p role="alert">{problem}</p>}
          <div className="buttons">
            <button type="button" onClick={close}>
              {words.cancel}
            </button>
            <button type="submit" disabled={isSaving}>
              {words.saveChanges}
            </button>
          </div>
        </form>
      )}
    </ModalDialog>
  );
};
