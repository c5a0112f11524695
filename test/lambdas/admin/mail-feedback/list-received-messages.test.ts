import type { ReceivedMessage } from '../../../../contract/admin/received-mail.ts';
import { receivedMailRetentionDays } from '../../../../contract/deployment/sending.ts';
import { receivedMessagesIn } from '../../../../core/mail/delivery/received-messages.ts';
import { adminApi } from '../../../support/admin-api.ts';
import { firstArrival, minute, receivedMail, type ReceivedMail } from './received-messages.ts';

const outcomesOf = (messages: readonly ReceivedMessage[]) =>
  messages.flatMap(({ recipients }) => recipients!.map(({ address, outcome }) => [address, outcome]));
const idsOf = (messages: readonly ReceivedMessage[]) => messages.map(({ message_id: id }) => id!.split('@')[0]);

describe('ListReceivedMessages', () => {
  let received: ReceivedMail;
  beforeEach(async () => {
    received = await receivedMail();
  });

  test('finds a message by sender, by recipient in any case, by its Message-ID, by its subject and by its time', async () => {
    const at = firstArrival;
    await received.deliverBodies([await received.arrive({ id: 'one', to: ['Alice@Example.test'], subject: 'Grüße aus Köln' })]);
    received.setTime(at + minute);
    await received.deliverBodies([await received.arrive({ id: 'two', to: ['bob@example.test'], sender: 'carl@elsewhere.test' })]);
    const [since, until] = [at, at + minute].map((time) => new Date(time).toISOString());
    const finding = [
      { address: 'ANN@elsewhere.test' },
      { address: 'alice@example.test' },
      { message_id: 'one@elsewhere.test' },
      { message_id: ' <one@elsewhere.test> ' },
      { subject_contains: 'KÖLN' },
      { since, until },
      { until },
      { address: 'ann@elsewhere.test', message_id: 'one@elsewhere.test' },
      { domain: 'EXAMPLE.test', until },
      { address: 'alice@example.test', outcome: 'DELIVERED', since },
    ];
    for (const request of finding) expect([request, idsOf(await received.list(request))]).toEqual([request, ['one']]);
    expect(idsOf(await received.list())).toEqual(['two', 'one']);
    expect(idsOf(await received.list({ since: until }))).toEqual(['two']);
    for (const request of [
      { address: 'nobody@elsewhere.test' },
      { message_id: 'three@elsewhere.test' },
      { outcome: 'JUNK' },
      { subject_contains: 'secret' },
      { address: 'carl@elsewhere.test', message_id: 'one@elsewhere.test' },
      { domain: 'else.where.test' },
      { until: since },
    ])
      expect([request, await received.list(request)]).toEqual([request, []]);
  });

  test('finds mail of a domain by the sender, by the author and by a recipient, in both spellings', async () => {
    await received.deliverBodies([
      await received.arrive({ id: 'envelope', sender: 'ann@one.test', from: 'Ann <ann@two.test>' }),
      await received.arrive({ id: 'international', sender: 'ann@three.test', from: 'Ann <ann@BÜCHER.test>' }),
    ]);
    for (const [domain, id] of [
      ['one.test', 'envelope'],
      ['two.test', 'envelope'],
      ['bücher.test', 'international'],
      ['xn--bcher-kva.test', 'international'],
    ]) {
      expect([domain, idsOf(await received.list({ domain }))]).toEqual([domain, [id]]);
    }
    expect(await received.list({ domain: 'example.test' })).toHaveLength(2);
  });

  test('returns who sent what to whom with SES’s verdicts, and no content', async () => {
    await received.deliverBodies([await received.arrive({ id: 'one', verdicts: { spfVerdict: 'GRAY', dkimVerdict: 'FAIL' } })]);
    const [message] = await received.list();
    expect(message).toEqual({
      received_id: expect.stringMatching(/^rcv_/),
      received_at: '2026-11-21T08:00:00.000Z',
      sender: 'ann@elsewhere.test',
      from: 'Ann <ann@elsewhere.test>',
      subject: 'Subject of one',
      message_id: 'one@elsewhere.test',
      provider_message_id: 'ses-one',
      size: expect.any(Number),
      verdicts: { spam: 'PASS', virus: 'PASS', spf: 'GRAY', dkim: 'FAIL', dmarc: 'PASS' },
      recipients: [{ address: 'alice@example.test', outcome: 'DELIVERED', account_id: 'acc_alice' }],
    });
    expect(JSON.stringify(message)).not.toContain('secret');
  });

  test('leaves out the subject when the deployment does not record subjects', async () => {
    await received.deliverBodies([await received.arrive({ id: 'one' })], { recordsSubjects: false });
    expect((await received.list())[0]).not.toHaveProperty('subject');
  });

  test('hides subjects of an earlier time, and finds nothing by them, when the deployment no longer records subjects', async () => {
    await received.deliverBodies([await received.arrive({ id: 'one' })]);
    const [{ received_id } = {}] = await received.list();
    const without = await adminApi({ mail: received.mail.mailTable, sending: received.mail.sendingTable, clock: received.clock, recordsSubjects: false });
    const listed = async (request: object) => (await without.ok('/mail-feedback/ListReceivedMessages', request))['messages'] as ReceivedMessage[];
    expect(await listed({})).toMatchObject([{ received_id }]);
    expect((await listed({}))[0]).not.toHaveProperty('subject');
    expect((await without.ok('/mail-feedback/GetReceivedMessage', { received_id }))['message']).not.toHaveProperty('subject');
    for (const subject_contains of ['Subject of one', 'S', 'nothing']) expect(await listed({ subject_contains })).toEqual([]);
  });

  test('finds mail to an address with a detail by both addresses, and to its envelope sender and its author', async () => {
    await received.deliverBodies([
      await received.arrive({ id: 'one', to: ['bob+shop@example.test'], sender: 'bounces-17@lists.test', from: 'Ann <ann@elsewhere.test>' }),
    ]);
    for (const address of ['bob@example.test', 'bob+shop@example.test', 'bounces-17@lists.test', 'ann@elsewhere.test']) {
      expect([address, idsOf(await received.list({ address }))]).toEqual([address, ['one']]);
    }
    expect(await received.list({ address: 'bob+other@example.test' })).toEqual([]);
  });

  test('returns each message of many on one page, newest first', async () => {
    const count = 45;
    for (let index = 0; index < count; index++) {
      received.setTime(firstArrival + index * minute);
      await received.deliverBodies([
        await received.arrive({ id: `m${index}`, sender: `s${index % 7}@elsewhere.test`, to: [index % 3 ? 'alice@example.test' : 'bob@example.test'] }),
      ]);
    }
    const pages = async (request: object): Promise<(string | undefined)[]> => {
      const ids: (string | undefined)[] = [];
      for (let page_token = ''; ;) {
        const page = await received.api.ok('/mail-feedback/ListReceivedMessages', { page_size: 4, ...request, page_token });
        ids.push(...idsOf(page['messages'] as ReceivedMessage[]));
        page_token = page['next_page_token'] as string;
        if (page_token === '') return ids;
      }
    };
    const wanted = (matches: (index: number) => boolean) =>
      Array.from({ length: count }, (_, index) => index)
        .filter(matches)
        .toReversed()
        .map((index) => `m${index}`);
    expect(await pages({})).toEqual(wanted(() => true));
    expect(await pages({ address: 'bob@example.test' })).toEqual(wanted((index) => index % 3 === 0));
    expect(await pages({ address: 's2@elsewhere.test' })).toEqual(wanted((index) => index % 7 === 2));
    expect(await pages({ subject_contains: 'm1' })).toEqual(wanted((index) => `m${index}`.includes('m1')));
  });

  test('finds the oldest of thousands of messages of one author by its Message-ID, on the first page', async () => {
    const records = receivedMessagesIn(received.mail.sendingTable);
    for (let index = 0; index < 2500; index++) {
      await records.record({
        sesMessageId: `ses-${index}`,
        at: new Date(firstArrival + index * 1000).toISOString(),
        sender: 'ann@elsewhere.test',
        messageId: `${index}@elsewhere.test`,
        size: 1,
        isJunk: false,
        verdicts: {},
        recipients: { 'alice@example.test': { n: 0, account: 'acc_alice' } },
      });
    }
    received.setTime(firstArrival + 3000 * 1000);
    for (const filter of [{}, { address: 'ann@elsewhere.test' }, { address: 'alice@example.test' }]) {
      expect(idsOf(await received.list({ message_id: '<0@elsewhere.test>', ...filter }))).toEqual(['0']);
    }
    expect(await received.list({ message_id: '0@elsewhere.test', address: 'bob@elsewhere.test' })).toEqual([]);
  });

  test('does not return a message whose 90 days are over', async () => {
    await received.deliverBodies([await received.arrive({ id: 'one' })]);
    const [message] = await received.list();
    received.setTime(firstArrival + receivedMailRetentionDays * 86_400_000);
    expect(await received.list()).toEqual([]);
    const { status } = await received.api.call('/mail-feedback/GetReceivedMessage', { received_id: message!.received_id });
    expect(status).toBe(404);
  });
});

