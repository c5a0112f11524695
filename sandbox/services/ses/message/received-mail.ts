import { randomBytes } from 'node:crypto';
import { authenticationLines, type Authentication } from './authentication.ts';
import type { Scan } from './content-scan.ts';
import { field, fieldValue, valuesOf, type HeaderField } from './header-block.ts';
import { domainOf, readableAddresses, readableText } from './mail-addresses.ts';

/** The envelope of a completed SMTP transaction. */
export type Envelope = {
  /** MAIL FROM; empty for a bounce. */
  readonly from: string;
  /** Every recipient that was accepted. */
  readonly recipients: readonly string[];
  /** The client's HELO name and IP address. */
  readonly helo: string;
  readonly remoteAddress: string;
};

export type Receipt = { readonly messageId: string; readonly receivedAt: Date; readonly envelope: Envelope; readonly region: string };

/**
 * A message id as SES makes it for incoming mail: 40 characters of `0`–`9` and `a`–`v`. It is also the object key in
 * S3.
 */
export const inboundMessageId = (): string =>
  [...randomBytes(37)]
    .map((octet) => (octet % 32).toString(32))
    .join('')
    .concat('0', '8', '1');

/** A date of RFC 5322 in UTC. */
export const mailDate = (date: Date): string => date.toUTCString().replace('GMT', '+0000');

/** The header fields that SES adds before those of a received message. */
export const sesHeaderFields = ({ messageId, receivedAt, envelope, region }: Receipt, scan: Scan, authentication: Authentication): HeaderField[] => {
  const { from, recipients, helo, remoteAddress } = envelope;
  const recipientText = recipients.length === 1 ? recipients[0]! : 'multiple recipients';
  const spf =
    `pass (spfCheck: domain of ${domainOf(from) || helo} designates ${remoteAddress} as permitted sender)` +
    ` client-ip=${remoteAddress}; envelope-from=${from}; helo=${helo};`;
  const receiver = `inbound-smtp.${region}.amazonaws.com with SMTP id ${messageId}`;
  return [
    field('Return-Path', `<${from}>`),
    field('Received', `from ${helo} (${helo} [${remoteAddress}])\r\n by ${receiver}\r\n for ${recipientText};\r\n ${mailDate(receivedAt)} (UTC)`),
    ...(scan.spam === 'DISABLED' ? [] : [field('X-SES-Spam-Verdict', scan.spam), field('X-SES-Virus-Verdict', scan.virus)]),
    field('Received-SPF', spf),
    field('Authentication-Results', ['amazonses.com;', ` spf=${spf}`, ...authenticationLines(from, authentication)].join('\r\n')),
    field('X-SES-RECEIPT', randomBytes(96).toString('base64')),
  ];
};

/** Maximum octets of a header in a notification. */
const maximumHeaderOctets = 10 * 1024;

/** The first fields of a header up to the size limit. */
const includedFields = (fields: readonly HeaderField[]): readonly HeaderField[] => {
  let octets = 0;
  return fields.filter(({ raw }) => (octets += raw.length + 2) <= maximumHeaderOctets);
};

const nonEmpty = <Value>(name: string, values: readonly Value[]): Record<string, readonly Value[]> => (values.length === 0 ? {} : { [name]: values });

/** The `commonHeaders` of a notification: only fields that the message has. */
const commonHeaders = (fields: readonly HeaderField[]) => ({
  returnPath: valuesOf(fields, 'Return-Path')[0]?.replaceAll(/[<>]/g, ''),
  ...nonEmpty('from', readableAddresses(fields, 'From')),
  ...nonEmpty('replyTo', readableAddresses(fields, 'Reply-To')),
  date: valuesOf(fields, 'Date')[0],
  ...nonEmpty('to', readableAddresses(fields, 'To')),
  ...nonEmpty('cc', readableAddresses(fields, 'Cc')),
  messageId: valuesOf(fields, 'Message-ID')[0],
  subject: readableText(fields, 'Subject'),
});

/**
 * The header in a notification. Fields beyond the size limit are left out, so that the notification stays below SNS's
 * 256 KB.
 */
export const notificationHeaders = (fields: readonly HeaderField[]) => {
  const included = includedFields(fields);
  return {
    headersTruncated: included.length < fields.length,
    headers: included.map((each) => ({ name: each.name, value: fieldValue(each) })),
    commonHeaders: commonHeaders(included),
  };
};

/**
 * The notification that SES publishes after a rule's S3 action ("Contents of notifications for Amazon SES email
 * receiving").
 * @param recipients those that the rule matches, which may be fewer than the envelope has.
 */
export const receivedNotification = (
  { messageId, receivedAt, envelope }: Receipt,
  fields: readonly HeaderField[],
  { scan, authentication }: { readonly scan: Scan; readonly authentication: Authentication },
  action: { readonly topicArn: string; readonly bucketName: string; readonly objectKeyPrefix: string; readonly objectKey: string },
  recipients: readonly string[],
) => ({
  notificationType: 'Received',
  mail: { timestamp: receivedAt.toISOString(), source: envelope.from, messageId, destination: envelope.recipients, ...notificationHeaders(fields) },
  receipt: {
    timestamp: receivedAt.toISOString(),
    processingTimeMillis: Math.max(1, Date.now() - receivedAt.getTime()),
    recipients,
    spamVerdict: { status: scan.spam },
    virusVerdict: { status: scan.virus },
    spfVerdict: { status: authentication.spf },
    dkimVerdict: { status: authentication.dkim },
    dmarcVerdict: { status: authentication.dmarc },
    ...(authentication.dmarcPolicy && { dmarcPolicy: authentication.dmarcPolicy }),
    action: { type: 'S3', ...action },
  },
});
