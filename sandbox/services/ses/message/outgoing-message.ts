import { randomBytes, randomUUID } from 'node:crypto';
import MailComposer from 'nodemailer/lib/mail-composer';
import { field, joinMessage, splitMessage } from './header-block.ts';
import { mailDate } from './received-mail.ts';

const regionDigits: Readonly<Record<string, string>> = { 'us-east-1': '0100', 'us-west-2': '0101', 'eu-west-1': '0102' };

/** A message id as SES makes it for outgoing mail: region, time in milliseconds, random part. */
export const outboundMessageId = (region: string, now: Date): string =>
  `${regionDigits[region] ?? '0107'}${now.getTime().toString(16).padStart(12, '0')}-${randomUUID()}-000000`;

/** The domain of the Message-ID that SES sets. */
export const messageIdDomain = (region: string): string => (region === 'us-east-1' ? 'email.amazonses.com' : `${region}.amazonses.com`);

/** Header fields that SES removes (Bcc, X-SES-…) or replaces. */
const replaced = /^(?:bcc|message-id|date|return-path|feedback-id|x-ses-.*)$/i;

/** The message as SES sends it: with SES's Message-ID and Date, without Bcc and X-SES-… fields. */
export const messageAsSent = (original: Buffer, { messageId, sentAt, region }: { messageId: string; sentAt: Date; region: string }): Buffer => {
  const { fields, body } = splitMessage(original);
  return joinMessage({
    fields: [
      ...fields.filter(({ name }) => !replaced.test(name)),
      field('Message-ID', `<${messageId}@${messageIdDomain(region)}>`),
      field('Date', mailDate(sentAt)),
      field('Feedback-ID', `::1.${region}.${randomBytes(33).toString('base64')}:AmazonSES`),
      field('X-SES-Outgoing', `${sentAt.toISOString().slice(0, 10).replaceAll('-', '.')}-127.0.0.1`),
    ],
    body,
  });
};

type SimpleMessage = {
  readonly from: string;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly replyTo: readonly string[];
  readonly subject: string;
  readonly text?: string;
  readonly html?: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly attachments: readonly {
    readonly fileName: string;
    readonly contentType?: string;
    readonly content: Buffer;
    readonly inline: boolean;
    readonly contentId?: string;
  }[];
};

/** Builds the raw message from `Content.Simple`. */
export const composeMessage = (message: SimpleMessage): Promise<Buffer> =>
  new MailComposer({
    from: message.from,
    to: [...message.to],
    cc: [...message.cc],
    replyTo: [...message.replyTo],
    subject: message.subject,
    text: message.text,
    html: message.html,
    headers: message.headers.map(({ name, value }) => ({ key: name, value })),
    attachments: message.attachments.map(({ fileName, contentType, content, inline, contentId }) => ({
      filename: fileName,
      contentType,
      content,
      contentDisposition: inline ? ('inline' as const) : ('attachment' as const),
      cid: contentId,
    })),
  })
    .compile()
    .build();
