import { defaultSendLimits } from '../../../contract/deployment/sending.ts';
import { defaultQuota } from '../../../contract/jmap/quota.ts';
import { forwardingsIn, type StoredForwardAddress } from '../../../core/directory/forwarding/forwardings.ts';
import { addressPartition, receivedMessageOf } from '../../../core/mail/delivery/received-message.ts';
import { findOutcomes } from '../../../core/mail/delivery/received-outcomes.ts';
import { listDestroyedEmails } from '../../../core/mail/destroyed-email-list.ts';
import { restoreEmails } from '../../../core/mail/email-restoration.ts';
import { StoreConflict } from '../../../core/runtime/domain-errors.ts';
import { checkAsReceiver } from '../../support/receiving-server.ts';
import { deliverDeploymentPerTest } from './deliver-deployment.ts';

const at = '2026-12-24T12:00:00.000Z';
const clock = () => new Date(at);
const raw = (more = '', from = 'Ann Other <ann@example.net>') =>
  `From: ${from}\r\nTo: alice@example.test\r\nSubject: Offer\r\nMessage-ID: <m1@example.net>\r\n${more}\r\nHello\r\n`;

const mail = deliverDeploymentPerTest();
const forwardings = () => forwardingsIn(mail.directoryTable);

const address = (name: string) => `${name}@example.test`;
const accountOf = (name: string) => `acc_${name}`;
const outside = 'friend@elsewhere.test';
const second = 'other@elsewhere.test';

/** An address of the store: an account here by its name, or a confirmed one outside. */
const targetOf = (to: string): StoredForwardAddress => (to.includes('@') ? { email: to, confirmed_at: at } : { email: address(to), account_id: accountOf(to) });

const forward = async (name: string, to: readonly string[], { keeps = true } = {}) => {
  const stored = { addresses: to.map(targetOf), keep_copy: keeps, updated_at: at, version: 1 };
  await mail.directoryTable.write([{ put: { pk: 'forwarding', sk: accountOf(name), ...stored } }]);
};

const storeAccount = async (name: string) => {
  const alias = { alias_id: `ali_${name}`, account_id: accountOf(name), email: address(name), domain_id: 'dom_1', is_primary: true, is_active: true };
  await mail.directoryTable.write([
    { put: { pk: 'account', sk: accountOf(name), email: address(name), name } },
    { put: { pk: 'address', sk: address(name), account_id: accountOf(name), alias_id: alias.alias_id, state: 'ready', is_active: true } },
    { put: { pk: 'alias', sk: alias.alias_id, ...alias, can_send_from: true, is_visible: true, name: `${name} Example`, created_at: at, updated_at: at } },
    {
      put: {
        pk: `account-alias#${accountOf(name)}`,
        sk: alias.alias_id,
        ...alias,
        can_send_from: true,
        is_visible: true,
        name: `${name} Example`,
        created_at: at,
        updated_at: at,
      },
    },
  ]);
};

beforeEach(async () => {
  const domain = {
    id: 'dom_1',
    domain: 'example.test',
    address_count: 0,
    send_enabled: true,
    receive_enabled: true,
    verification_status: 'SUCCESS',
    dkim_status: 'SUCCESS',
    state: 'ready',
  };
  await mail.directoryTable.write([{ put: { pk: 'domain', sk: 'dom_1', ...domain } }]);
  for (const name of ['alice', 'bob', 'carol', 'dave']) {
    await storeAccount(name);
    if (name === 'carol' || name === 'dave') await mail.mailStore.createAccount(accountOf(name));
  }
});

let arrived = 0;
type Arrival = { readonly more?: string; readonly from?: string; readonly sender?: string; readonly verdicts?: Record<string, string>; readonly id?: string };
const arrive = (to: readonly string[], { more, from, sender = 'ann@example.net', verdicts = {}, id = `ses-${++arrived}` }: Arrival = {}) =>
  mail.arrive(
    id,
    raw(more, from),
    to.map((each) => (each.includes('@') ? each : address(each))),
    { sender, timestamp: at, verdicts },
  );
