import type { MailboxRights } from '../../../contract/jmap/mailbox.ts';
import type { OpenAccount, RequestContext } from '../request-context.ts';

/** Whether the caller may change anything in the account: by its role there, and by its token. */
export const mayChangeMail = (account: OpenAccount, { caller }: RequestContext): boolean => account.mayWrite && caller.permits('MAIL_WRITE');

/** RFC 8621 §2 `myRights`. Mail arrives in the inbox, so that one stays. */
export const mailboxRightsFor = (mailbox: { readonly role: string | null }, mayWrite: boolean): MailboxRights => ({
  mayReadItems: true,
  mayAddItems: mayWrite,
  mayRemoveItems: mayWrite,
  maySetSeen: mayWrite,
  maySetKeywords: mayWrite,
  mayCreateChild: mayWrite,
  mayRename: mayWrite,
  mayDelete: mayWrite && mailbox.role !== 'inbox',
  maySubmit: mayWrite,
});
