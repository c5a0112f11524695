import { createHash } from 'node:crypto';
import { domainOf } from '../../contract/values/mail-address.ts';
import { composeField, UnwritableValue, type ComposedField, type HeaderValue } from '../mime/compose/compose-header-field.ts';
import { composeMessage, type NewPart } from '../mime/compose/compose-message.ts';
import { cutToOctets } from '../mime/text-limits.ts';
import { headerSummary } from './submission/original-header.ts';
import type { DeliveryReport, Submission } from './submission/submission.ts';

/** Maximum octets of the original subject in the report's subject. */
const maxSubject = 200;

/** The enhanced status code of a failure (RFC 3463): from the reply, or derived from its first digit. */
const statusOf = (reply: string): string => /(?<![\d.])[45]\.\d{1,3}\.\d{1,3}(?![\d.])/.exec(reply)?.[0] ?? (reply.startsWith('4') ? '4.0.0' : '5.0.0');

/** Advice to the sender for each beginning of a status code (RFC 3463 §3). The first match applies. */
const advices: readonly (readonly [status: RegExp, advice: string])[] = [
  [/^5\.1\.|^5\.2\.1$/, 'Check the address, correct it, and send the message again.'],
  [/^\d\.2\.2$/, 'The mailbox is full. Tell the recipient another way, or send the message again later.'],
  [/^\d\.(?:2\.3|3\.4)$/, 'The message is too large. Send a smaller one, or a link instead of the attachment.'],
  [/^4\.4\.2$/, 'The message may have arrived. Ask the recipient before you send it again.'],
  [/^5\.7\./, 'The message was not allowed. If this is unexpected, show this report to your administrator.'],
  [/^4\./, 'Delivery was tried for some time and then given up. Send the message again later.'],
];

const adviceFor = (reply: string): string =>
  advices.find(([pattern]) => pattern.test(statusOf(reply)))?.[1] ?? 'Read the reason above. If it does not help, show this report to your administrator.';

const explanation = ({ recipients }: DeliveryReport, subject: string, { created_at: createdAt }: Submission): string =>
  [
    recipients.length === 1 ? 'Your message was not delivered to this recipient:' : 'Your message was not delivered to these recipients:',
    '',
    ...recipients.flatMap(({ address, failure: { reply } }) => [address, `    Reason: ${reply}`, `    ${adviceFor(reply)}`, '']),
    ...(subject === '' ? [] : [`Subject: ${subject}`]),
    `Sent: ${createdAt.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}`,
    '',
    'This report was made automatically. You do not need to answer it.',
    '',
  ].join('\r\n');

/** The value in printable ASCII without line breaks, so that the value can't end its header field. */
const inline = (value: string): string => value.replaceAll(/[^ -~]/g, '?');

/** Maximum characters of an address in a field of one line. Addresses that SES accepts are shorter. */
const maxAddress = 900;

/** A recipient with its type, in ASCII (RFC 3464 §2.3.2, RFC 6533 §3). */
const typedAddress = (address: string): string =>
  (/^[!-~]+$/.test(address)
    ? `rfc822; ${address}`
    : `utf-8; ${address.replaceAll(/[^!-~]|[\\+=]/gu, (character) => `\\x{${character.codePointAt(0)!.toString(16).toUpperCase()}}`)}`
  ).slice(0, maxAddress);

/**
 * The content of message/delivery-status (RFC 3464 §2): the fields of the message, then the fields of each recipient.
 */
const deliveryStatus = ({ recipients }: DeliveryReport, { submission_id, mail_from, created_at }: Submission): Buffer => {
  const dateField = (name: string, at: string): string => composeField(name, { form: 'asDate', value: at })!.text;
  const groups = [
    [`Original-Envelope-Id: ${inline(submission_id)}`, `Reporting-MTA: dns; ${inline(domainOf(mail_from))}`, dateField('Arrival-Date', created_at)],
    ...recipients.map(({ address, failure: { at, reply } }) => [
      `Final-Recipient: ${typedAddress(address)}`,
      'Action: failed',
      `Status: ${statusOf(reply)}`,
      `Diagnostic-Code: ${/^\d{3}\b/.test(reply) ? 'smtp' : 'x-ses'}; ${inline(reply)}`,
      dateField('Last-Attempt-Date', at),
    ]),
  ];
  return Buffer.from(groups.map((fields) => `${fields.join('\r\n')}\r\n`).join('\r\n'));
};

/** A field of the report. Empty for a value that a field can't have, such as a Message-ID with control characters. */
const fieldOf = (name: string, header: HeaderValue): readonly ComposedField[] => {
  try {
    return [composeField(name, header)].filter((field) => field !== undefined);
  } catch (error) {
    if (error instanceof UnwritableValue) return [];
    throw error;
  }
};

const reportFields = (
  report: DeliveryReport,
  { mail_from }: Submission,
  id: string,
  { subject, messageId }: ReturnType<typeof headerSummary>,
): readonly ComposedField[] => {
  const domain = domainOf(mail_from);
  const references = messageId === undefined ? [] : [messageId];
  return [
    ...fieldOf('Return-Path', { form: 'asRaw', value: ' <>' }),
    ...fieldOf('From', { form: 'asAddresses', value: [{ name: 'Mail Delivery System', email: `mailer-daemon@${domain}` }] }),
    ...fieldOf('To', { form: 'asAddresses', value: [{ name: null, email: mail_from }] }),
    ...fieldOf('Subject', { form: 'asText', value: subject === '' ? 'Undelivered message' : `Undelivered: ${cutToOctets(subject, maxSubject)}` }),
    ...fieldOf('Date', { form: 'asDate', value: report.at }),
    ...fieldOf('Message-ID', { form: 'asMessageIds', value: [`${id}@${domain}`] }),
    ...fieldOf('In-Reply-To', { form: 'asMessageIds', value: references }),
    ...fieldOf('References', { form: 'asMessageIds', value: references }),
    ...fieldOf('Auto-Submitted', { form: 'asText', value: 'auto-replied' }),
  ];
};

/**
 * Composes a report to the sender that delivery failed (RFC 3464, in a multipart/report of RFC 6522): a text for a
 * person, the status of each recipient, and the header of the message. The same arguments give the same octets.
 * @param id part of the report's Message-ID. It must be unguessable, because the boundary is derived from it.
 */
export const composeDeliveryReport = (report: DeliveryReport, submission: Submission, id: string): Buffer => {
  const { header } = submission;
  const summary = headerSummary(header);
  const part = (type: string, content: NewPart['content']): NewPart => ({ type: { value: type }, fields: [], content });
  const root: NewPart = {
    type: { value: 'multipart/report', parameters: new Map([['report-type', 'delivery-status']]) },
    fields: [],
    content: {
      subParts: [
        part('text/plain', { text: explanation(report, summary.subject, submission) }),
        part('message/delivery-status', { octets: deliveryStatus(report, submission) }),
        ...(header === '' ? [] : [part('text/rfc822-headers', { text: header })]),
      ],
    },
  };
  const boundary = createHash('sha256').update(`boundary of ${id}`).digest('hex').slice(0, 32);
  return composeMessage({ fields: reportFields(report, submission, id, summary), root }, () => boundary);
};
