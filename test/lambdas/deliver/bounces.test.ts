import { faultyTable } from '../../fakes/faulty-table.ts';
import type { SendFault } from '../../fakes/memory-mail-sender.ts';
import type { MemoryObjects } from '../../fakes/memory-objects.ts';
import { deliverDeploymentPerTest, inboundRecord, receivedNotification } from './deliver-deployment.ts';

const mail = deliverDeploymentPerTest();
let now: number;
beforeEach(() => {
  now = Date.parse('2026-11-22T09:00:00Z');
});
const clock = () => new Date(now);

const message = (...fields: string[]) => ['From: X <x@elsewhere.test>', 'To: nobody@example.test', 'Subject: Hi', ...fields, '', 'Hello', ''].join('\r\n');

type Arrival = { readonly raw?: string; readonly recipients?: readonly string[]; readonly sender?: string; readonly verdicts?: Record<string, string> };

const arrive = ({ raw = message(), recipients = ['nobody@example.test'], ...envelope }: Arrival = {}) => mail.arrive('ses-1', raw, recipients, envelope);

/** Delivers messages that the Lambda itself enqueued, until there are none. @returns the delays. */
const deliverQueued = async (): Promise<number[]> => {
  const delays: number[] = [];
  for (let next = mail.queue.messages.shift(); next; next = mail.queue.messages.shift()) {
    delays.push(next.delaySeconds);
    now += next.delaySeconds * 1000;
    expect(await mail.deliver([JSON.stringify(next.message)], { clock })).toEqual([]);
  }
  return delays;
};

const outcomes = () =>
  mail.log.records
    .filter(({ level, message: text }) => level === 'warn' && text.startsWith('undeliverable'))
    .map(({ message: text, details }) => ({ outcome: text, ...details }));

describe('mail that no account receives is bounced', () => {
  test.each([
    ['to an unknown address', 'nobody@example.test', 'mailer-daemon@example.test'],
    ['to an inactive alias', 'former@example.test', 'mailer-daemon@example.test'],
    ['to a domain that does not receive mail', 'alice@closed.test', 'mailer-daemon@closed.test'],
    ['to an account that does not exist any more', 'ghost@example.test', 'mailer-daemon@example.test'],
    ['to a detail of an unknown user', 'nobody+tag@example.test', 'mailer-daemon@example.test'],
  ])('%s', async (_, recipient, from) => {
    expect(await mail.deliver([await arrive({ recipients: [recipient] })])).toEqual([]);
    await deliverQueued();
    expect(mail.bounces.sent).toEqual([{ messageId: 'ses-1', from, recipients: [recipient], reason: 'unknown' }]);
    expect(outcomes()).toEqual([{ outcome: 'undeliverable: bounced', sesMessageId: 'ses-1', recipients: 1 }]);
  });

  // @pitfall delivery no-recipient
  test('to these recipients, and delivered to the others', async () => {
    const recipients = ['alice@example.test', 'nobody@example.test', 'ghost@example.test', 'noone@example.test', 'nobody@example.test'];
    expect(await mail.deliver([await arrive({ recipients })])).toEqual([]);
    await deliverQueued();
    expect(await mail.emails('acc_alice', 'inbox')).toHaveLength(1);
    expect(mail.bounces.sent.flatMap((bounce) => bounce.recipients).sort()).toEqual(['ghost@example.test', 'nobody@example.test', 'noone@example.test']);
  });

  test('although the delivery to another recipient fails', async () => {
    const failing = { deliverAll: () => Promise.reject(new Error('the table is away')) };
    const body = await arrive({ recipients: ['alice@example.test', 'nobody@example.test'] });
    expect(await mail.deliver([body], { mailStore: failing })).toEqual([0]);
    await deliverQueued();
    expect(mail.bounces.sent).toHaveLength(1);
  });
});

