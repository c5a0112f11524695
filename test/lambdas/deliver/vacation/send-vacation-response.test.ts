import type { Alias } from '../../../../contract/admin/aliases.ts';
import { vacationMessageRules } from '../../../../contract/jmap/vacation-response.ts';
import { newAliasWrites } from '../../../../core/directory/aliases/aliases.ts';
import { identityOfAlias } from '../../../../core/mail/identity-type.ts';
import { vacationResponseOf, type VacationResponseRecord } from '../../../../core/mail/vacation-response-type.ts';
import type { Table, Write } from '../../../../core/storage/table.ts';
import { vacationDependencies } from '../../../../lambdas/deliver/vacation/send-vacation-response.ts';
import { deliverDeploymentPerTest, type DeliverDeployment } from '../deliver-deployment.ts';

const now = new Date('2026-12-24T12:00:00.000Z');
const day = 86_400_000;
const clock = () => now;

const alias = (email: string, more: Partial<Alias> = {}): Alias => ({
  alias_id: `alias_${email.split('@')[0]!}`,
  account_id: 'acc_alice',
  email,
  domain_id: 'dom_1',
  is_primary: false,
  is_active: true,
  is_visible: true,
  can_send_from: true,
  created_at: now.toISOString(),
  updated_at: now.toISOString(),
  ...more,
});

const domainWrite = (more: object = {}): Write => ({
  put: { pk: 'domain', sk: 'dom_1', id: 'dom_1', domain: 'example.test', send_enabled: true, state: 'ready', ...more },
});

const rawFrom = (from: string, to = 'alice@example.test', more = '') =>
  `From: ${from}\r\nTo: ${to}\r\nSubject: Lunch?\r\nMessage-ID: <m1@example.net>\r\n${more}\r\nHello\r\n`;

