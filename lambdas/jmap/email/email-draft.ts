import { mailboxesOf } from '../../../core/mail/mailbox/mailbox-record.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { emailLimits, mailLimits } from '../../../contract/jmap/core.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { AccountView } from '../../../core/mail/mail-store.ts';
import type { EmailRow } from '../../../core/mail/email/email-record.ts';
import { SetError } from '../protocol/errors.ts';
import type { AccountDraft } from '../verbs/behaviour.ts';
import { rowProperties } from './row-properties.ts';

const sortedMembers = (set: unknown, before: readonly string[]): readonly string[] =>
  (set === undefined ? before : Object.keys(set as object).toSorted());

const isSameSet = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((member) => other.includes(member));

/**
 * An Email is in at least one mailbox, and all its mailboxes exist (RFC 8621 §4.6).
 * @throws SetError invalidProperties, tooManyMailboxes, tooManyKeywords.
 */
export const checkRow = (view: AccountView, { mailboxIds, keywords }: Pick<EmailRow, 'mailboxIds' | 'keywords'>): void => {
  if (mailboxIds.length === 0) {
    throw new SetError('invalidProperties', 'An Email must be in at least one mailbox. To delete it, destroy it.', ['mailboxIds']);
  }
  if (mailboxIds.some((id) => !mailboxesOf(view).get(id))) {
    throw new SetError('invalidProperties', 'One of the mailboxes does not exist.', ['mailboxIds']);
  }
  if (mailboxIds.length > mailLimits.maxMailboxesPerEmail) {
    throw new SetError('tooManyMailboxes', `An Email may be in at most ${mailLimits.maxMailboxesPerEmail} mailboxes.`);
  }
  if (keywords.length > emailLimits.maxKeywordsPerEmail) {
    throw new SetError('tooManyKeywords', `An Email may have at most ${emailLimits.maxKeywordsPerEmail} keywords.`);
  }
};

/**
 * The changes of an Email/set (RFC 8621 §4.6).
 * @param immutableValues the current values of immutable properties that updates contain, by id.
 */
export const emailDraft = (view: AccountView, immutableValues: ReadonlyMap<string, JsonObject>): AccountDraft => {
  const changed = new Map<string, EmailRow>();
  const destroyed = new Set<string>();
  const currentRow = (id: string) => (destroyed.has(id) ? undefined : changed.get(id) ?? emailsOf(view).get(id));
  return {
    current: (id) => {
      const row = currentRow(id);
      return row && {
        ...immutableValues.get(id), ...Object.fromEntries(Object.entries(rowProperties).map(([property, read]) => [property, read(row)])),
      };
    },
    create: () => {
      throw new SetError('forbidden', 'This server does not support the creation of Emails.');
    },
    update: (id, { mailboxIds, keywords }) => {
      const before = currentRow(id)!;
      const after = {
        ...before, mailboxIds: sortedMembers(mailboxIds, before.mailboxIds), keywords: sortedMembers(keywords, before.keywords),
      };
      checkRow(view, after);
      const stored = emailsOf(view).get(id)!;
      if (isSameSet(after.mailboxIds, stored.mailboxIds) && isSameSet(after.keywords, stored.keywords)) changed.delete(id);
      else changed.set(id, after);
    },
    destroy: (id) => {
      changed.delete(id);
      destroyed.add(id);
    },
    commit: () =>
      (changed.size + destroyed.size === 0 ? undefined : { records: { Email: { put: [...changed.values()], destroy: [...destroyed] } } }),
  };
};
