import type { Group } from '../../../contract/admin/aliases.ts';
import { groupsIn } from '../../../core/directory/groups/groups.ts';
import { addressPartition, receivedMessageOf } from '../../../core/mail/delivery/received-message.ts';
import { findOutcomes } from '../../../core/mail/delivery/received-outcomes.ts';
import { StoreConflict } from '../../../core/runtime/domain-errors.ts';
import { checkAsReceiver } from '../../support/receiving-server.ts';
import { deliverDeploymentPerTest } from './deliver-deployment.ts';

const at = '2026-12-24T12:00:00.000Z';
const raw = (more = '', from = 'ann@example.net') =>
  `From: ${from}\r\nTo: sales@example.test\r\nSubject: Offer\r\nMessage-ID: <m1@example.net>\r\n${more}\r\nHello\r\n`;

const mail = deliverDeploymentPerTest();
const groups = () => groupsIn(mail.directoryTable);

/** Stores an account whose address may be there already. */
const storeAccount = (name: string) =>
  mail.directoryTable.write([
    { put: { pk: 'account', sk: `acc_${name}`, email: `${name}@example.test`, name } },
    { put: { pk: 'address', sk: `${name}@example.test`, account_id: `acc_${name}`, state: 'ready', is_active: true } },
  ]);
const createAccounts = async (names: readonly string[]) => {
  for (const name of names) {
    await storeAccount(name);
    await mail.mailStore.createAccount(`acc_${name}`);
  }
};
const createGroup = async (name: string, memberIds: readonly string[], more: Partial<Group> = {}) => {
  const group_id = `group_${name}`;
  await mail.directoryTable.write([{ put: { pk: 'domain', sk: 'dom_1', state: 'ready', address_count: 0 } }]);
  const group = {
    group_id,
    email: `${name}@example.test`,
    domain_id: 'dom_1',
    name,
    writers: 'ANYONE',
    members_may_send: false,
    member_count: 0,
    created_at: at,
    updated_at: at,
    ...more,
  } as const;
  await groups().create(group, []);
  for (let from = 0; from < memberIds.length; from += 25) await groups().addMembers(group_id, memberIds.slice(from, from + 25), new Date(at), () => []);
  return group_id;
};

beforeEach(() => Promise.all(['alice', 'bob'].map(storeAccount)));

let arrived = 0;
type Arrival = { readonly more?: string; readonly from?: string; readonly sender?: string; readonly verdicts?: Record<string, string>; readonly id?: string };
const arrive = (to: readonly string[], { more, from, sender = 'ann@example.net', verdicts = {}, id = `ses-${++arrived}` }: Arrival = {}) =>
  mail.arrive(id, raw(more, from), to, { sender, timestamp: at, verdicts });
const inboxes = async (...names: readonly string[]) => Promise.all(names.map(async (name) => (await mail.emails(`acc_${name}`, 'inbox')).length));
/** Delivers what the Lambda itself has sent to the queue, until nothing is left. */
const deliverQueued = async () => {
  while (mail.queue.messages.length > 0) {
    const bodies = mail.queue.messages.splice(0).map(({ message }) => JSON.stringify(message));
    expect(await mail.deliver(bodies)).toEqual([]);
  }
};
/** What became of the only message to the address, by the address. */
const outcomes = async (address: string) => {
  const [listing] = await mail.sendingTable.query({ pk: addressPartition(address) });
  const item = await mail.sendingTable.get({ pk: `received#${listing!['shards'] as string}`, sk: listing!.sk });
  const [found] = await findOutcomes(mail.mailTable, [receivedMessageOf(item!)], new Date(at));
  return Object.fromEntries(found!.map((each) => [each.address, [each.outcome, each.entry.group, each.reason]]));
};
const inbound = () => mail.objects.keys().filter((key) => key.startsWith('inbound/'));