const deliver = (bodies: readonly string[], replaced: object = {}) => mail.deliver(bodies, { clock, ...replaced });
const inboxes = async (...names: readonly string[]) => Promise.all(names.map(async (name) => (await mail.emails(accountOf(name), 'inbox')).length));
const sentTo = async () => (await mail.sent()).map(({ to }) => to);
const restorable = async (name: string) => (await listDestroyedEmails({ table: mail.mailTable, clock }, accountOf(name), {}, undefined, 10)).items;
const outcomes = async (of: string) => {
  const listings = await mail.sendingTable.query({ pk: addressPartition(of) });
  const item = await mail.sendingTable.get({ pk: `received#${listings.at(-1)!['shards'] as string}`, sk: listings.at(-1)!.sk });
  const [found] = await findOutcomes(mail.mailTable, [receivedMessageOf(item!)], clock());
  return Object.fromEntries(found!.map((each) => [each.address, [each.outcome, each.entry.forwardedBy, each.reason]]));
};
const fieldsOf = (message: string, name: string) =>
  message
    .slice(0, message.indexOf('\r\n\r\n'))
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
    .filter((line) => line.toLowerCase().startsWith(`${name}:`));

describe('an account that forwards', () => {
  test('keeps a copy, and sends the message from its primary address with the author to reply to', async () => {
    await forward('alice', ['bob', outside, second]);
    expect(await deliver([await arrive(['alice'])])).toEqual([]);
    expect([await inboxes('alice', 'bob'), await sentTo()]).toEqual([[1, 1], [[outside, second]]]);
    const [{ submission, raw: message }] = (await mail.sent()) as [Awaited<ReturnType<typeof mail.sent>>[number]];
    expect(submission).toMatchObject({ account_id: 'acc_alice', mail_from: address('alice'), identity_id: 'ali_alice' });
    expect(fieldsOf(message, 'from')).toEqual(['From: Ann Other via alice Example <alice@example.test>']);
    expect(fieldsOf(message, 'reply-to')).toEqual(['Reply-To: Ann Other <ann@example.net>']);
    expect(message.endsWith('Hello\r\n')).toBe(true);
    expect(message).not.toMatch(/bob@|acc_/);
    expect(await outcomes(outside)).toEqual({
      [address('alice')]: ['delivered', undefined, undefined],
      [address('bob')]: ['delivered', address('alice'), undefined],
      [outside]: ['forwarded', address('alice'), undefined],
      [second]: ['forwarded', address('alice'), undefined],
    });
  });

  test('without a copy has the message only among what it can restore', async () => {
    await forward('alice', [outside], { keeps: false });
    const body = await arrive(['alice']);
    expect(await deliver([body, body])).toEqual([]);
    expect([await inboxes('alice'), await sentTo()]).toEqual([[0], [[outside]]]);
    expect(await mail.mailStore.quota('acc_alice')).toMatchObject({ octets: { used: 0 }, count: { used: 0 } });
    const [email, ...others] = await restorable('alice');
    expect(others).toEqual([]);
    expect(email?.content.subject).toBe('Offer');
    const later = { clock: () => new Date('2026-12-24T13:00:00Z') };
    await mail.objects.put('inbound/deliver-1/ses-1', Buffer.from(raw()));
    expect(await deliver([body], later)).toEqual([]);
    expect(mail.objects.keys().filter((key) => key.startsWith('messages/acc_alice/'))).toHaveLength(1);
    expect(await outcomes(address('alice'))).toMatchObject({ [address('alice')]: ['forwarded', undefined, undefined] });
  });

  test.each([
    ['the deployment keeps deleted mail', 14 * 86_400],
    ['the deployment keeps no deleted mail, for a day', 0],
  ])('without a copy can have the message restored while %s', async (_what, recoverableSeconds) => {
    await forward('alice', [outside], { keeps: false });
    await deliver([await arrive(['alice'])], { recoverableSeconds });
    const { id } = (await restorable('alice'))[0]!;
    const restoring = { table: mail.mailTable, store: mail.mailStore, clock, quotaDefaults: defaultQuota, newId: () => 'n' };
    expect(await restoreEmails(restoring, 'acc_alice', { emailIds: [id] }, new Date('2026-12-25'))).toEqual({ restored: 1, isComplete: true });
    expect(await mail.emails('acc_alice', 'inbox')).toEqual([id]);
  });

  test.each([
    ['leaves From as it is where SES may send for the author', 'Bob <bob@example.test>', 'Bob <bob@example.test>', address('bob')],
    ['takes the place of an author for whom SES may not send', 'Ann <ann@example.net>', 'Ann via alice Example <alice@example.test>', address('alice')],
  ])('%s, so that servers outside accept it where the domain rejects forgeries', async (_what, from, expected, author) => {
    await forward('alice', [outside]);
    await deliver([await arrive(['alice'], { from, sender: /<(.*)>/.exec(from)![1]! })]);
    const message = (await mail.sent())[0]!.raw;
    expect(fieldsOf(message, 'from')).toEqual([`From: ${expected}`]);
    const accepted = { dkim: ['amazonses.com', 'example.test'], spf: 'pass', dmarc: 'pass', policy: 'reject' };
    expect(await checkAsReceiver(message, author, ['example.test'])).toEqual(accepted);
  });

  test('forwards what has an author to whom nobody can reply', async () => {
    await forward('alice', [outside]);
    await deliver([await arrive(['alice'], { from: '=?utf-8?q?Ann?= <ann\u001c@example.net>' })]);
    const [sent] = await mail.sent();
    expect(fieldsOf(sent!.raw, 'from')).toEqual(['From: Ann via alice Example <alice@example.test>']);
    expect(fieldsOf(sent!.raw, 'reply-to')).toEqual([]);
  });

  test('forwards what it gets as a member of a group', async () => {
    await mail.directoryTable.write([
      { put: { pk: 'address', sk: address('sales'), group_id: 'group_sales', writers: 'ANYONE', state: 'ready', is_active: true } },
      { put: { pk: 'group-member#group_sales', sk: 'acc_alice', added_at: at } },
    ]);
    await forward('alice', [outside, 'bob'], { keeps: false });
    await deliver([await arrive(['sales'])]);
    expect([await inboxes('alice', 'bob'), await sentTo()]).toEqual([[0, 1], [[outside]]]);
    expect(await outcomes(address('alice'))).toMatchObject({ [address('alice')]: ['forwarded', undefined, undefined] });
  });

  test('has its vacation response sent although it keeps no copy', async () => {
    await forward('alice', ['bob'], { keeps: false });
    const store = mail.mailStore;
    const view = (await store.open('acc_alice'))!;
    const vacation = { id: 'singleton', isEnabled: true, fromDate: null, toDate: null, subject: null, textBody: 'Away', htmlBody: null };
    await store.commit(view, () => ({ records: { VacationResponse: { put: [vacation] } } }));
    await deliver([await arrive(['alice'])]);
    expect(await sentTo()).toEqual([['ann@example.net']]);
  });
});