describe('the outcome of a received message', () => {
  let received: ReceivedMail;
  beforeEach(async () => {
    received = await receivedMail();
  });

  test.each([
    ['SPAM', { spamVerdict: 'FAIL' }],
    ['VIRUS', { virusVerdict: 'FAIL' }],
    ['DMARC', { dmarcVerdict: 'FAIL', dmarcPolicy: 'reject' }],
    ['SPAM, DMARC', { spamVerdict: 'FAIL', dmarcVerdict: 'FAIL', dmarcPolicy: 'quarantine' }],
  ])('is JUNK with the failed verdicts %s', async (reason, verdicts) => {
    await received.deliverBodies([await received.arrive({ verdicts })]);
    expect((await received.list({ outcome: 'JUNK' }))[0]!.recipients).toMatchObject([{ outcome: 'JUNK', reason }]);
  });

  test('is DUPLICATE for a recipient whose account has the message by another recipient', async () => {
    await received.deliverBodies([await received.arrive({ to: ['alice@example.test', 'alice.liddell@example.test', 'bob@example.test'] })]);
    expect(outcomesOf(await received.list())).toEqual([
      ['alice@example.test', 'DELIVERED'],
      ['alice.liddell@example.test', 'DUPLICATE'],
      ['bob@example.test', 'DELIVERED'],
    ]);
  });

  test('stays the same when the notification arrives again, also when the first delivery was interrupted', async () => {
    const body = await received.arrive({ to: ['alice@example.test', 'nobody@example.test'] });
    const write = async () => {
      throw new Error('interrupted');
    };
    const mailStore = { deliverAll: write };
    expect(await received.mail.deliver([body], { mailStore })).toEqual([0]);
    expect(outcomesOf(await received.list())).toEqual([
      ['alice@example.test', 'IN_PROGRESS'],
      ['nobody@example.test', 'BOUNCE_DUE'],
    ]);
    await received.deliverBodies([body]);
    await received.deliverBodies([body]);
    expect(outcomesOf(await received.list())[0]).toEqual(['alice@example.test', 'DELIVERED']);
    expect(await received.list()).toHaveLength(1);
  });

  test('has the recipients of all notifications, when several receipt rules store the message', async () => {
    const { mail } = received;
    const raw = 'From: ann@elsewhere.test\r\nMessage-ID: <one@elsewhere.test>\r\n\r\nHello\r\n';
    const timestamp = new Date(firstArrival).toISOString();
    for (const [rule, to] of [
      ['deliver-1', 'alice@example.test'],
      ['deliver-2', 'alice.liddell@example.test'],
      ['deliver-3', 'bob@example.test'],
    ] as const) {
      await received.deliverBodies([await mail.arrive('ses-one', raw, [to], { rule, timestamp, sender: 'ann@elsewhere.test' })]);
    }
    expect(outcomesOf(await received.list())).toEqual([
      ['alice@example.test', 'DELIVERED'],
      ['alice.liddell@example.test', 'DUPLICATE'],
      ['bob@example.test', 'DELIVERED'],
    ]);
    expect(await received.list({ address: 'bob@example.test' })).toHaveLength(1);
  });

  test('is BOUNCE_DUE, then BOUNCED with the answer to the sender, for an address that no account has', async () => {
    await received.deliverBodies([await received.arrive({ to: ['Former@example.test'] })]);
    expect(outcomesOf(await received.list({ address: 'former@example.test' }))).toEqual([['Former@example.test', 'BOUNCE_DUE']]);
    await received.handleQueue();
    expect((await received.list())[0]!.recipients).toEqual([
      {
        address: 'Former@example.test',
        outcome: 'BOUNCED',
        smtp_reply: expect.stringMatching(/^550 5\.1\.1 Your message was not delivered/),
        bounced_at: new Date(firstArrival).toISOString(),
      },
    ]);
  });

  test.each<[obstacle: string, arrival: Parameters<ReceivedMail['arrive']>[0]]>([
    ['spam or virus', { verdicts: { spamVerdict: 'FAIL' } }],
    ['unauthenticated sender', { verdicts: { dmarcVerdict: 'FAIL', spfVerdict: 'FAIL' } }],
  ])('is DROPPED with what the address is, and why no bounce is sent: %s', async (obstacle, arrival) => {
    await received.mail.directoryTable.write([
      { put: { pk: 'address', sk: 'left@example.test', account_id: 'acc_left', state: 'freed', is_active: true } },
      { put: { pk: 'address', sk: 'team@example.test', group_id: 'group_team', state: 'ready', writers: 'ANYONE' } },
    ]);
    const addresses = {
      'nobody@example.test': 'no such address',
      'former@example.test': 'inactive address',
      'former+detail@example.test': 'inactive address',
      'left@example.test': 'address of a deleted account',
      // The account is removed while the message is delivered.
      'ghost@example.test': 'address of a deleted account',
      'alice@closed.test': 'the domain does not receive mail',
      'team@example.test': 'a group without members',
    };
    await received.deliverBodies([await received.arrive({ ...arrival, to: Object.keys(addresses) })]);
    expect((await received.list())[0]!.recipients).toEqual(
      Object.entries(addresses).map(([address, what]) => ({ address, outcome: 'DROPPED', reason: `${what}; ${obstacle}` })),
    );
    expect(received.mail.queue.messages).toEqual([]);
  });

  test('is WAITS_FOR_ROOM for a full account, then DELIVERED when there is room', async () => {
    await received.mail.mailStore.setQuota('acc_alice', { octets: 1 });
    await received.deliverBodies([await received.arrive()]);
    const next = (minutes: number) => new Date(firstArrival + minutes * minute).toISOString();
    const waits = { address: 'alice@example.test', account_id: 'acc_alice', outcome: 'WAITS_FOR_ROOM', waits_since: next(0) };
    expect((await received.list())[0]!.recipients).toEqual([{ ...waits, next_attempt: next(15) }]);
    await received.handleQueue();
    expect((await received.list({ outcome: 'WAITS_FOR_ROOM' }))[0]!.recipients).toEqual([{ ...waits, next_attempt: next(30) }]);
    await received.mail.mailStore.setQuota('acc_alice', { octets: null });
    await received.handleQueue();
    expect(outcomesOf(await received.list())).toEqual([['alice@example.test', 'DELIVERED']]);
  });

  test('is BOUNCED for an account that stays full', async () => {
    await received.mail.mailStore.setQuota('acc_alice', { octets: 1 });
    await received.deliverBodies([await received.arrive()]);
    for (let attempts = 0; attempts < 90 && received.mail.queue.messages.length > 0; attempts++) await received.handleQueue();
    expect((await received.list())[0]!.recipients).toMatchObject([
      { address: 'alice@example.test', outcome: 'BOUNCED', account_id: 'acc_alice', smtp_reply: expect.stringMatching(/^550 5\.2\.2 /) },
    ]);
  });

  test('is BOUNCED for a recipient whose address is removed while the message waits for room', async () => {
    await received.mail.mailStore.setQuota('acc_alice', { octets: 1 });
    await received.mail.mailStore.setQuota('acc_bob', { octets: 1 });
    await received.deliverBodies([await received.arrive({ to: ['alice@example.test', 'bob@example.test'] })]);
    await received.mail.directoryTable.write([{ delete: { pk: 'address', sk: 'alice@example.test' } }]);
    await received.handleQueue();
    await received.handleQueue();
    expect(outcomesOf(await received.list())).toEqual([
      ['alice@example.test', 'BOUNCED'],
      ['bob@example.test', 'WAITS_FOR_ROOM'],
    ]);
  });

  test('is COPIED for the bcc of an alias', async () => {
    await received.mail.directoryTable.write([{ update: { pk: 'address', sk: 'alice@example.test' }, set: { bcc: 'bob@example.test' } }]);
    await received.deliverBodies([await received.arrive()]);
    expect((await received.list({ address: 'bob@example.test' }))[0]!.recipients).toEqual([
      { address: 'alice@example.test', outcome: 'DELIVERED', account_id: 'acc_alice' },
      { address: 'bob@example.test', outcome: 'COPIED', account_id: 'acc_bob', copy_of: 'alice@example.test' },
    ]);
  });
});

