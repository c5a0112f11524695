import type { VacationWindow } from '../../../../core/account-log/head.ts';
import { parseHeaderFields } from '../../../../core/mime/header-fields.ts';
import type { ReceivedMail } from '../../../../lambdas/deliver/received/ses-notification.ts';
import { responseProblem, responseRecipient, type ResponseObstacle } from '../../../../lambdas/deliver/vacation/vacation-policy.ts';

const receivedAt = Date.UTC(2026, 11, 24, 12);
const hour = 3_600_000;

const plain = { From: 'Ann <ann@example.net>', To: 'Alice <alice@example.test>', Subject: 'Hello', 'Message-ID': '<1@example.net>' };

const received = (more: Partial<ReceivedMail> = {}): ReceivedMail => ({
  messageId: 'ses-1',
  objectKey: 'inbound/deliver-1/ses-1',
  recipients: ['alice@example.test'],
  receivedAt,
  isJunk: false,
  sender: 'ann@example.net',
  ...more,
  verdicts: { spam: 'PASS', virus: 'PASS', spf: 'PASS', dmarc: 'PASS', ...more.verdicts },
});

const fieldsOf = (header: Readonly<Record<string, string | undefined>>) =>
  parseHeaderFields(
    Buffer.from(
      Object.entries(header)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => `${name}: ${value!}\r\n`)
        .join(''),
    ),
  );

type Case = {
  readonly mail?: Partial<ReceivedMail>;
  readonly header?: Readonly<Record<string, string | undefined>>;
  readonly window?: VacationWindow;
  readonly now?: number;
};

const ownAddresses = [
  { email: 'alice@example.test', is_active: true },
  { email: 'a.liddell@example.test', is_active: true },
  { email: 'old.alice@example.test', is_active: false },
];

const problemOf = ({ mail, header = {}, window = { from: null, to: null }, now = receivedAt + 1000 }: Case) =>
  responseProblem({ mail: received(mail), window, fields: fieldsOf({ ...plain, ...header }), ownAddresses, now: new Date(now) });

const sesSender = '0100018c2f2b1b2a-3c5f5d8e-1234-5678-9abc-def012345678-000000@mail.example.test';

