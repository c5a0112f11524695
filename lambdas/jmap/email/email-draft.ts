import { mailboxesOf } from '../../../core/mail/mailbox/mailbox-record.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { emailLimits, mailLimits } from '../../../contract/jmap/core.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { AccountView } from '../../../core/mail/mail-store.ts';
import type { EmailRow } from '../../../core/mail/email/email-record.ts';
import { SetError } from '../protocol/errors.ts';
import type { AccountDraft } from '../verbs/behaviour.ts';
import { rowProperties } from './row-properties.ts';

const sortedMembers = (set: unknown, before: readonly string[]): readonly string[] => (set === undefined ? before : Object.keys(set as object).toSorted());

const isSameSet = (one: readonly string[], other: readonly string[]): boolean => one.length === other.length && one.every((member) => other.includes(member));

/** RFC 8621 §4.6: an Email is in at least one mailbox, and all of them exist. */
const checkRow = (view: AccountView, { mailboxIds, keywords }: EmailRow): void => {
  if (mailboxIds.length === 0) throw new SetError('invalidProperties', 'An Email is always in a mailbox: destroy it instead.', ['mailboxIds']);
  if (mailboxIds.some((id) => !mailboxesOf(view).get(id))) throw new SetError('invalidProperties', 'There is no such mailbox.', ['mailboxIds']);
  if (mailboxIds.length > mailLimits.maxMailboxesPerEmail) throw new SetError('tooManyMailboxes', `An Email is in ${mailLimits.maxMailboxesPerEmail} mailboxes at most.`);
  if (keywords.length > emailLimits.maxKeywordsPerEmail) throw new SetError('tooManyKeywords', `An Email has ${emailLimits.maxKeywordsPerEmail} keywords at most.`);
};

/**
 * What an Email/set does to the view's rows.
 * @param immutableValues properties that never change, by id, of those that an update names.
 */
export const emailDraft = (view: AccountView, immutableValues: ReadonlyMap<string, JsonObject>): AccountDraft => {
  const changed = new Map<string, EmailRow>();
  const destroyed = new Set<string>();
  const currentRow = (id: string) => (destroyed.has(id) ? undefined : changed.get(id) ?? emailsOf(view).get(id));
  return {
    current: (id) => {
      const row = currentRow(id);
      return row && { ...immutableValues.get(id), ...Object.fromEntries(Object.entries(rowProperties).map(([property, read]) => [property, read(row)])) };
    },
    create: () => {
      throw new SetError('forbidden', 'This server does not create Emails here.');
    },
    update: (id, { mailboxIds, keywords }) => {
      const before = currentRow(id)!;
      const after = { ...before, mailboxIds: sortedMembers(mailboxIds, before.mailboxIds), keywords: sortedMembers(keywords, before.keywords) };
      checkRow(view, after);
      const stored = emailsOf(view).get(id)!;
      if (isSameSet(after.mailboxIds, stored.mailboxIds) && isSameSet(after.keywords, stored.keywords)) changed.delete(id);
      else changed.set(id, after);
    },
    destroy: (id) => {
      changed.delete(id);
      destroyed.add(id);
    },
    commit: () => (changed.size + destroyed.size === 0 ? undefined : { records: { Email: { put: [...changed.values()], destroy: [...destroyed] } } }),
  };
};