describe('mail that is not forwarded stays in the account', () => {
  const suppress = (recipient: string) => {
    const none = { count: 0 };
    const record = { recipient, created_at: at, version: 1, bounce: { count: 1, first: at, hard: at, soft: [] } };
    return mail.sendingTable.write([
      { put: { pk: 'suppression', sk: recipient, ...record, complaints: { TRANSACTIONAL: none, MAILING_LIST: none, BULK: none } } },
    ]);
  };
  const signIn = { from: 'no-reply@example.test', sender: 'no-reply@example.test' };
  const back = { more: 'Auto-Submitted: auto-replied\r\n' };

  test.each<[string, string, Arrival, { readonly prepare?: () => Promise<unknown>; readonly settings?: object; readonly role?: string }]>([
    ['spam or virus', 'junk', { verdicts: { spamVerdict: 'FAIL' } }, { role: 'junk' }],
    ['spam or virus', 'what SES did not scan', { verdicts: { virusVerdict: 'PROCESSING_FAILED' } }, {}],
    ['DMARC failed', 'a forged author whose domain asks for nothing', { verdicts: { dmarcVerdict: 'FAIL', dmarcPolicy: 'NONE' } }, {}],
    ['sign-in mail', 'a code of this deployment', signIn, {}],
    ['automatic answer', 'an automatic answer', back, {}],
    ['automatic answer', 'a bounce', { sender: '' }, {}],
    ['forwarding to the outside is off', 'anything once the deployment forbids it', {}, { settings: { mayForwardOutside: false } }],
    ['send limit', 'more than the account may send', {}, { settings: { sendLimits: { ...defaultSendLimits, perDay: 0 } } }],
    ['the message cannot be sent on', 'what cannot be sent', { more: 'Cc: <\u00fcn\u00ef@example.net>\r\n' }, {}],
    [
      'the address may not send',
      'anything when the primary address only receives',
      {},
      { prepare: () => mail.directoryTable.write([{ update: { pk: 'domain', sk: 'dom_1' }, set: { send_enabled: false } }]) },
    ],
    ['the address is suppressed', 'anything for an address that has bounced', {}, { prepare: () => suppress(outside) }],
  ])('with the reason "%s": %s', async (reason, _what, arrival, { prepare, settings, role = 'inbox' }) => {
    await forward('alice', [outside], { keeps: false });
    await prepare?.();
    expect(await deliver([await arrive(['alice'], arrival)], settings)).toEqual([]);
    expect([await sentTo(), (await mail.emails('acc_alice', role)).length, (await outcomes(outside))[outside]]).toEqual([
      [],
      1,
      ['dropped', address('alice'), reason],
    ]);
  });

  test('when the owner of the address has not confirmed it', async () => {
    await forward('alice', [], { keeps: false });
    await mail.directoryTable.write([{ update: { pk: 'forwarding', sk: 'acc_alice' }, set: { addresses: [{ email: outside, asked_at: at }] } }]);
    await deliver([await arrive(['alice'])]);
    expect([await inboxes('alice'), await sentTo()]).toEqual([[1], []]);
  });

  test('when the account to which it is forwarded is deleted', async () => {
    await forward('alice', ['bob'], { keeps: false });
    await mail.directoryTable.write([{ delete: { pk: 'account', sk: 'acc_bob' } }]);
    await deliver([await arrive(['alice'])]);
    expect(await inboxes('alice', 'bob')).toEqual([1, 0]);
  });
});

