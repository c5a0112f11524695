import { allPartitions, receivedMessageOf } from '../../../core/mail/delivery/received-message.ts';
import { findOutcomes } from '../../../core/mail/delivery/received-outcomes.ts';
import { stoppedRecord, type StoppedDelivery } from '../../../core/mail/delivery/stopped-delivery.ts';
import { deliverDeploymentPerTest } from './deliver-deployment.ts';

const mail = deliverDeploymentPerTest();
let now: number;
beforeEach(() => {
  now = Date.parse('2026-11-21T09:00:00Z');
});
const clock = () => new Date(now);
const raw = ['From: X <x@elsewhere.test>', 'To: alice@example.test', 'Subject: Hi', '', 'Hello', ''].join('\r\n');
const recipients = ['alice@example.test', 'bob@example.test', 'nobody@example.test'];

const arrive = (more?: Parameters<typeof mail.arrive>[3], to = recipients) => mail.arrive('ses-1', raw, to, more);
const stop = (how: StoppedDelivery['how'], record: string) => mail.deliver([JSON.stringify(stoppedRecord({ how, record }))], { clock });
const deliverQueued = async (): Promise<void> => {
  for (let next = mail.queue.messages.shift(); next; next = mail.queue.messages.shift()) {
    now += next.delaySeconds * 1000;
    expect(await mail.deliver([JSON.stringify(next.message)], { clock })).toEqual([]);
  }
};
/** Fails the delivery to bob for good. */
const withoutBob = {
  mailStore: {
    deliverAll: (account: string, emails: Parameters<typeof mail.mailStore.deliverAll>[1]) =>
      account === 'acc_bob' ? Promise.reject(new TypeError('a defect')) : mail.mailStore.deliverAll(account, emails),
  },
};
/** The outcome for each recipient, as admins see it. */
const outcomes = async (): Promise<Record<string, string>> => {
  const items = (await Promise.all(allPartitions.map((pk) => mail.sendingTable.query({ pk })))).flat();
  const [found] = await findOutcomes(mail.mailTable, items.map(receivedMessageOf), clock());
  return Object.fromEntries((found ?? []).map(({ address, outcome, reason }) => [address, reason === undefined ? outcome : `${outcome}: ${reason}`]));
};

describe('mail that could not be delivered', () => {
  test('is returned to its sender, and no account gets it any more', async () => {
    const body = await arrive();
    expect(await stop('return', body)).toEqual([]);
    await deliverQueued();
    expect(mail.bounces.sent).toEqual([
      { messageId: 'ses-1', from: 'mailer-daemon@example.test', recipients: ['nobody@example.test'], reason: 'unknown' },
      { messageId: 'ses-1', from: 'mailer-daemon@example.test', recipients: ['alice@example.test', 'bob@example.test'], reason: 'returned' },
    ]);
    expect(await outcomes()).toEqual({ 'alice@example.test': 'bounced', 'bob@example.test': 'bounced', 'nobody@example.test': 'bounced' });
    await mail.deliver([body], { clock });
    await deliverQueued();
    expect(await mail.emails('acc_alice', 'inbox')).toEqual([]);
    expect(mail.bounces.sent).toHaveLength(2);
  });

  test('is dropped without a word to its sender', async () => {
    const body = await arrive();
    expect(await stop('drop', body)).toEqual([]);
    await deliverQueued();
    expect(mail.bounces.sent).toEqual([]);
    const dropped = 'dropped: dropped by an admin';
    expect(await outcomes()).toEqual({ 'alice@example.test': dropped, 'bob@example.test': dropped, 'nobody@example.test': dropped });
    expect(await mail.objects.size('inbound/deliver-1/ses-1')).toBe(raw.length);
    await mail.deliver([body], { clock });
    await deliverQueued();
    expect(await mail.emails('acc_bob', 'inbox')).toEqual([]);
    expect(mail.bounces.sent).toEqual([]);
  });

  test.each(['return', 'drop'] as const)('stays where it was delivered: %s', async (how) => {
    const body = await arrive();
    expect(await mail.deliver([body], { clock, ...withoutBob })).toEqual([0]);
    await deliverQueued();
    expect(await stop(how, body)).toEqual([]);
    expect(await stop(how, body)).toEqual([]);
    await deliverQueued();
    expect(await mail.emails('acc_alice', 'inbox')).toHaveLength(1);
    expect(mail.bounces.sent.flatMap(({ recipients: to }) => to)).toEqual(['nobody@example.test', ...(how === 'return' ? ['bob@example.test'] : [])]);
    expect(await outcomes()).toEqual({
      'alice@example.test': 'delivered',
      'bob@example.test': how === 'return' ? 'bounced' : 'dropped: dropped by an admin',
      'nobody@example.test': 'bounced',
    });
  });

  test.each<[string, Parameters<typeof mail.arrive>[3], number]>([
    ['null sender', { sender: '' }, 0],
    ['spam or virus', { verdicts: { spamVerdict: 'FAIL' } }, 0],
    ['unauthenticated sender', { verdicts: { spfVerdict: 'FAIL', dmarcVerdict: 'FAIL' } }, 0],
    ['too old', {}, 24],
  ])('that may not be bounced is a dead letter again, with the reason: %s', async (reason, more, hours) => {
    const record = await arrive(more);
    now += hours * 3_600_000;
    expect(await stop('return', record)).toEqual([]);
    await deliverQueued();
    expect(mail.deadLetters.messages).toEqual([{ message: stoppedRecord({ how: 'return', record, refused: reason }), delaySeconds: 0 }]);
    expect(mail.bounces.sent).toEqual([]);
    expect(await mail.deliver([record], { clock })).toEqual([]);
    expect(await mail.emails('acc_alice', 'inbox').then((inbox) => inbox.length + (reason === 'spam or virus' ? 1 : 0))).toBe(1);
  });

  test('whose object is gone can be dropped, and not returned', async () => {
    const body = await arrive({}, ['alice@example.test']);
    await mail.objects.remove(['inbound/deliver-1/ses-1']);
    await stop('return', body);
    expect(mail.deadLetters.messages).toMatchObject([{ message: { stop: { refused: 'not stored' } } }]);
    expect(await stop('drop', body)).toEqual([]);
  });
});

describe('a bounce that could not be sent', () => {
  const record = JSON.stringify({ kind: 'bounce', bounce: { messageId: 'ses-1', recipients: ['nobody@example.test'], reason: 'unknown', attempt: 1 } });

  test('is sent by return', async () => {
    expect(await stop('return', record)).toEqual([]);
    expect(mail.bounces.sent).toHaveLength(1);
  });

  test('is given up by drop, also after an attempt without a result', async () => {
    mail.bounces.faults.push('request lost');
    await mail.deliver([await arrive({}, ['nobody@example.test'])], { clock });
    await mail.deliver([JSON.stringify(mail.queue.messages.shift()!.message)], { clock });
    expect(await outcomes()).toEqual({ 'nobody@example.test': 'bounce-due' });
    expect(await stop('drop', record)).toEqual([]);
    await deliverQueued();
    expect(mail.bounces.sent).toEqual([]);
    expect(await outcomes()).toEqual({ 'nobody@example.test': 'dropped: dropped by an admin' });
  });
});

test.each(['{', JSON.stringify(stoppedRecord({ how: 'drop', record: 'x' }))])('a record of nothing that can be stopped fails: %j', async (record) => {
  expect(await stop('drop', record)).toEqual([0]);
});