describe('mail for a group', () => {
  test('is delivered to each member once, however many of their addresses it has, with the same octets', async () => {
    await createAccounts(['carol']);
    await createGroup('inner', ['acc_carol', 'acc_alice']);
    await createGroup('sales', ['acc_alice', 'acc_bob', 'group_inner']);
    expect(await mail.deliver([await arrive(['sales@example.test', 'alice@example.test', 'inner@example.test'])])).toEqual([]);
    expect(await inboxes('alice', 'bob', 'carol')).toEqual([1, 1, 1]);
    const copies = mail.objects.keys().filter((key) => key.startsWith('messages/'));
    expect(await Promise.all(copies.map(async (key) => (await mail.objects.get(key))!.bytes.toString()))).toEqual([raw(), raw(), raw()]);
    expect([inbound(), mail.queue.messages]).toEqual([[], []]);
    expect(await outcomes('carol@example.test')).toEqual({
      'sales@example.test': ['group', 'sales@example.test', undefined],
      'inner@example.test': ['group', 'inner@example.test', undefined],
      'alice@example.test': ['delivered', undefined, undefined],
      'bob@example.test': ['delivered', 'sales@example.test', undefined],
      'carol@example.test': ['delivered', 'sales@example.test', undefined],
    });
  });

  test('goes to Junk of each member when a check failed', async () => {
    await createGroup('sales', ['acc_alice']);
    await mail.deliver([await arrive(['sales@example.test'], { verdicts: { spamVerdict: 'FAIL' } })]);
    expect((await mail.emails('acc_alice', 'junk')).length).toBe(1);
  });

  test('ends in groups that are in each other', async () => {
    for (const name of ['one', 'two']) await createGroup(name, ['acc_alice']);
    const pair = [
      ['group_one', 'group_two'],
      ['group_two', 'group_one'],
    ] as const;
    await mail.directoryTable.write(pair.map(([pk, sk]) => ({ put: { pk: `group-member#${pk}`, sk, added_at: at } })));
    await mail.deliver([await arrive(['one@example.test'])]);
    expect(await inboxes('alice')).toEqual([1]);
  });

  test('without a member that exists is bounced like mail for an unknown address', async () => {
    await createGroup('sales', ['acc_gone']);
    await mail.deliver([await arrive(['sales@example.test'])]);
    expect(mail.queue.messages).toMatchObject([{ message: { kind: 'bounce', bounce: { recipients: ['sales@example.test'], reason: 'unknown' } } }]);
    expect(await outcomes('sales@example.test')).toEqual({ 'sales@example.test': ['bounce-due', undefined, undefined] });
  });

  test('waits for a full member, and reaches the others', async () => {
    await createGroup('sales', ['acc_alice', 'acc_bob']);
    await mail.mailStore.setQuota('acc_bob', { octets: 10 });
    await mail.deliver([await arrive(['sales@example.test'])]);
    expect(await inboxes('alice', 'bob')).toEqual([1, 0]);
    expect((await outcomes('bob@example.test'))['bob@example.test']).toEqual(['waits', 'sales@example.test', undefined]);
    expect(mail.queue.messages).toMatchObject([{ message: { kind: 'postponed', postponed: { recipients: [], members: [{ accountIds: ['acc_bob'] }] } } }]);
  });
});