describe('circles end, and each account has one copy', () => {
  test.each<[string, { readonly [name: string]: readonly string[] }, boolean, readonly number[]]>([
    ['of two accounts with copies', { alice: ['bob'], bob: ['alice'] }, true, [1, 1, 0]],
    ['of two accounts without copies', { alice: ['bob'], bob: ['alice'] }, false, [0, 1, 0]],
    ['of three accounts without copies', { alice: ['bob'], bob: ['carol'], carol: ['alice', 'bob'] }, false, [0, 0, 1]],
    ['with the account itself', { alice: ['alice'] }, false, [1, 0, 0]],
    ['of accounts that forward to the same two', { alice: ['bob', 'carol'], bob: ['carol'], carol: ['bob'] }, true, [1, 1, 1]],
  ])('%s', async (_what, all, keeps, expected) => {
    for (const [name, to] of Object.entries(all)) await forward(name, to, { keeps });
    const body = await arrive(['alice']);
    expect(await deliver([body, body])).toEqual([]);
    expect(await inboxes('alice', 'bob', 'carol')).toEqual(expected);
  });

  test.each<[string, boolean, Record<string, string>]>([
    ['with a copy', true, {}],
    ['with a copy, whose domain the robot may not use,', true, { dmarcVerdict: 'FAIL' }],
    ['without a copy', false, {}],
    ['without a copy, whose domain the robot may not use,', false, { dmarcVerdict: 'FAIL', dmarcPolicy: 'NONE' }],
  ])('of an account %s and a robot outside that sends everything back', async (_what, keeps, verdicts) => {
    await forward('alice', [outside], { keeps });
    await deliver([await arrive(['alice'])]);
    const [message] = await mail.sent();
    const returned = await mail.arrive('back', message!.raw, [address('alice')], { sender: outside, timestamp: at, verdicts });
    expect(await deliver([returned])).toEqual([]);
    expect([await inboxes('alice'), (await mail.sent()).length]).toEqual([[1], 1]);
  });

  test('of accounts one after the other and a robot outside that sends back to the first', async () => {
    await forward('alice', ['bob']);
    await forward('bob', [outside, 'carol']);
    await deliver([await arrive(['alice'])]);
    const [message] = await mail.sent();
    await deliver([await mail.arrive('back', message!.raw, [address('alice')], { sender: outside, timestamp: at })]);
    expect([await inboxes('alice', 'bob', 'carol'), (await mail.sent()).length]).toEqual([[1, 1, 1], 1]);
  });

  test('of two accounts that forward to the same address outside, which gets the message once', async () => {
    await forward('alice', [outside]);
    await forward('bob', [outside], { keeps: false });
    await deliver([await arrive(['alice', 'bob'])]);
    expect([await inboxes('alice', 'bob'), await sentTo()]).toEqual([[1, 1], [[outside]]]);
  });
});