describe('GetReceivedMessage', () => {
  let received: ReceivedMail;
  let id: string;
  beforeEach(async () => {
    received = await receivedMail();
    await received.deliverBodies([await received.arrive()]);
    id = (await received.list())[0]!.received_id;
  });
  const email = async () => (await received.get(id)).recipients![0]!.email;

  test('tells in which mailbox the Email is', async () => {
    expect(await email()).toEqual({ email_id: expect.stringMatching(/^M/), mailboxes: ['Inbox'], moved: false, restorable: false });
  });

  test('tells that the Email was moved, and to which mailbox', async () => {
    await received.changeEmail('acc_alice', { mailboxRole: 'trash' });
    expect(await email()).toMatchObject({ mailboxes: ['Trash'], moved: true });
  });

  test('tells that the Email was destroyed, and when', async () => {
    await received.changeEmail('acc_alice', 'destroy');
    expect(await email()).toMatchObject({ mailboxes: [], destroyed_at: expect.stringMatching(/^\d{4}-/), restorable: false });
    expect((await received.get(id)).recipients![0]!.outcome).toBe('DELIVERED');
  });

  test('tells who destroyed an Email that can be restored', async () => {
    await received.changeEmail('acc_alice', 'destroy', 86_400);
    expect(await email()).toEqual({
      email_id: expect.any(String),
      mailboxes: [],
      moved: false,
      destroyed_at: expect.any(String),
      destroyed_by: 'user_ann',
      restorable: true,
    });
  });

  test.each(['rcv_unknown', 'x', 'rcv_MDAyMDI2LTEx'])('responds not_found to the id %s', async (unknown) => {
    expect(await received.api.call('/mail-feedback/GetReceivedMessage', { received_id: unknown })).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});
