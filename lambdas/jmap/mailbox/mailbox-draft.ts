import { mailboxesOf } from '../../../core/mail/mailbox/mailbox-record.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { mailLimits } from '../../../contract/jmap/core.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { mailboxRoles } from '../../../contract/jmap/mailbox.ts';
import type { AccountView } from '../../../core/mail/mail-store.ts';
import type { EmailRow } from '../../../core/mail/email/email-record.ts';
import type { MailboxRecord } from '../../../core/mail/mailbox/mailbox-record.ts';
import { SetError } from '../protocol/errors.ts';
import type { AccountDraft } from '../verbs/behaviour.ts';

const invalidProperty = (property: string, description: string) => new SetError('invalidProperties', description, [property]);

/** RFC 8621 §2: Net-Unicode of at least one character. */
const checkName = (name: string): void => {
  if (name === '' || /[\p{Cc}\u2028\u2029]/u.test(name)) throw invalidProperty('name', 'A name has at least one character, and no control characters.');
  if (Buffer.byteLength(name) > mailLimits.maxSizeMailboxName) throw invalidProperty('name', `A name has ${mailLimits.maxSizeMailboxName} octets at most.`);
};

/** The mailboxes as the draft has them so far. */
type Tree = { get(id: string): MailboxRecord | undefined; all(): readonly MailboxRecord[] };

const childrenOf = (tree: Tree, id: string) => tree.all().filter(({ parentId }) => parentId === id);

/** Levels from the mailbox down to its deepest descendant; 1 for one without children. */
const heightOf = (tree: Tree, id: string): number => 1 + Math.max(0, ...childrenOf(tree, id).map((child) => heightOf(tree, child.id)));

const checkParent = (tree: Tree, record: MailboxRecord): void => {
  let depth = heightOf(tree, record.id);
  for (let above = record.parentId; above !== null; depth += 1) {
    const parent = tree.get(above);
    if (!parent) throw invalidProperty('parentId', 'There is no such parent.');
    if (parent.id === record.id) throw invalidProperty('parentId', 'A mailbox can not be below itself.');
    above = parent.parentId;
  }
  if (depth > mailLimits.maxMailboxDepth) throw invalidProperty('parentId', `Mailboxes nest ${mailLimits.maxMailboxDepth} levels at most.`);
};

const checkRole = (tree: Tree, record: MailboxRecord, before: MailboxRecord | undefined): void => {
  if (record.role === (before?.role ?? null)) return;
  if (before?.role === 'inbox') throw invalidProperty('role', 'Mail arrives in the inbox: its role stays.');
  if (record.role === null) return;
  if (!(mailboxRoles as readonly string[]).includes(record.role)) throw invalidProperty('role', 'There is no such role.');
  if (tree.all().some((other) => other.id !== record.id && other.role === record.role)) throw invalidProperty('role', 'Another mailbox has this role.');
};

const checkMailbox = (tree: Tree, record: MailboxRecord, before: MailboxRecord | undefined): void => {
  checkName(record.name);
  checkParent(tree, record);
  checkRole(tree, record, before);
  const siblings = tree.all().filter((other) => other.id !== record.id && other.parentId === record.parentId);
  if (siblings.some(({ name }) => name === record.name)) throw new SetError('alreadyExists', 'Another mailbox under the same parent has this name.');
};

const isSameMailbox = (one: MailboxRecord, other: MailboxRecord) =>
  one.name === other.name && one.parentId === other.parentId && one.role === other.role && one.sortOrder === other.sortOrder && one.isSubscribed === other.isSubscribed;

/** What a Mailbox/set does to the view's mailboxes, and to the mail in those that go (RFC 8621 §2.5). */
export const mailboxDraft = (view: AccountView, onDestroyRemoveEmails: boolean, toMailbox: (record: MailboxRecord) => JsonObject): AccountDraft => {
  const mailboxes = new Map(mailboxesOf(view).all().map((record) => [record.id, record]));
  const rows = new Map<string, EmailRow>();
  const destroyedEmails = new Set<string>();
  const tree: Tree = { get: (id) => mailboxes.get(id), all: () => [...mailboxes.values()] };
  const put = (record: MailboxRecord, before: MailboxRecord | undefined) => {
    checkMailbox(tree, record, before);
    mailboxes.set(record.id, record);
  };
  const emailsIn = (id: string) => [...emailsOf(view).query({ inMailbox: id }, [])].map((emailId) => rows.get(emailId) ?? emailsOf(view).get(emailId)!).filter((row) => !destroyedEmails.has(row.id));
  const removeFromMailbox = (mail: readonly EmailRow[], mailboxId: string) => {
    for (const row of mail) {
      const rest = row.mailboxIds.filter((id) => id !== mailboxId);
      if (rest.length > 0) rows.set(row.id, { ...row, mailboxIds: rest });
      else destroyedEmails.add(row.id);
    }
  };

  return {
    current: (id) => {
      const record = mailboxes.get(id);
      return record && toMailbox(record);
    },
    create: (id, properties) => put({ ...(properties as Omit<MailboxRecord, 'id'>), name: (properties['name'] as string).normalize('NFC'), id }, undefined),
    update: (id, changed) => {
      const before = mailboxes.get(id)!;
      const after = { ...before, ...changed };
      put({ ...after, name: after.name.normalize('NFC') }, before);
    },
    destroy: (id) => {
      if (mailboxes.get(id)!.role === 'inbox') throw new SetError('forbidden', 'Mail arrives in the inbox: it stays.');
      if (childrenOf(tree, id).length > 0) throw new SetError('mailboxHasChild', 'It has mailboxes below it.');
      const mail = emailsIn(id);
      if (mail.length > 0 && !onDestroyRemoveEmails) throw new SetError('mailboxHasEmail', 'There are Emails in it.');
      removeFromMailbox(mail, id);
      mailboxes.delete(id);
    },
    commit: () => {
      const putMailboxes = [...mailboxes.values()].filter((record) => {
        const before = mailboxesOf(view).get(record.id);
        return !before || !isSameMailbox(before, record);
      });
      const destroyMailboxes = mailboxesOf(view).all().filter(({ id }) => !mailboxes.has(id)).map(({ id }) => id);
      if (putMailboxes.length + destroyMailboxes.length === 0) return undefined;
      return {
        records: {
          Mailbox: { put: putMailboxes, destroy: destroyMailboxes },
          Email: { put: [...rows.values()].filter(({ id }) => !destroyedEmails.has(id)), destroy: [...destroyedEmails] },
        },
      };
    },
  };
};