describe('a delivery to an account with a VacationResponse', () => {
  const mail = deliverDeploymentPerTest();
  beforeEach(async () => {
    await mail.directoryTable.write([
      domainWrite(),
      ...newAliasWrites(alias('alice@example.test', { is_primary: true, name: 'Alice' })),
      ...newAliasWrites(alias('alice.liddell@example.test', { reply_to: 'office@example.test' })),
      ...newAliasWrites(alias('bob@example.test', { account_id: 'acc_bob', is_primary: true })),
    ]);
  });

  const setVacation = async (changes: Partial<VacationResponseRecord> = {}, accountId = 'acc_alice') => {
    const view = (await mail.mailStore.open(accountId))!;
    await mail.mailStore.commit(view, (newest) => ({
      records: { VacationResponse: { put: [{ ...vacationResponseOf(newest), isEnabled: true, textBody: 'Away', ...changes }] } },
    }));
  };

  let arrived = 0;
  const arrive = (sender = 'ann@example.net', { raw = rawFrom(sender), to = ['alice@example.test'], at = now.getTime() } = {}) =>
    mail.arrive(`ses-${++arrived}`, raw, to, { sender, timestamp: new Date(at).toISOString() });
  const deliver = (bodies: readonly string[], time = clock) => mail.deliverAtOnce(bodies, { clock: time });

  const responses = () => mail.sent();
  const recipients = async () => (await responses()).flatMap(({ to }) => to).sort();

  test('accepts no response to mail that came by a group', async () => {
    await setVacation();
    await mail.directoryTable.write([
      { put: { pk: 'address', sk: 'all@example.test', group_id: 'group_all', writers: 'ANYONE', state: 'ready', is_active: true } },
      { put: { pk: 'group-member#group_all', sk: 'acc_alice', added_at: now.toISOString() } },
      { put: { pk: 'account', sk: 'acc_alice', email: 'alice@example.test', name: 'Alice' } },
    ]);
    expect(await deliver([await arrive('ann@example.net', { to: ['all@example.test'] })])).toEqual([]);
    expect([(await mail.emails('acc_alice', 'inbox')).length, await responses()]).toEqual([1, []]);
  });

  test('accepts one response to the sender, as a submission without an EmailSubmission', async () => {
    await setVacation({ subject: 'Away until 2027' });
    expect(await deliver([await arrive()])).toEqual([]);
    const [{ submission, to, raw } = {} as never, ...others] = await responses();
    expect(others).toEqual([]);
    expect(to).toEqual(['ann@example.net']);
    expect(submission).toMatchObject({
      account_id: 'acc_alice',
      identity_id: 'alias_alice',
      mail_from: 'alice@example.test',
      message_class: 'TRANSACTIONAL',
      undo_status: 'pending',
      ignores_suppression: false,
    });
    expect(submission).not.toHaveProperty('has_record', true);
    expect(raw).toContain('From: Alice <alice@example.test>\r\n');
    expect(raw).toContain('Subject: Away until 2027\r\n');
    expect(mail.submitQueue.waiting).toHaveLength(1);
    expect(await mail.emails('acc_alice', 'inbox')).toHaveLength(1);
    expect((await mail.view('acc_alice')).state('EmailSubmission')).toBe('EmailSubmission-0');
  });

  test('accepts no response while it is disabled, and reads nothing more', async () => {
    const read: string[] = [];
    await mail.deliverAtOnce([await arrive()], {
      clock,
      vacation: new Proxy(
        {},
        {
          get: (_, name) => {
            read.push(String(name));
          },
        },
      ) as never,
    });
    await setVacation({ isEnabled: false });
    await deliver([await arrive()]);
    expect([await responses(), read]).toEqual([[], []]);
  });

  // @requirement 8621 §8 vacation-window
  test('accepts no response outside of its window', async () => {
    await setVacation({ fromDate: '2026-12-25T00:00:00Z' });
    await deliver([await arrive()]);
    await setVacation({ fromDate: null, toDate: '2026-12-24T12:00:00Z' });
    await deliver([await arrive()]);
    expect(await responses()).toEqual([]);
    await setVacation({ toDate: '2026-12-24T12:00:01Z' });
    await deliver([await arrive()]);
    expect(await responses()).toHaveLength(1);
  });

  test('accepts one response for each sender and interval, and another one for another content', async () => {
    await setVacation();
    await deliver([await arrive(), await arrive('bob@example.net'), await arrive('ANN@example.net')]);
    expect(await recipients()).toEqual(['ann@example.net', 'bob@example.net']);
    const later = new Date(now.getTime() + vacationMessageRules.intervalDays * day - 1000);
    await deliver([await arrive('ann@example.net', { at: later.getTime() })], () => later);
    expect(await responses()).toHaveLength(2);
    const after = new Date(now.getTime() + vacationMessageRules.intervalDays * day + 1000);
    await deliver([await arrive('ann@example.net', { at: after.getTime() })], () => after);
    expect(await responses()).toHaveLength(3);
    await setVacation({ textBody: 'Still away', toDate: '2027-12-31T00:00:00Z' });
    await deliver([await arrive('ann@example.net', { at: after.getTime() })], () => after);
    expect(await responses()).toHaveLength(4);
  });

  test('remembers a sender for the interval, and not for longer', async () => {
    await setVacation();
    await deliver([await arrive()]);
    const items = await mail.mailTable.query({ pk: 'acc_alice#responded' });
    expect(items).toHaveLength(2);
    const item = items.find(({ sk }) => !sk.startsWith('day#'));
    expect(item!['expiresAt']).toBe(now.getTime() / 1000 + vacationMessageRules.intervalDays * 86_400);
    expect(JSON.stringify(item)).not.toContain('ann');
  });

  test('treats an address with a daily tag as the same sender', async () => {
    await setVacation();
    for (const tag of ['1234abcdef', '5678abcdef']) {
      await deliver([await arrive(`prvs=${tag}=ann@example.net`, { raw: rawFrom('ann@example.net') })]);
    }
    expect(await responses()).toHaveLength(1);
  });

  test('accepts one response when ten messages of a sender arrive concurrently', async () => {
    await setVacation();
    const bodies = await Promise.all(Array.from({ length: 10 }, () => arrive()));
    expect(await deliver(bodies)).toEqual([]);
    expect(await responses()).toHaveLength(1);
    expect(await mail.emails('acc_alice', 'inbox')).toHaveLength(10);
  });

  /** Delivers without removing the message from the inbound folder, as when the Lambda is killed before the removal. */
  const deliverOnly = (bodies: readonly string[], more: Parameters<DeliverDeployment['deliverAtOnce']>[1] = {}) =>
    mail.deliverAtOnce(bodies, { clock, objects: { ...mail.objects, remove: async () => {} }, ...more });

  test('accepts one response when the queue delivers a message again, although the content changed', async () => {
    await setVacation();
    const body = await arrive();
    expect(await deliverOnly([body, body])).toEqual([]);
    await setVacation({ textBody: 'Other words' });
    expect(await deliverOnly([body])).toEqual([]);
    expect(await responses()).toHaveLength(1);
    expect(await mail.emails('acc_alice', 'inbox')).toHaveLength(1);
  });

  const vacationOf = (sendingTable: Table, directoryTable = mail.directoryTable) =>
    vacationDependencies({ directoryTable, sendingTable, queue: mail.submitQueue, objects: mail.objects, log: mail.log, clock });
  const never = new Promise<never>(() => undefined);

  test.each<[string, (write: () => Promise<void>) => Promise<void>]>([
    ['before', async () => {}],
    ['after', (write) => write()],
  ])('accepts one when the Lambda is killed %s the response is stored', async (_, last) => {
    await setVacation();
    const body = await arrive();
    const { promise: killed, resolve } = Promise.withResolvers<void>();
    const write = async (writes: readonly Write[]) => {
      await last(() => mail.sendingTable.write(writes));
      resolve();
      return never;
    };
    void mail.deliverAtOnce([body], { clock, vacation: vacationOf({ ...mail.sendingTable, write }) });
    await killed;
    expect(await deliver([body])).toEqual([]);
    expect(await responses()).toHaveLength(1);
    expect(await mail.emails('acc_alice', 'inbox')).toHaveLength(1);
  });

  test('delivers the message again after a temporary failure of the response, and accepts one response then', async () => {
    await setVacation();
    const body = await arrive();
    const throttled = Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
    expect(await mail.deliverAtOnce([body], { clock, vacation: vacationOf({ ...mail.sendingTable, write: () => Promise.reject(throttled) }) })).toEqual([0]);
    expect(await mail.emails('acc_alice', 'inbox')).toHaveLength(1);
    expect(await deliver([body])).toEqual([]);
    expect(await responses()).toHaveLength(1);
    expect(await mail.emails('acc_alice', 'inbox')).toHaveLength(1);
  });

  test('delivers the message after a permanent failure of the response, and logs the failure', async () => {
    await setVacation();
    const broken = { ...mail.directoryTable, query: () => Promise.reject(new TypeError('a fault of ours')) };
    expect(await mail.deliverAtOnce([await arrive()], { clock, vacation: vacationOf(mail.sendingTable, broken) })).toEqual([]);
    expect(await mail.emails('acc_alice', 'inbox')).toHaveLength(1);
    expect(mail.log.records).toContainEqual(expect.objectContaining({ level: 'error', message: 'a vacation response or a copy could not be sent' }));
  });

  test('responds from the address that received the message, with its reply_to, if it may send', async () => {
    await setVacation();
    const raw = rawFrom('ann@example.net', 'alice.liddell@example.test');
    await deliver([await arrive('ann@example.net', { raw, to: ['alice.liddell+shop@example.test'] })]);
    const [response] = await responses();
    expect(response!.submission).toMatchObject({ mail_from: 'alice.liddell@example.test', identity_id: 'alias_alice.liddell' });
    expect(response!.raw).toContain('Reply-To: office@example.test\r\n');
  });

  test('responds with the name and replyTo that a client set in the Identity of the address', async () => {
    await setVacation();
    const identity = { ...identityOfAlias(alias('alice@example.test'), true), name: 'Alice L.', replyTo: [{ name: 'Desk', email: 'desk@example.test' }] };
    const view = (await mail.mailStore.open('acc_alice'))!;
    await mail.mailStore.commit(view, () => ({ records: { Identity: { put: [identity] } } }));
    await deliver([await arrive()]);
    expect((await responses())[0]!.raw).toContain('From: "Alice L." <alice@example.test>\r\nTo: ann@example.net\r\nReply-To: Desk <desk@example.test>\r\n');
  });

  test('responds from the primary address when the receiving address may not send', async () => {
    const key = { pk: 'account-alias#acc_alice', sk: 'alias_alice.liddell' };
    await mail.directoryTable.write([{ update: key, set: { can_send_from: false } }]);
    await setVacation();
    const raw = rawFrom('ann@example.net', 'alice.liddell@example.test');
    await deliver([await arrive('ann@example.net', { raw, to: ['alice.liddell@example.test'] })]);
    expect((await responses())[0]!.submission).toMatchObject({ mail_from: 'alice@example.test' });
  });

  test('accepts no response when the domain may not send', async () => {
    await mail.directoryTable.write([domainWrite({ send_enabled: false })]);
    await setVacation();
    expect(await deliver([await arrive()])).toEqual([]);
    expect(await responses()).toEqual([]);
  });

  test('accepts no response to a suppressed sender', async () => {
    await setVacation();
    const suppressions = { findReasons: async (all: readonly string[]) => new Map(all.map((address) => [address, 'it bounced'])) };
    await mail.deliverAtOnce([await arrive()], { clock, vacation: { ...vacationOf(mail.sendingTable), suppressions } });
    expect(await responses()).toEqual([]);
  });

  test('accepts no response to automatic mail, a forged sender, junk and mail to others', async () => {
    await setVacation();
    const bodies = [
      await arrive('ann@example.net', { raw: rawFrom('ann@example.net', 'alice@example.test', 'Auto-Submitted: auto-replied\r\n') }),
      await mail.arrive('ses-forged', rawFrom('ann@example.org'), ['alice@example.test'], {
        sender: 'ann@example.org',
        verdicts: { spfVerdict: 'FAIL', dmarcVerdict: 'FAIL' },
        timestamp: now.toISOString(),
      }),
      await mail.arrive('ses-junk', rawFrom('ann@example.org'), ['alice@example.test'], {
        sender: 'ann@example.org',
        verdicts: { spamVerdict: 'FAIL' },
        timestamp: now.toISOString(),
      }),
      await arrive('ann@example.net', { raw: rawFrom('ann@example.net', 'all@example.net') }),
      await arrive('', { raw: rawFrom('mailer-daemon@example.net') }),
    ];
    expect(await deliver(bodies)).toEqual([]);
    expect(await responses()).toEqual([]);
    expect(await mail.mailTable.query({ pk: 'acc_alice#responded' })).toEqual([]);
  });

  test('accepts no response when the account sent too many on this day, and accepts one on the next day', async () => {
    await setVacation();
    const { maxResponsesPerDay } = vacationMessageRules;
    const key = { pk: 'acc_alice#responded', sk: `day#${Math.floor(now.getTime() / day)}` };
    await deliver([await arrive('first@example.net')]);
    expect(await mail.mailTable.get(key)).toMatchObject({ responses: 1 });
    await mail.mailTable.write([{ update: key, set: { responses: maxResponsesPerDay } }]);
    expect(await deliver([await arrive('second@example.net')])).toEqual([]);
    expect(await recipients()).toEqual(['first@example.net']);
    const tomorrow = new Date(now.getTime() + day);
    await deliver([await arrive('third@example.net', { at: tomorrow.getTime() })], () => tomorrow);
    expect(await recipients()).toEqual(['first@example.net', 'third@example.net']);
  });

  test('accepts a response for each account of the recipients that has a VacationResponse', async () => {
    await setVacation();
    await setVacation({}, 'acc_bob');
    const raw = rawFrom('ann@example.net', 'alice@example.test, bob@example.test');
    await deliver([await arrive('ann@example.net', { raw, to: ['alice@example.test', 'bob@example.test'] })]);
    expect(new Set((await responses()).map(({ submission }) => submission.account_id))).toEqual(new Set(['acc_alice', 'acc_bob']));
  });

  test('causes no response to a vacation response', async () => {
    await setVacation();
    await setVacation({}, 'acc_bob');
    await deliver([await arrive('bob@example.test', { raw: rawFrom('bob@example.test') })]);
    const [{ raw } = {} as never] = await responses();
    await deliver([await arrive('alice@example.test', { raw, to: ['bob@example.test'] })]);
    expect(await responses()).toHaveLength(1);
    expect(await mail.emails('acc_bob', 'inbox')).toHaveLength(1);
  });

  test('accepts no response to mail that waited longer than the interval for room', async () => {
    await setVacation();
    await deliver([await arrive('ann@example.net', { at: now.getTime() - vacationMessageRules.intervalDays * day - 1000 })]);
    expect(await responses()).toEqual([]);
    expect(await mail.emails('acc_alice', 'inbox')).toHaveLength(1);
  });
});
