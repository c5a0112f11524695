import * as fc from 'fast-check';
import { parseHeaderFields } from '../../../core/mime/header-fields.ts';
import { parseMessage } from '../../../core/mime/parse-message.ts';
import { composeDeliveryReport } from '../../../core/sending/delivery-report.ts';
import { singleLineReply } from '../../../core/sending/submission/delivery-status.ts';
import { maxOriginalHeader, originalHeader } from '../../../core/sending/submission/original-header.ts';
import type { DeliveryReport, Submission } from '../../../core/sending/submission/submission.ts';
import { assertProperty } from '../../support/assert-property.ts';

const at = '2026-11-21T08:38:04.000Z';
const header = 'From: Alice <alice@example.test>\r\nTo: bob@elsewhere.test\r\nSubject: Lunch\r\nMessage-ID: <1@example.test>\r\n';
const submission = (more: Partial<Submission> = {}): Submission => ({
  submission_id: 'submission_1',
  account_id: 'acc_1',
  identity_id: 'identity_1',
  message_class: 'TRANSACTIONAL',
  mail_from: 'alice@example.test',
  send_at: '2026-11-21T08:38:00.000Z',
  created_at: '2026-11-21T08:38:00.000Z',
  undo_status: 'final',
  parts: 1,
  ignores_suppression: false,
  has_record: true,
  header,
  message_key: 'key',
  ...more,
});
const report = (...failures: readonly (readonly [address: string, reply: string])[]): DeliveryReport => ({
  state: 'due',
  at,
  recipients: failures.map(([address, reply]) => ({ address, failure: { at, reply } })),
});
const bobUnknown = report(['bob@elsewhere.test', '550 5.1.1 user unknown']);

const compose = (due: DeliveryReport = bobUnknown, of: Submission = submission(), id = 'key') => composeDeliveryReport(due, of, id);
/** The contents of the leaves of a message, by media type. */
const partsOf = (raw: Buffer): Record<string, string> => {
  const {
    email: {
      bodyStructure: { subParts = [] },
    },
  } = parseMessage(raw);
  return Object.fromEntries(subParts.map(({ type, range }) => [type, raw.toString('latin1', range!.start, range!.end)]));
};

