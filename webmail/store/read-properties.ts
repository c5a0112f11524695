import type { Email, EmailBody } from '../jmap/types.ts';

/** What is read of an Email for a list. */
export const listProperties: readonly (keyof Email)[] = [
  'id',
  'blobId',
  'threadId',
  'mailboxIds',
  'keywords',
  'receivedAt',
  'from',
  'to',
  'subject',
  'hasAttachment',
  'preview',
  'size',
];
/** What is read of an Email to show it. */
export const bodyProperties: readonly (keyof EmailBody)[] = [
  'id',
  'cc',
  'bcc',
  'replyTo',
  'messageId',
  'inReplyTo',
  'references',
  'sentAt',
  'textBody',
  'htmlBody',
  'attachments',
  'bodyValues',
  'header:Authentication-Results:asText:all',
  'header:DKIM-Signature:asText:all',
  'header:List-Unsubscribe:asURLs',
  'header:List-Unsubscribe-Post:asText',
  'header:List-Post:asURLs',
  'header:Mail-Followup-To:asAddresses',
];
/** What is read of a part of its body. */
export const partProperties = ['partId', 'blobId', 'size', 'name', 'type', 'charset', 'disposition', 'cid', 'header:Content-Type'];
