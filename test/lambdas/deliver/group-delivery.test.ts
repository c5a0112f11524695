import type { Group } from '../../../contract/admin/aliases.ts';
import { groupsIn } from '../../../core/directory/groups/groups.ts';
import { addressPartition, receivedMessageOf } from '../../../core/mail/delivery/received-message.ts';
import { findOutcomes } from '../../../core/mail/delivery/received-outcomes.ts';
import { StoreConflict } from '../../../core/runtime/domain-errors.ts';
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