test('a delivery that is killed after any of its writes, and repeated, loses and doubles nothing', async () => {
  await forward('alice', ['bob', outside], { keeps: false });
  await forward('bob', [second, 'carol']);
  let body = '';
  for (let writes = 0, isKilled = true; isKilled; writes += 1) {
    let left = writes;
    isKilled = false;
    const killed = {
      ...mail.mailTable,
      write: async (...given: Parameters<typeof mail.mailTable.write>) => {
        left -= 1;
        if (left < 0) {
          isKilled = true;
          throw new StoreConflict();
        }
        return mail.mailTable.write(...given);
      },
    };
    body = await arrive(['alice'], { id: `killed-${writes}` });
    await deliver([body], {
      mailTable: killed,
      mailStore: {
        deliverAll: async (...given: Parameters<typeof mail.mailStore.deliverAll>) => {
          if ((left -= 1) < 0) {
            isKilled = true;
            throw new StoreConflict();
          }
          return mail.mailStore.deliverAll(...given);
        },
      },
    });
    await deliver([body, body]);
    expect([await inboxes('alice', 'bob', 'carol'), (await restorable('alice')).length, (await mail.sent()).length]).toEqual([
      [0, writes + 1, writes + 1],
      writes + 1,
      2 * (writes + 1),
    ]);
  }
});

describe('the link for the owner of an address outside', () => {
  const ask = async (replaced: object = {}) => deliver([JSON.stringify({ kind: 'forwarding-links', links: { accountId: 'acc_alice' } })], replaced);
  const put = (to: readonly string[], now = clock()) => forwardings().put('acc_alice', { addresses: to.map((email) => ({ email })), keep_copy: true }, now);

  test('is mailed once, and opens the page by which mail is forwarded', async () => {
    await put([outside, second]);
    expect([await ask(), await ask()]).toEqual([[], []]);
    const sent = (await mail.sent()).toSorted((one, other) => (one.to[0]! < other.to[0]! ? -1 : 1));
    expect(sent.map(({ to, submission }) => [to, submission.mail_from])).toEqual([
      [[outside], address('alice')],
      [[second], address('alice')],
    ]);
    const token = /forwarding\?token=([\w.%-]+)/.exec(sent[0]!.raw.replaceAll('=\r\n', '').replaceAll('=3D', '='))![1]!;
    await deliver([await arrive(['alice'])]);
    expect((await mail.sent()).length).toBe(2);
    expect(await forwardings().confirm(`${token}x`, clock())).toBeUndefined();
    expect(await forwardings().confirm(token, new Date('2027-01-01T00:00:00Z'))).toBeUndefined();
    expect(await forwardings().confirm(token, clock())).toMatchObject({ email: outside });
    await deliver([await arrive(['alice'])]);
    expect((await sentTo()).filter(([to]) => to === outside)).toHaveLength(2);
  });

  test('is mailed again after an hour at the earliest, and replaces the one before', async () => {
    await put([outside]);
    await ask();
    await ask({ clock: () => new Date('2026-12-24T12:59:00Z') });
    expect((await mail.sent()).length).toBe(1);
    await ask({ clock: () => new Date('2026-12-24T13:00:00Z') });
    expect((await mail.sent()).length).toBe(2);
  });

  test.each([
    ['the deployment forbids addresses outside', { mayForwardOutside: false }],
    ['the account has used up its limit', { sendLimits: { ...defaultSendLimits, perMinute: 0 } }],
  ])('is not mailed when %s', async (_what, settings) => {
    await put([outside]);
    expect(await ask(settings)).toEqual([]);
    expect(await mail.sent()).toEqual([]);
  });
});
