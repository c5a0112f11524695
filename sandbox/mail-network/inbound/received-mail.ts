import { randomBytes } from 'node:crypto';
import { domainOf, readableAddresses, readableText } from '../message/mail-addresses.ts';
import type { Scan } from '../message/content-scan.ts';
import { field, fieldValue, valuesOf, type HeaderField } from '../message/header-block.ts';

/** An SMTP transaction that is over: who said what from where. */
export type Envelope = {
  /** MAIL FROM; empty for a bounce. */
  readonly from: string;
  /** Every recipient that was accepted. */
  readonly recipients: readonly string[];
  /** What the client called itself, and where it called from. */
  readonly helo: string;
  readonly remoteAddress: string;
};

export type Receipt = { readonly messageId: string; readonly receivedAt: Date; readonly envelope: Envelope; readonly region: string };

/** As SES names what comes in: 40 digits and letters up to `v`, which are the object's key in S3 too. */
export const inboundId = (): string => [...randomBytes(37)].map((octet) => (octet % 32).toString(32)).join('').concat('0', '8', '1');

/** RFC 5322 date in UTC. */
export const mailDate = (date: Date): string => date.toUTCString().replace('GMT', '+0000');

/** What SES puts in front of a message that it received. */
export const addedFields = ({ messageId, receivedAt, envelope, region }: Receipt, scan: Scan): HeaderField[] => {
  const { from, recipients, helo, remoteAddress } = envelope;
  const whom = recipients.length === 1 ? recipients[0]! : 'multiple recipients';
  const spf = `pass (spfCheck: domain of ${domainOf(from) || helo} designates ${remoteAddress} as permitted sender)`
    + ` client-ip=${remoteAddress}; envelope-from=${from}; helo=${helo};`;
  const here = `inbound-smtp.${region}.amazonaws.com with SMTP id ${messageId}`;
  return [
    field('Return-Path', `<${from}>`),
    field('Received', `from ${helo} (${helo} [${remoteAddress}])\r\n by ${here}\r\n for ${whom};\r\n ${mailDate(receivedAt)} (UTC)`),
    ...(scan.spam === 'DISABLED' ? [] : [field('X-SES-Spam-Verdict', scan.spam), field('X-SES-Virus-Verdict', scan.virus)]),
    field('Received-SPF', spf),
    field('Authentication-Results', `amazonses.com;\r\n spf=${spf}\r\n dkim=pass header.i=@${domainOf(from)};\r\n dmarc=pass header.from=${domainOf(from)};`),
    field('X-SES-RECEIPT', randomBytes(96).toString('base64')),
  ];
};

/** SES tells of this many octets of a header. */
const largestHeader = 10 * 1024;

/** The first fields that fit in what SES tells of a header. */
export const toldHeaders = (fields: readonly HeaderField[]) => {
  let octets = 0;
  const told = fields.filter(({ raw }) => { octets += raw.length + 2; return octets <= largestHeader; });
  return { headersTruncated: told.length < fields.length, headers: told.map((each) => ({ name: each.name, value: fieldValue(each) })) };
};

const some = <Value>(name: string, values: readonly Value[]): Record<string, readonly Value[]> => (values.length === 0 ? {} : { [name]: values });

/** The `commonHeaders` of a notification: only what the message has. */
export const commonHeaders = (fields: readonly HeaderField[]) => ({
  returnPath: valuesOf(fields, 'Return-Path')[0]?.replaceAll(/[<>]/g, ''),
  ...some('from', readableAddresses(fields, 'From')),
  ...some('replyTo', readableAddresses(fields, 'Reply-To')),
  date: valuesOf(fields, 'Date')[0],
  ...some('to', readableAddresses(fields, 'To')),
  ...some('cc', readableAddresses(fields, 'Cc')),
  messageId: valuesOf(fields, 'Message-ID')[0],
  subject: readableText(fields, 'Subject'),
});

/**
 * What SES publishes when a rule's S3 action has stored a message ("Contents of notifications for Amazon SES email receiving").
 * `recipients` are those of the rule, which may be fewer than the transaction had.
 */
export const receivedNotification = (
  { messageId, receivedAt, envelope }: Receipt,
  fields: readonly HeaderField[],
  scan: Scan,
  action: { readonly topicArn: string; readonly bucketName: string; readonly objectKeyPrefix: string; readonly objectKey: string },
  recipients: readonly string[],
) => ({
  notificationType: 'Received',
  mail: {
    timestamp: receivedAt.toISOString(),
    source: envelope.from,
    messageId,
    destination: envelope.recipients,
    ...toldHeaders(fields),
    commonHeaders: commonHeaders(fields),
  },
  receipt: {
    timestamp: receivedAt.toISOString(),
    processingTimeMillis: Math.max(1, Date.now() - receivedAt.getTime()),
    recipients,
    spamVerdict: { status: scan.spam },
    virusVerdict: { status: scan.virus },
    spfVerdict: { status: 'PASS' },
    dkimVerdict: { status: 'PASS' },
    dmarcVerdict: { status: 'PASS' },
    action: { type: 'S3', ...action },
  },
});