describe('who may write to a group', () => {
  const [proven, forged] = [{}, { dmarcVerdict: 'FAIL', spfVerdict: 'FAIL' }];
  const [alice, bob] = ['Alice <alice@example.test>', 'bob@example.test'];
  test.each<[Group['writers'], string, Arrival, boolean]>([
    ['ANYONE', 'anyone', {}, true],
    ['ANYONE', 'a program that sends notices', { more: 'Auto-Submitted: auto-generated\r\n' }, true],
    ['ANYONE', 'a list', { more: 'List-Id: <news.example.net>\r\nPrecedence: list\r\n' }, true],
    ['ANYONE', 'an automatic answer', { more: 'Auto-Submitted: auto-replied (vacation)\r\n' }, false],
    ['ANYONE', 'a report', { more: 'Content-Type: multipart/report; boundary=x\r\n' }, false],
    ['ANYONE', 'the null sender', { sender: '' }, false],
    ['PEOPLE_HERE', 'somebody outside', {}, false],
    ['PEOPLE_HERE', 'somebody here', { from: bob, sender: bob, verdicts: proven }, true],
    ['PEOPLE_HERE', 'somebody here by another service that is proven', { from: bob, verdicts: { spfVerdict: 'FAIL' } }, true],
    ['PEOPLE_HERE', 'somebody who claims to be here', { from: bob, sender: bob, verdicts: forged }, false],
    ['PEOPLE_HERE', 'somebody who claims to be here, where no policy protects it', { from: bob, verdicts: { dmarcVerdict: 'GRAY' } }, false],
    ['PEOPLE_HERE', 'two authors, of whom one is here', { from: `${bob}, ann@example.net` }, false],
    ['MEMBERS', 'a member', { from: alice, sender: 'alice@example.test' }, true],
    ['MEMBERS', 'a member by another address', { from: 'alice.liddell@example.test' }, true],
    ['MEMBERS', 'somebody here who is no member', { from: bob, sender: bob }, false],
    ['MEMBERS', 'somebody who claims to be a member', { from: alice, verdicts: forged }, false],
    ['MEMBERS', 'a member who sends as the group', { from: 'sales@example.test', sender: 'sales@example.test' }, true],
    ['MEMBERS', 'a member of another group who sends as that', { from: 'inner@example.test', sender: 'inner@example.test' }, false],
    ['PEOPLE_HERE', 'a member who sends as the group', { from: 'sales@example.test', sender: 'sales@example.test' }, true],
  ])('%s: %s', async (writers, _who, arrival, isDelivered) => {
    await createGroup('inner', ['acc_alice']);
    await createGroup('sales', ['group_inner'], { writers });
    expect(await mail.deliver([await arrive(['sales@example.test'], arrival)])).toEqual([]);
    expect(await inboxes('alice')).toEqual([isDelivered ? 1 : 0]);
  });

  test('others get a bounce that names no member, and the record says why', async () => {
    await createGroup('sales', ['acc_alice'], { writers: 'MEMBERS' });
    await mail.deliver([await arrive(['sales@example.test', 'bob@example.test'])]);
    expect(await inboxes('alice', 'bob')).toEqual([0, 1]);
    await deliverQueued();
    expect(mail.bounces.sent).toEqual([expect.objectContaining({ recipients: ['sales@example.test'], reason: 'refused' })]);
    expect(JSON.stringify(mail.bounces.sent)).not.toContain('alice');
    expect(await outcomes('bob@example.test')).toEqual({
      'sales@example.test': ['bounced', undefined, undefined],
      'bob@example.test': ['delivered', undefined, undefined],
    });
  });

  test('whoever is not proven gets no bounce', async () => {
    await createGroup('sales', ['acc_alice'], { writers: 'PEOPLE_HERE' });
    await mail.deliver([await arrive(['sales@example.test'], { from: 'bob@example.test', verdicts: forged })]);
    expect(await outcomes('sales@example.test')).toEqual({
      'sales@example.test': ['dropped', undefined, 'the author may not write to the group; unauthenticated sender'],
    });
    expect([mail.queue.messages, mail.bounces.sent]).toEqual([[], []]);
  });
});