// @requirement 8621 §8 vacation-care
describe('the vacation policy', () => {
  test.each<[string, Case]>([
    ['a person', {}],
    ['a person who writes to another address of the account', { header: { To: 'A.Liddell@Example.TEST' } }],
    ['a person who writes to an address with a detail', { header: { To: 'alice+shop@example.test' } }],
    ['a person who writes with the account in Cc', { header: { To: 'all@example.net', Cc: 'Team: ann@example.net, alice@example.test;' } }],
    ['a person who writes the address in needless quotes', { header: { To: 'Alice <"alice"@example.test>' } }],
    ['a person who resends a message', { header: { To: 'bob@example.net', 'Resent-To': 'alice@example.test' } }],
    ['Auto-Submitted: no', { header: { 'Auto-Submitted': 'No (really)' } }],
    ['a message that asks for no receipts', { header: { 'X-Auto-Response-Suppress': 'DR, RN, NRN' } }],
    ['mail that SES sent, by its return path', { mail: { sender: sesSender }, header: { 'Feedback-ID': 'us-east-1:AmazonSES' } }],
    ['a sender with a policy of its own, by SPF', { mail: { verdicts: { dmarc: 'GRAY', spf: 'PASS', spam: 'PASS', virus: 'PASS' } } }],
    ['a person whose name has “reply”', { mail: { sender: 'replyson@example.net' }, header: { From: 'replyson@example.net' } }],
    ['the first moment of the window', { window: { from: receivedAt, to: null } }],
    ['the last moment of the window', { window: { from: null, to: receivedAt + 1 } }],
  ])('responds to %s', (_, each) => {
    expect(problemOf(each)).toBeUndefined();
  });

  test.each<[string, ResponseObstacle, Case]>([
    ['before the window', 'outside of the window', { window: { from: receivedAt + 1, to: null } }],
    ['at the end of the window', 'outside of the window', { window: { from: null, to: receivedAt } }],
    ['a message that waited for room for longer than the interval', 'late delivery', { now: receivedAt + 7 * 24 * hour + 1 }],
    ['junk', 'spam or virus', { mail: { isJunk: true } }],
    ['spam', 'spam or virus', { mail: { verdicts: { spam: 'FAIL', virus: 'PASS', spf: 'PASS', dmarc: 'PASS' } } }],
    ['mail that is not scanned', 'spam or virus', { mail: { verdicts: { spam: 'GRAY', virus: 'PASS', spf: 'PASS', dmarc: 'PASS' } } }],
    ['a virus', 'spam or virus', { mail: { verdicts: { spam: 'PASS', virus: 'FAIL', spf: 'PASS', dmarc: 'PASS' } } }],
    ['a bounce', 'null sender', { mail: { sender: '' } }],
    ['a sender that is no address', 'null sender', { mail: { sender: 'MAILER-DAEMON' } }],
    ['an address beyond ASCII', 'unsupported address', { mail: { sender: 'jürgen@example.net' } }],
    ['a quoted address', 'unsupported address', { mail: { sender: '"a b"@example.net' } }],
    ['an address like an encoded word', 'unsupported address', { mail: { sender: '=?utf-8?B??=ann@example.net' } }],
    ['an address literal', 'unsupported address', { mail: { sender: 'ann@[192.0.2.1]' } }],
    ['a line break in the sender', 'null sender', { mail: { sender: 'ann@example.net\r\nBcc: all@example.net' } }],
    ['mail of SES with several authors', 'unsupported address', { mail: { sender: sesSender }, header: { From: 'a@example.net, b@example.net' } }],
    ['the account itself', 'own address', { mail: { sender: 'alice@example.test' }, header: { From: 'alice@example.test' } }],
    ['another address of the account', 'own address', { mail: { sender: 'Old.Alice+x@example.test' }, header: { From: 'ann@example.test' } }],
    ['the account itself through SES', 'own address', { mail: { sender: sesSender }, header: { From: 'A.Liddell@example.test' } }],
    ['a list', 'automatic message', { header: { 'List-Id': '<all.example.net>' } }],
    ['a newsletter', 'automatic message', { header: { 'List-Unsubscribe': '<https://example.net/u>' } }],
    ['bulk mail', 'automatic message', { header: { Precedence: 'bulk' } }],
    ['a response of an old program', 'automatic message', { header: { Precedence: 'auto_reply' } }],
    ['mail of an old list', 'automatic message', { header: { Precedence: 'list' } }],
    ['a response', 'automatic message', { header: { 'Auto-Submitted': 'auto-replied (vacation)' } }],
    ['generated mail', 'automatic message', { header: { 'Auto-Submitted': 'auto-generated' } }],
    ['mail with an extension of Auto-Submitted', 'automatic message', { header: { 'Auto-Submitted': 'x-robot' } }],
    ['a delivery report', 'automatic message', { header: { 'Content-Type': 'multipart/report; report-type=delivery-status' } }],
    ['a disposition notification', 'automatic message', { header: { 'Content-Type': 'message/disposition-notification' } }],
    ['mail whose sender wants no response', 'automatic message', { header: { 'X-Auto-Response-Suppress': 'OOF, AutoReply' } }],
    ['mail whose sender wants none at all', 'automatic message', { header: { 'X-Auto-Response-Suppress': 'All' } }],
    ['another autoresponder', 'automatic message', { header: { 'X-Autoreply': 'yes' } }],
    ['a loop', 'automatic message', { header: { 'X-Loop': 'alice@example.test' } }],
    ['mail with the account in Bcc alone', 'not addressed to the account', { header: { To: 'undisclosed-recipients:;' } }],
    ['mail to an alias that is not active', 'not addressed to the account', { header: { To: 'old.alice@example.test' } }],
    ['mail to an address of another domain', 'not addressed to the account', { header: { To: 'alice@example.net' } }],
    ['a forged sender', 'unauthenticated sender', { mail: { verdicts: { dmarc: 'FAIL', spf: 'FAIL', spam: 'PASS', virus: 'PASS' } } }],
    [
      'a return path that nothing vouches for',
      'unauthenticated sender',
      { mail: { sender: 'victim@example.org', verdicts: { dmarc: 'PASS', spf: 'FAIL', spam: 'PASS', virus: 'PASS' } } },
    ],
    [
      'an author that only the domain of SES vouches for',
      'unauthenticated sender',
      { mail: { sender: sesSender, verdicts: { dmarc: 'GRAY', spf: 'PASS', spam: 'PASS', virus: 'PASS' } } },
    ],
  ])('does not respond to %s: %s', (_, problem, each) => {
    expect(problemOf(each)).toBe(problem);
  });

  test.each([
    'MAILER-DAEMON',
    'postmaster',
    'majordomo',
    'LISTSERV',
    'owner-all',
    'all-owner',
    'all-request',
    'all-bounces',
    'all-bounces+ann=example.net',
    'bounces+123',
    'bounce-42',
    'noreply',
    'no-reply',
    'no_reply',
    'do-not-reply',
    'donotreply',
    'shop.no-reply',
    'noreply-2026',
    'not-reply',
  ])('does not respond to the program %s', (localPart) => {
    const address = `${localPart}@example.net`;
    expect(problemOf({ mail: { sender: address } })).toBe('automatic sender');
    expect(problemOf({ header: { From: address } })).toBe('automatic sender');
  });

  test('does not respond when the header cannot be read completely', () => {
    const arrived = { mail: received(), window: { from: null, to: null }, fields: undefined, ownAddresses, now: new Date(receivedAt) };
    expect(responseProblem(arrived)).toBe('unreadable header');
  });

  test('responds to the return path, and to the author of mail that SES sent', () => {
    const fields = fieldsOf({ ...plain, 'Reply-To': 'other@example.net' });
    expect(responseRecipient(received({ sender: 'bounce-free@example.net' }), fields)).toBe('bounce-free@example.net');
    expect(responseRecipient(received({ sender: sesSender }), fields)).toBe('ann@example.net');
  });
});