describe('a report of a failed delivery', () => {
  // RFC 3464 §2 and RFC 6522 §3.
  test('is a multipart/report with a text, the delivery status and the header of the message', () => {
    const raw = compose();
    const { email } = parseMessage(raw);
    expect(email.bodyStructure.subParts!.map(({ type }) => type)).toEqual(['text/plain', 'message/delivery-status', 'text/rfc822-headers']);
    expect(raw.toString().replaceAll(/\r\n /g, ' ')).toMatch(/\r\nContent-Type: multipart\/report; boundary="[^"]+"; report-type=delivery-status\r\n/);
    expect(partsOf(raw)['message/delivery-status']).toBe(
      [
        'Original-Envelope-Id: submission_1',
        'Reporting-MTA: dns; example.test',
        'Arrival-Date: Sat, 21 Nov 2026 08:38:00 +0000',
        '',
        'Final-Recipient: rfc822; bob@elsewhere.test',
        'Action: failed',
        'Status: 5.1.1',
        'Diagnostic-Code: smtp; 550 5.1.1 user unknown',
        'Last-Attempt-Date: Sat, 21 Nov 2026 08:38:04 +0000',
        '',
      ].join('\r\n'),
    );
    expect(partsOf(raw)['text/rfc822-headers']).toBe(header);
  });

  test('has a null return path, Auto-Submitted, and the Message-ID of the message in References', () => {
    const raw = compose();
    expect(raw.toString()).toMatch(/^Return-Path: <>\r\n/);
    expect(raw.toString()).toContain('\r\nAuto-Submitted: auto-replied\r\n');
    expect(parseMessage(raw).email).toMatchObject({
      from: [{ name: 'Mail Delivery System', email: 'mailer-daemon@example.test' }],
      to: [{ email: 'alice@example.test' }],
      subject: 'Undelivered: Lunch',
      references: ['1@example.test'],
      inReplyTo: ['1@example.test'],
      messageId: ['key@example.test'],
    });
  });

  test.each([
    ['550 5.1.1 user unknown', 'Check the address'],
    ['452 4.2.2 mailbox full', 'The mailbox is full'],
    ['552 5.3.4 too big', 'The message is too large'],
    ['451 4.4.2 it is not known whether the message was sent', 'The message may have arrived'],
    ['550 5.7.1 not sent: mail to this recipient bounced for good', 'show this report to your administrator'],
    ['451 4.4.7 expired', 'Send the message again later'],
    ['no', 'show this report to your administrator'],
  ])('tells the sender what to do after %j', (reply, advice) => {
    const text = partsOf(compose(report(['bob@elsewhere.test', reply])))['text/plain']!;
    expect(text).toContain('bob@elsewhere.test');
    expect(text).toContain(`Reason: ${reply}`);
    expect(text.replaceAll(/=?\r\n/g, '')).toContain(advice);
  });

  test('has one group of fields for each recipient, with a status that the reply implies', () => {
    const status = partsOf(compose(report(['a@x.test', '421 busy'], ['b@x.test', '550 no'], ['c@x.test', 'gone'])))['message/delivery-status']!;
    expect(
      status
        .split('\r\n\r\n')
        .slice(1)
        .map((group) => /^Status: (.*)\r$/m.exec(group)![1]),
    ).toEqual(['4.0.0', '5.0.0', '5.0.0']);
  });

  test('has the same octets each time, so that a repeated delivery stores the same message', () => {
    expect(compose().equals(compose())).toBe(true);
  });

  test('names a recipient beyond ASCII in the form of RFC 6533', () => {
    expect(partsOf(compose(report(['jörg@x.test', '550 no'])))['message/delivery-status']).toContain('Final-Recipient: utf-8; j\\x{F6}rg@x.test\r\n');
  });

  test('has the required fields and parts, and lines of at most 998 octets, for any replies and headers', () => {
    const hostile = fc
      .array(
        fc.constantFrom(
          '\r\n',
          '\n',
          '\r',
          '\0',
          ' ',
          'X-Evil: 1',
          '--=_',
          'ä',
          '\u{1F600}',
          '\uD800',
          '550 5.1.1',
          '550-',
          '<',
          '>',
          '"',
          '=?utf-8?q?=0D=0AX-Evil:_1?=',
          'x'.repeat(300),
        ),
        { maxLength: 12 },
      )
      .map((pieces) => pieces.join(''));
    assertProperty(
      fc.property(hostile, hostile, hostile, (reply, address, subject) => {
        const original = originalHeader(Buffer.from(`Subject: ${subject}\r\nMessage-ID: <${address}@x>\r\n\r\n`));
        const raw = compose(report([address, singleLineReply(reply)]), submission({ header: original }));
        const names = parseHeaderFields(raw.subarray(0, raw.indexOf('\r\n\r\n'))).map(({ name }) => name.toLowerCase());
        expect(names).not.toContain('x-evil');
        expect(new Set(names).size).toBe(names.length);
        expect(
          parseMessage(raw)
            .email.bodyStructure.subParts!.map(({ type }) => type)
            .slice(0, 2),
        ).toEqual(['text/plain', 'message/delivery-status']);
        expect(partsOf(raw)['message/delivery-status']!.split('\r\n\r\n')).toHaveLength(2);
        expect(
          Math.max(
            ...raw
              .toString('latin1')
              .split('\r\n')
              .map((line) => line.length),
          ),
        ).toBeLessThanOrEqual(998);
      }),
      { numRuns: 100 },
    );
  });
});

describe('the header that is kept with a submission', () => {
  test('has complete fields up to its limit, beginning with those that identify the message', () => {
    const to = Array.from({ length: 200 }, (_, index) => `person${index}@elsewhere.test`).join(',\r\n ');
    const kept = originalHeader(
      Buffer.from(`X-Long: ${'x'.repeat(900)}\r\nX-Longer: ${'y'.repeat(3500)}\r\nTo: ${to}\r\nSubject: Lunch\r\n\r\nSubject: body\r\n`),
    );
    expect(kept).toMatch(/^X-Long: x+\r\nSubject: Lunch\r\n$/);
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(maxOriginalHeader);
  });

  test('is empty for a message without a header', () => {
    expect(originalHeader(Buffer.from('\r\nbody\r\n'))).toBe('');
  });
});

describe('an SMTP reply', () => {
  // @requirement 8621 §7 submission-smtp-reply
  test('of several lines is one line, without the code that each line repeats', () => {
    expect(singleLineReply('550-5.7.1 Our system has detected that this message is\r\n550 5.7.1 likely spam.')).toBe(
      '550 5.7.1 Our system has detected that this message is likely spam.',
    );
    expect(singleLineReply('421-one\n421 two')).toBe('421 one two');
  });

  test('has printable ASCII only, and at most 500 characters', () => {
    expect(singleLineReply(`550 a\0b\tc é${'x'.repeat(600)}`)).toMatch(/^550 a b c \?x{489}$/);
  });
});
