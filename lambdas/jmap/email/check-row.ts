import { emailLimits, mailLimits } from '../../../contract/jmap/core.ts';
import type { AccountView } from '../../../core/account-index/account-view.ts';
import type { EmailRow } from '../../../core/mail/email/email-content.ts';
import { mailboxesOf } from '../../../core/mail/mailbox/mailbox-record.ts';
import { SetError } from '../request/jmap-errors.ts';

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
