import type { BodyPart, Email, EmailBody, Identity } from '../../../webmail/jmap/types.ts';

export const emailWith = (properties: Partial<Email> = {}): Email => ({
  id: 'e1',
  blobId: 'blob-of-e1',
  threadId: 't1',
  mailboxIds: { inbox: true },
  keywords: {},
  receivedAt: '2026-11-30T10:32:00Z',
  from: [{ name: 'Ann', email: 'ann@example.net' }],
  to: [{ name: 'Alice', email: 'alice@example.test' }],
  subject: 'Plan',
  hasAttachment: false,
  preview: '',
  size: 1234,
  ...properties,
});

export const partWith = (properties: Partial<BodyPart> = {}): BodyPart => ({
  partId: '1',
  blobId: 'blob-1',
  size: 10,
  name: null,
  type: 'text/plain',
  charset: 'utf-8',
  disposition: null,
  cid: null,
  'header:Content-Type': null,
  ...properties,
});

export const bodyWith = (properties: Partial<EmailBody> = {}): EmailBody => ({
  id: 'e1',
  cc: null,
  bcc: null,
  replyTo: null,
  messageId: ['plan@example.net'],
  inReplyTo: null,
  references: null,
  sentAt: null,
  textBody: [],
  htmlBody: [],
  attachments: [],
  bodyValues: {},
  'header:Authentication-Results:asText:all': null,
  'header:DKIM-Signature:asText:all': null,
  'header:List-Unsubscribe:asURLs': null,
  'header:List-Unsubscribe-Post:asText': null,
  'header:List-Post:asURLs': null,
  'header:Mail-Followup-To:asAddresses': null,
  ...properties,
});

/** A body of one text part. */
export const textBody = (value: string, contentType = 'text/plain'): EmailBody => {
  const part = partWith({ 'header:Content-Type': contentType });
  return bodyWith({ textBody: [part], htmlBody: [part], bodyValues: { '1': { value, isEncodingProblem: false, isTruncated: false } } });
};

export const identityWith = (id: string, email: string, properties: Partial<Identity> = {}): Identity => ({
  id,
  name: '',
  email,
  replyTo: null,
  bcc: null,
  textSignature: '',
  htmlSignature: '',
  ...properties,
});
