import { mailboxesOf } from '../../../core/mail-types/mailbox/mailbox-record.ts';
import { emailsOf } from '../../../core/mail-types/email/email-type.ts';
import { emailLimits, mailLimits } from '../../../contract/jmap/core.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { QuotaAmounts } from '../../../contract/jmap/quota.ts';
import type { AccountView } from '../../../core/account-index/account-view.ts';
import type { EmailRow } from '../../../core/mail-types/email/email-content.ts';
import { newEmailRow } from '../../../core/mail-types/email/email-threads.ts';
import type { NewEmail } from '../../../core/mail-types/email/new-email.ts';
import { revalidateQuota, QuotaRoom } from '../../../core/mail-types/quota/account-quota.ts';
import { SetError } from '../request/jmap-errors.ts';
import type { AccountChangeSet } from '../request/behaviour.ts';
import { recordValues } from './read-emails.ts';
import { rowProperties } from './row-properties.ts';

const sortedMembers = (set: unknown, before: readonly string[]): readonly string[] =>
  (set === undefined ? before : Object.keys(set as object).toSorted());

const isSameSet = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((member) => other.includes(member));

/** Checks the row (RFC 8621 §4.6). @throws SetError invalidProperties, tooManyMailboxes, tooManyKeywords. */
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

/** The inputs of a change set of Emails. */
type PreparedEmails = {
  /** The current values of the immutable properties in updates, by id. */
  readonly immutableValues: ReadonlyMap<string, JsonObject>;
  /** The new Emails by id. Their messages are stored. */
  readonly newEmails: ReadonlyMap<string, NewEmail>;
  /** The errors of Emails that can't be created, by the ids that were reserved for them. */
  readonly failedCreates: ReadonlyMap<string, SetError>;
  readonly quotaDefaults: QuotaAmounts;
};

const rowValues = (row: EmailRow): JsonObject =>
  Object.fromEntries(Object.entries(rowProperties).map(([property, read]) => [property, read(row)]));

/** The properties that Email/get returns by default for a new Email, except its Thread, which the commit finds. */
const newEmailValues = (created: NewEmail): JsonObject => {
  const { threadId: _threadId, ...row } = rowValues(newEmailRow(created, '', created.mailboxIds));
  return { ...row, ...recordValues(created.record) };
};

/** The changes of an Email/set (RFC 8621 §4.6). */
export const emailChangeSet = (
  view: AccountView, { immutableValues, newEmails, failedCreates, quotaDefaults }: PreparedEmails,
): AccountChangeSet => {
  const room = new QuotaRoom(view, quotaDefaults);
  const created = new Map<string, NewEmail>();
  const changed = new Map<string, EmailRow>();
  const destroyed = new Set<string>();
  const currentRow = (id: string) => (destroyed.has(id) ? undefined : changed.get(id) ?? emailsOf(view).get(id));
  return {
    current: (id) => {
      const newEmail = created.get(id);
      if (newEmail) return newEmailValues(newEmail);
      const row = currentRow(id);
      return row && { ...immutableValues.get(id), ...rowValues(row) };
    },
    create: (id) => {
      const newEmail = newEmails.get(id);
      if (!newEmail) throw failedCreates.get(id)!;
      checkRow(view, newEmail);
      room.take(newEmail.size);
      created.set(id, newEmail);
    },
    update: (id, { mailboxIds, keywords }) => {
      const newEmail = created.get(id);
      if (newEmail) {
        const after = {
          ...newEmail, mailboxIds: sortedMembers(mailboxIds, newEmail.mailboxIds), keywords: sortedMembers(keywords, newEmail.keywords),
        };
        checkRow(view, after);
        created.set(id, after);
        return;
      }
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
      room.release((created.get(id) ?? currentRow(id)!).size);
      changed.delete(id);
      if (!created.delete(id)) destroyed.add(id);
    },
    commit: () => (created.size + changed.size + destroyed.size === 0
      ? undefined
      : {
        records: { Email: { create: [...created.values()], put: [...changed.values()], destroy: [...destroyed] } },
        revalidateRemaining: revalidateQuota(quotaDefaults),
      }),
  };
};
