import type { DeliverDependencies } from '../../../../lambdas/deliver/deliver-dependencies.ts';
import { deliverDeploymentPerTest } from '../deliver-deployment.ts';

const received = Date.parse('2026-11-22T09:00:00Z');
const quarterOfAnHour = 900;
const hour = 3_600_000;

const raw = (subject: string, ...fields: string[]): string =>
  ['From: X <x@elsewhere.test>', 'To: alice@example.test', `Subject: ${subject}`, ...fields, '', 'Hello', ''].join('\r\n');

describe('a message for a full account', () => {
  const mail = deliverDeploymentPerTest({ octets: 1_000_000, count: 1 });
  let now: number;
  beforeEach(async () => {
    now = received;
    await mail.deliver([await arrive('first')]);
  });
  const clock = () => new Date(now);
  const arrive = (id: string, recipients: readonly string[] = ['alice@example.test'], ...fields: string[]) =>
    mail.arrive(id, raw(id, ...fields), recipients, { timestamp: '2026-11-22T09:00:00.000Z' });
  const deliver = (body: string) => mail.deliver([body], { clock });
  const inbox = () => mail.emails('acc_alice', 'inbox');
  const destroyFirst = async () => {
    const view = (await mail.mailStore.open('acc_alice'))!;
    const [id] = await inbox();
    await mail.mailStore.commit(view, () => ({ records: { Email: { destroy: [id!] } } }));
  };

  /**
   * Delivers waiting messages of the queue, for this many hours.
   * @returns the hours after which the queue was empty.
   */
  const waitFor = async (hours: number): Promise<number> => {
    while (mail.queue.messages.length > 0 && now < received + hours * hour) {
      const { message, delaySeconds } = mail.queue.messages.shift()!;
      now += delaySeconds * 1000;
      expect(await deliver(JSON.stringify(message))).toEqual([]);
    }
    return (now - received) / hour;
  };

  test('waits in the queue, and is delivered once there is room', async () => {
    expect(await deliver(await arrive('second'))).toEqual([]);
    expect(mail.queue.messages).toMatchObject([{ delaySeconds: quarterOfAnHour }]);
    expect(await inbox()).toHaveLength(1);
    await waitFor(2);
    await destroyFirst();
    await waitFor(24);
    expect(await inbox()).toHaveLength(1);
    expect(mail.bounces.sent).toEqual([]);
    expect(mail.objects.keys().filter((key) => key.startsWith('inbound/'))).toEqual([]);
  });

  test('is logged at each attempt with the time since SES received it, which a metric of the stack reads', async () => {
    await deliver(await arrive('second'));
    await waitFor(3);
    const waits = mail.log.records.filter(({ message }) => message === 'undeliverable: waiting for room').map(({ details }) => details!.waitedSeconds!);
    expect(waits).toEqual(Array.from({ length: 13 }, (_, attempt) => attempt * quarterOfAnHour));
  });

  test('is delivered to the other recipients at once, and to each account once', async () => {
    const body = await arrive('second', ['alice@example.test', 'bob@example.test']);
    await deliver(body);
    await deliver(body);
    expect(await mail.emails('acc_bob', 'inbox')).toHaveLength(1);
    await destroyFirst();
    await waitFor(24);
    expect([await inbox(), await mail.emails('acc_bob', 'inbox')].map(({ length }) => length)).toEqual([1, 1]);
  });

  test('leaves no copy of the message in the account’s folder when it is bounced', async () => {
    const copies = () => mail.objects.keys().filter((key) => key.startsWith('messages/'));
    const before = copies();
    await deliver(await arrive('second'));
    await waitFor(24);
    expect([mail.bounces.sent.length, copies()]).toEqual([1, before]);
  });

  test('keeps its copy when another record of the message is delivered while one waits', async () => {
    const body = await arrive('second');
    const isFull: DeliverDependencies['mailStore']['deliverAll'] = async (accountId, emails) => {
      // There is room after this attempt has read that the account is full; the other record is delivered at that moment.
      const result = await mail.mailStore.deliverAll(accountId, emails);
      await destroyFirst();
      expect(await deliver(body)).toEqual([]);
      return result;
    };
    expect(await mail.deliver([body], { clock, mailStore: { deliverAll: isFull } })).toEqual([]);
    const [id] = await inbox();
    expect(mail.objects.keys()).toContain(`messages/acc_alice/${id!.slice(1)}`);
  });

  test('is no longer delivered when its bounce is due', async () => {
    const body = await arrive('second');
    await deliver(body);
    await deliver(body);
    const [first, second] = mail.queue.messages.splice(0);
    now += 20 * hour;
    await deliver(JSON.stringify(first!.message));
    await destroyFirst();
    await deliver(JSON.stringify(second!.message));
    await waitFor(24);
    expect([mail.bounces.sent.length, await inbox()]).toEqual([1, []]);
  });

  test('is not bounced when another record of it was delivered', async () => {
    const body = await arrive('second');
    await deliver(body);
    await destroyFirst();
    await deliver(body);
    await deliver(await arrive('third'));
    const [second] = mail.queue.messages.splice(0);
    now += 20 * hour;
    await deliver(JSON.stringify(second!.message));
    await waitFor(24);
    expect([mail.bounces.sent, (await inbox()).length]).toEqual([[], 1]);
  });

  test('is bounced once after 20 hours, with the reason that the mailbox is full', async () => {
    const body = await arrive('second');
    await deliver(body);
    await deliver(body);
    const hours = await waitFor(48);
    expect(hours).toBeGreaterThanOrEqual(20);
    expect(hours).toBeLessThan(24);
    expect(mail.bounces.sent).toEqual([{ messageId: 'second', from: 'mailer-daemon@example.test', recipients: ['alice@example.test'], reason: 'full' }]);
    expect(await inbox()).toHaveLength(1);
  });

  test('that may not be bounced waits for 14 days, and is then logged as undeliverable', async () => {
    await deliver(await arrive('second', ['alice@example.test'], 'List-Id: <news.example.net>'));
    expect(Math.round((await waitFor(24 * 20)) / 24)).toBe(14);
    expect(mail.bounces.sent).toEqual([]);
    expect(mail.log.records.at(-1)).toMatchObject({
      level: 'warn',
      message: 'undeliverable: not bounced',
      details: { sesMessageId: 'second', recipients: 1, reason: 'account full' },
    });
    expect(mail.objects.keys()).toContain('inbound/deliver-1/second');
  });

  test('is bounced as undeliverable when the account is removed while it waits', async () => {
    await deliver(await arrive('second'));
    await mail.mailTable.write([{ delete: { pk: 'acc_alice#log', sk: 'HEAD' } }]);
    await waitFor(24);
    expect(mail.bounces.sent).toMatchObject([{ messageId: 'second', reason: 'unknown' }]);
  });

  test('is not read again while the account is full', async () => {
    await deliver(await arrive('second'));
    let reads = 0;
    const objects = {
      ...mail.objects,
      get: (...args: Parameters<typeof mail.objects.get>) => {
        reads++;
        return mail.objects.get(...args);
      },
    };
    await mail.deliver([JSON.stringify(mail.queue.messages[0]!.message)], { clock, objects });
    expect(reads).toBe(0);
  });
});