describe('a bounce is sent once', () => {
  test('when SES notifies several times, also at once', async () => {
    const body = await arrive();
    await Promise.all([mail.deliver([body]), mail.deliver([body])]);
    await mail.deliver([body]);
    const due = mail.queue.messages.splice(0).map((each) => JSON.stringify(each.message));
    expect(due).toHaveLength(3);
    await Promise.all(due.map((each) => mail.deliver([each], { clock })));
    await deliverQueued();
    await mail.deliver([due[0]!], { clock });
    expect(mail.bounces.sent).toHaveLength(1);
  });

  test('to each recipient when several receipt rules notify of one message', async () => {
    await mail.deliver([await arrive(), await arrive({ recipients: ['noone@example.test'] }), await arrive()]);
    await deliverQueued();
    expect(mail.bounces.sent.map((bounce) => bounce.recipients)).toEqual([['nobody@example.test'], ['noone@example.test']]);
  });

  test('to a recipient in two bounces with different recipients', async () => {
    await mail.deliver([
      await arrive({ recipients: ['nobody@example.test', 'noone@example.test'] }),
      await arrive({ recipients: ['nobody@example.test', 'former@example.test'] }),
      await arrive({ recipients: ['noone@example.test', 'former@example.test'] }),
    ]);
    await deliverQueued();
    expect(mail.bounces.sent.flatMap(({ recipients }) => recipients).sort()).toEqual(['former@example.test', 'nobody@example.test', 'noone@example.test']);
  });

  test('to 120 recipients of one message, 50 at a time', async () => {
    const recipients = Array.from({ length: 120 }, (_, index) => `nobody${index}@example.test`);
    await mail.deliver([await arrive({ recipients })]);
    await deliverQueued();
    expect(mail.bounces.sent.map((bounce) => bounce.recipients.length)).toEqual([50, 50, 20]);
    expect(new Set(mail.bounces.sent.flatMap((bounce) => bounce.recipients))).toEqual(new Set(recipients));
  });

  test('after SES throttled it, without a failed record and with random pauses', async () => {
    mail.bounces.faults.push('throttled', 'throttled', 'throttled');
    await mail.deliver([await arrive()]);
    const [first, ...pauses] = await deliverQueued();
    expect(first).toBe(0);
    expect(pauses).toHaveLength(3);
    for (const [index, pause] of pauses.entries()) expect(pause >= 1 && pause <= 8 * 2 ** index).toBe(true);
    expect(mail.bounces.sent).toHaveLength(1);
    expect(outcomes()).toHaveLength(1);
  });

  test('when its request was lost', async () => {
    mail.bounces.faults.push('request lost');
    await mail.deliver([await arrive()]);
    expect(await deliverQueued()).toEqual([0, 120]);
    expect(mail.bounces.sent).toHaveLength(1);
  });

  test('after a Lambda ended during the attempt', async () => {
    await mail.deliver([await arrive()]);
    const task = JSON.stringify(mail.queue.messages.shift()!.message);
    const table = faultyTable(
      mail.mailTable,
      async () => undefined,
      () => 'crash after',
    );
    expect(await mail.deliver([task], { clock, mailTable: table })).toEqual([0]);
    expect(mail.bounces.sent).toEqual([]);
    expect(await mail.deliver([task], { clock })).toEqual([]);
    expect(mail.bounces.sent).toEqual([]);
    await deliverQueued();
    expect(mail.bounces.sent).toHaveLength(1);
  });
});

describe('a bounce is given up, and logged as undeliverable,', () => {
  test.each<[string, readonly SendFault[], string, number]>([
    ['when SES refuses it', ['refused'], 'refused by SES', 1],
    ['when SES throttles ten times', Array.from({ length: 10 }, () => 'throttled' as const), 'SES unavailable', 10],
  ])('%s', async (_, faults, reason, attempts) => {
    mail.bounces.faults.push(...faults);
    const body = await arrive();
    await mail.deliver([body]);
    expect(await deliverQueued()).toHaveLength(attempts);
    await mail.deliver([body]);
    await deliverQueued();
    expect(mail.bounces.sent).toEqual([]);
    expect(outcomes()).toEqual([{ outcome: 'undeliverable: not bounced', sesMessageId: 'ses-1', recipients: 1, reason }]);
  });
});

/**
 * Forged, automatic or unwanted mail: its bounce would reach a person who did not send it, or a program that responds.
 */
