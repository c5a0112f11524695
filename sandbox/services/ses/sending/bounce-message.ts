import { randomUUID } from 'node:crypto';
import { field, joinMessage, type HeaderField } from '../message/header-block.ts';
import { mailDate } from '../message/received-mail.ts';

export type BounceParts = {
  readonly messageId: string;
  readonly date: Date;
  /** The address in the From field. */
  readonly from: string;
  readonly to: string;
  readonly explanation: string;
  readonly reportingMta: string;
  readonly recipients: readonly { readonly address: string; readonly status: string }[];
  /** The header of the message that is bounced. */
  readonly original: readonly HeaderField[];
};

const part = (type: string, content: string): string => `Content-Type: ${type}\r\n\r\n${content}\r\n`;

const recipientGroup = ({ address, status }: BounceParts['recipients'][number]): string =>
  [`Final-Recipient: rfc822; ${address}`, 'Action: failed', `Status: ${status}`, ''].join('\r\n');

/** A delivery status notification (RFC 3464) in a report (RFC 6522). */
export const composeBounce = ({ messageId, date, from, to, explanation, reportingMta, recipients, original }: BounceParts): Buffer => {
  const boundary = `=_${randomUUID()}`;
  const parts = [
    part('text/plain; charset=utf-8', `${explanation}\r\n\r\n${recipients.map(({ address }) => address).join('\r\n')}`),
    part('message/delivery-status', [`Reporting-MTA: dns; ${reportingMta}`, '', ...recipients.map(recipientGroup)].join('\r\n')),
    part('text/rfc822-headers', original.map(({ raw }) => raw).join('\r\n')),
  ];
  const body = `${parts.map((each) => `--${boundary}\r\n${each}`).join('')}--${boundary}--\r\n`;
  return joinMessage({
    fields: [
      field('From', from),
      field('To', to),
      field('Subject', 'Delivery Status Notification (Failure)'),
      field('Message-ID', `<${messageId}@email.amazonses.com>`),
      field('Date', mailDate(date)),
      field('Auto-Submitted', 'auto-replied'),
      field('MIME-Version', '1.0'),
      field('Content-Type', `multipart/report; report-type=delivery-status; boundary="${boundary}"`),
    ],
    body: Buffer.from(body, 'latin1'),
  });
};
