import type { MailboxRights } from '../../../contract/jmap/mailbox.ts';
import type { OpenAccount, RequestContext } from '../request/request-context.ts';

/** Whether the caller's role in the account and the caller's token permit changes. */
export const mayChangeMail = (account: OpenAccount, { caller }: RequestContext): boolean => account.mayWrite && caller.permits('MAIL_WRITE');

/** The property `myRights` (RFC 8621 §2). The inbox can't be deleted, because mail is delivered to it. */
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