describe('mail that no account receives is logged and not bounced', () => {
  const forged = message().replace('x@elsewhere.test', 'x@attacker.test');
  test.each<[string, Arrival, string]>([
    ['with the null sender', { sender: '' }, 'null sender'],
    ['with the null sender in brackets', { sender: '<>' }, 'null sender'],
    ['from a mailer daemon', { sender: 'MAILER-DAEMON@elsewhere.test' }, 'null sender'],
    ['from a sender without a domain', { sender: 'root' }, 'null sender'],
    ['that is spam', { verdicts: { spamVerdict: 'FAIL' } }, 'spam or virus'],
    ['that may be spam', { verdicts: { spamVerdict: 'GRAY' } }, 'spam or virus'],
    ['with a virus', { verdicts: { virusVerdict: 'FAIL' } }, 'spam or virus'],
    ['that could not be scanned', { verdicts: { virusVerdict: 'PROCESSING_FAILED' } }, 'spam or virus'],
    ['that fails DMARC', { verdicts: { dmarcVerdict: 'FAIL' } }, 'unauthenticated sender'],
    ['whose DMARC check failed', { verdicts: { dmarcVerdict: 'GRAY', spfVerdict: 'FAIL' } }, 'unauthenticated sender'],
    ['without SPF and DMARC', { verdicts: { dmarcVerdict: 'GRAY', spfVerdict: 'GRAY' } }, 'unauthenticated sender'],
    ['with SPF of another domain and no DMARC', { raw: forged, verdicts: { dmarcVerdict: 'GRAY' } }, 'unauthenticated sender'],
    ['with DMARC of another domain than the unproven envelope sender', { raw: forged, verdicts: { spfVerdict: 'SOFTFAIL' } }, 'unauthenticated sender'],
    ['with two authors and no DMARC', { raw: message('From: y@elsewhere.test'), verdicts: { dmarcVerdict: 'GRAY' } }, 'unauthenticated sender'],
    ['with Auto-Submitted', { raw: message('Auto-Submitted: auto-replied') }, 'automatic message'],
    ['with Auto-Submitted in another spelling', { raw: message('AUTO-SUBMITTED : (by hand) auto-generated') }, 'automatic message'],
    ['of a list', { raw: message('List-Id: <list.elsewhere.test>') }, 'automatic message'],
    ['of a newsletter', { raw: message('List-Unsubscribe: <https://elsewhere.test>') }, 'automatic message'],
    ['with Precedence: bulk', { raw: message('Precedence:\r\n bulk') }, 'automatic message'],
    ['with Precedence: list', { raw: message('Precedence: list') }, 'automatic message'],
    ['that is a delivery report', { raw: message('Content-Type: multipart/report; report-type=delivery-status; boundary=b') }, 'automatic message'],
    ['that is a disposition notification', { raw: message('Content-Type: Message/Disposition-Notification') }, 'automatic message'],
    ['with a header of 300 KB', { raw: message(`X-Filler: ${'x'.repeat(300_000)}`) }, 'unreadable header'],
    ['with 3,000 fields', { raw: message(...Array.from({ length: 3000 }, () => 'X: y')) }, 'unreadable header'],
  ])('%s', async (_, arrival, reason) => {
    expect(await mail.deliver([await arrive(arrival)])).toEqual([]);
    expect(mail.queue.messages).toEqual([]);
    expect(outcomes()).toEqual([{ outcome: 'undeliverable: not bounced', sesMessageId: 'ses-1', recipients: 1, reason }]);
  });
});

test('mail that no account receives returns to the queue when its raw message does not exist', async () => {
  const body = inboundRecord(JSON.stringify(receivedNotification('lost', ['nobody@example.test'])));
  expect(await mail.deliver([body])).toEqual([0]);
  expect([mail.queue.messages, outcomes()]).toEqual([[], []]);
});

test.each<[string, Arrival]>([
  ['with DMARC by DKIM and SPF of a sending service', { raw: message().replace('x@elsewhere.test', 'x@brand.test'), sender: 'bounces@service.test' }],
  ['with DMARC by DKIM when a forwarder broke SPF', { verdicts: { spfVerdict: 'FAIL' } }],
  ['with SPF of a domain below the author’s and no DMARC', { sender: 'x@bounce.elsewhere.test', verdicts: { dmarcVerdict: 'GRAY' } }],
  ['with Auto-Submitted: no', { raw: message('Auto-Submitted: no') }],
  ['of the body only', { raw: `${message()}\r\nList-Id: <x>\r\n` }],
])('mail that no account receives is bounced %s', async (_, arrival) => {
  await mail.deliver([await arrive(arrival)]);
  expect(mail.queue.messages).toHaveLength(1);
});

test('undeliverable mail of 40 MB is not read beyond its header', async () => {
  const ranges: unknown[] = [];
  const objects: MemoryObjects = {
    ...mail.objects,
    get: (key, range) => {
      ranges.push(range);
      return mail.objects.get(key, range);
    },
  };
  await mail.deliver([await arrive({ raw: message() + 'x'.repeat(5_000_000) })], { objects });
  expect(ranges).toEqual([{ start: 0, end: 256 * 1024 }]);
});