describe('members outside', () => {
  const [ann, bea] = ['ann@elsewhere.test', 'bea@elsewhere.test'];
  const storeDomain = (more: object = {}) => {
    const states = { send_enabled: true, verification_status: 'SUCCESS', dkim_status: 'SUCCESS', state: 'ready' };
    return mail.directoryTable.write([{ put: { pk: 'domain', sk: 'dom_1', id: 'dom_1', domain: 'example.test', address_count: 0, ...states, ...more } }]);
  };
  const withOutside = async (more: Partial<Group> = {}, domain: object = {}) => {
    await createGroup('inner', [bea]);
    await createGroup('sales', ['acc_alice', ann, bea, 'group_inner'], { name: 'Sales', ...more });
    await storeDomain(domain);
  };
  const sentMessages = async () => (await mail.sent()).map(({ raw: message }) => message);
  const headerOf = (message: string) => message.slice(0, message.indexOf('\r\n\r\n')).replaceAll(/\r\n[ \t]+/g, ' ');
  const fieldOf = (message: string, name: string) =>
    headerOf(message)
      .split('\r\n')
      .filter((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`));

  test('get the message once, from the group and with the author to reply to, and nobody is named in it', async () => {
    await withOutside();
    await mail.deliver([await arrive(['sales@example.test', 'inner@example.test'], { from: 'Ann Other <ann@example.net>' })]);
    const sent = await mail.sent();
    expect(sent.map(({ submission: { mail_from, account_id }, to }) => ({ mail_from, account_id, to }))).toEqual([
      { mail_from: 'sales@example.test', account_id: undefined, to: [ann, bea] },
    ]);
    const [message = ''] = await sentMessages();
    expect(fieldOf(message, 'from')).toEqual(['From: Ann Other via Sales <sales@example.test>']);
    expect(fieldOf(message, 'reply-to')).toEqual(['Reply-To: Ann Other <ann@example.net>']);
    expect(fieldOf(message, 'list-id')).toEqual(['List-Id: <sales.example.test>']);
    expect(fieldOf(message, 'list-post')).toEqual(['List-Post: <mailto:sales@example.test>']);
    expect(fieldOf(message, 'message-id')).toEqual(['Message-ID: <m1@example.net>']);
    expect(message).not.toMatch(/ann@elsewhere|bea@|alice@/);
    expect(message.endsWith('Hello\r\n')).toBe(true);
    expect(await outcomes(ann)).toMatchObject({
      [ann]: ['forwarded', 'sales@example.test', undefined],
      [bea]: ['forwarded', 'sales@example.test', undefined],
      'alice@example.test': ['delivered', 'sales@example.test', undefined],
    });
    expect(raw()).not.toContain('List-Id');
  });

  const [stranger, bob] = ['Ann Other <ann@example.net>', 'Bob <bob@example.test>'];
  test.each([
    ['a stranger', stranger, 'Ann Other via Sales <sales@example.test>', 'sales@example.test'],
    ['somebody here', bob, bob, 'bob@example.test'],
  ])('get a message of %s, whose domain rejects forgeries, as their server accepts it', async (_who, from, expected, author) => {
    await withOutside();
    await mail.deliver([await arrive(['sales@example.test'], { from, sender: /<(.*)>/.exec(from)![1]! })]);
    const [message = ''] = await sentMessages();
    expect(fieldOf(message, 'from')).toEqual([`From: ${expected}`]);
    const accepted = { dkim: ['amazonses.com', 'example.test'], spf: 'pass', dmarc: 'pass', policy: 'reject' };
    expect(await checkAsReceiver(message, author, ['example.test'])).toEqual(accepted);
    const forged = message.replace(/^From: .*$/m, 'From: Ann Other <ann@example.net>');
    expect(await checkAsReceiver(forged, 'ann@example.net', ['example.test'])).toMatchObject({ dmarc: 'fail', policy: 'reject' });
  });

  test('get the message from the group when SES does not send for the author’s domain yet', async () => {
    await withOutside({}, { dkim_status: 'PENDING' });
    await mail.deliver([await arrive(['sales@example.test'], { from: 'Bob <bob@example.test>', sender: 'bob@example.test' })]);
    expect((await sentMessages()).flatMap((message) => fieldOf(message, 'from'))).toEqual(['From: Bob via Sales <sales@example.test>']);
  });

  test('get the message from its author where SES may send for them', async () => {
    await withOutside({ writers: 'PEOPLE_HERE' });
    await mail.deliver([await arrive(['sales@example.test'], { from: 'Bob <bob@example.test>', sender: 'bob@example.test' })]);
    const [message = ''] = await sentMessages();
    expect([...fieldOf(message, 'from'), ...fieldOf(message, 'reply-to'), ...fieldOf(message, 'list-post')]).toEqual([
      'From: Bob <bob@example.test>',
      'List-Post: NO',
    ]);
  });

  test('who are proven may write to a group of members, and others outside not', async () => {
    await withOutside({ writers: 'MEMBERS' });
    await mail.deliver([
      await arrive(['sales@example.test'], { from: ann, sender: ann }),
      await arrive(['sales@example.test'], { from: 'eve@elsewhere.test', sender: 'eve@elsewhere.test' }),
    ]);
    expect([await inboxes('alice'), (await mail.sent()).length]).toEqual([[1], 1]);
  });

  test.each<[string, string, Arrival & { readonly domain?: object }]>([
    ['spam or virus', 'spam', { verdicts: { spamVerdict: 'FAIL' } }],
    ['spam or virus', 'mail that SES did not scan', { verdicts: { virusVerdict: 'DISABLED' } }],
    ['the address may not send', 'a domain that may not send', { domain: { send_enabled: false } }],
    ['the message cannot be sent on', 'an address in the header that cannot be sent', { more: 'Cc: <\u00fcn\u00ef@example.net>\r\n' }],
  ])('do not get it for the reason "%s": %s', async (reason, _what, { domain, ...arrival }) => {
    await withOutside({}, domain);
    expect(await mail.deliver([await arrive(['sales@example.test'], arrival)])).toEqual([]);
    expect([await mail.sent(), (await outcomes(ann))[ann]]).toEqual([[], ['dropped', 'sales@example.test', reason]]);
    expect((await mail.emails('acc_alice', arrival.verdicts?.['spamVerdict'] ? 'junk' : 'inbox')).length).toBe(1);
  });

  test.each([
    ['sends it back', ''],
    ['sends it back under a long header', `X-Long: ${'x'.repeat(900)}\r\n`.repeat(400)],
  ])('get nothing twice when the record is repeated, and when a robot outside %s', async (_what, more) => {
    await withOutside();
    const body = await arrive(['sales@example.test'], { id: 'once' });
    await mail.deliver([body, body]);
    const [message, ...others] = await sentMessages();
    expect(others).toEqual([]);
    const back = await mail.arrive('back', more + message!, ['sales@example.test'], { sender: 'robot@elsewhere.test', timestamp: at });
    expect(await mail.deliver([back])).toEqual([]);
    expect([await inboxes('alice'), (await mail.sent()).length, mail.queue.messages]).toEqual([[1], 1, []]);
    expect(mail.log.records.filter(({ message: line }) => line === 'undeliverable: not bounced')).toMatchObject([{ details: { reason: 'loop' } }]);
  });

  test('of two groups that are members of each other by an address outside get it once each', async () => {
    await createGroup('one', [ann, 'two@elsewhere.test']);
    await createGroup('two', [bea, 'one@elsewhere.test']);
    await storeDomain();
    await mail.deliver([await arrive(['one@example.test'])]);
    // Elsewhere sends on what it gets, to the other group here.
    for (let round = 0; round < 5; round++) {
      for (const { raw: message, to } of await mail.sent()) {
        for (const address of to.filter((each) => /^(one|two)@/.test(each))) {
          await mail.deliver([
            await mail.arrive(`back-${address}-${round}`, message, [address.replace('elsewhere', 'example')], { sender: 'x@elsewhere.test', timestamp: at }),
          ]);
        }
      }
    }
    const counted = (await mail.sent()).flatMap(({ to }) => to).filter((address) => address === ann);
    expect(counted).toEqual([ann]);
  });

  test('keep a group with nobody else from refusing the message', async () => {
    await createGroup('sales', [ann]);
    await storeDomain();
    expect(await mail.deliver([await arrive(['sales@example.test'])])).toEqual([]);
    expect([(await mail.sent()).length, mail.queue.messages]).toEqual([1, []]);
  });

  test('whose addresses begin like ids are addresses', async () => {
    await createGroup('sales', ['group_inner@elsewhere.test', 'acc_alice@elsewhere.test']);
    await storeDomain();
    await mail.deliver([await arrive(['sales@example.test'])]);
    expect((await mail.sent()).flatMap(({ to }) => to)).toEqual(['acc_alice@elsewhere.test', 'group_inner@elsewhere.test']);
  });
});

describe('mail for a group of 120', () => {
  const names = Array.from({ length: 120 }, (_, number) => `member${String(number).padStart(3, '0')}`);
  beforeEach(async () => {
    await createAccounts(names);
    await createGroup(
      'all',
      names.map((name) => `acc_${name}`),
    );
  });
  const counts = async () => new Set(await inboxes(...names));

  test('is delivered by several records, to each member once, with what became of each', async () => {
    const body = await arrive(['all@example.test', 'alice@example.test', 'member007@example.test']);
    expect(await mail.deliver([body])).toEqual([]);
    expect(mail.queue.messages.length).toBe(3);
    await deliverQueued();
    expect([await counts(), await inboxes('alice')]).toEqual([new Set([1]), [1]]);
    const found = Object.values(await outcomes('member119@example.test'));
    expect([found.length, found.filter(([outcome]) => outcome === 'delivered').length]).toEqual([122, 121]);
  });

  test('reaches everybody once, whichever member the deliverer is killed at', async () => {
    const body = await arrive(['all@example.test']);
    let left = 0;
    const killed = {
      ...mail.mailStore,
      deliverAll: async (...call: Parameters<typeof mail.mailStore.deliverAll>) => {
        if (left-- <= 0) throw new StoreConflict();
        return mail.mailStore.deliverAll(...call);
      },
    };
    const bodies = [body];
    for (let round = 0; bodies.length > 0; round++) {
      const next = bodies.shift()!;
      left = [0, 1, 17, 49, 50, 1000][round % 6]!;
      if ((await mail.deliver([next], { mailStore: killed })).length > 0) bodies.push(next);
      bodies.push(...mail.queue.messages.splice(0).map(({ message }) => JSON.stringify(message)));
    }
    expect(await counts()).toEqual(new Set([1]));
  });
});
