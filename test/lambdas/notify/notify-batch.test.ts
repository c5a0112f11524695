import { mailCommit } from '../../support/mail.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { decodePushState } from '../../../core/push/push-state.ts';
import { decodeSocketListener } from '../../../core/push/socket-listener.ts';
import { notifierOverMemory, seconds, type NotifierOverMemory } from '../../support/notifier.ts';

const every = (sequence: number) => ({ Email: `Email-${sequence}`, EmailDelivery: `EmailDelivery-${sequence}`, Mailbox: `Mailbox-${sequence}`, Thread: `Thread-${sequence}` });
const stateChange = (changed: object) => ({ '@type': 'StateChange', changed, pushState: expect.any(String) });

/** Alice and Bob, each with an account that is new, and one that they share; what that brought by the streams is over. */
const world = async (...given: Parameters<typeof notifierOverMemory>): Promise<NotifierOverMemory> => {
  const made = notifierOverMemory(...given);
  await made.person('alice');
  await made.person('bob');
  await made.account('acc_alice', 'alice');
  await made.account('acc_bob', 'bob');
  await made.account('acc_shared', 'alice', 'bob');
  made.takeStreamRecords();
  return made;
};

const toldTo = async ({ mail }: NotifierOverMemory, principalId: string, connectionId: string) =>
  Object.fromEntries(decodeSocketListener(principalId, (await mail.get({ pk: `push#${principalId}`, sk: `socket#${connectionId}` }))!).notifiedUpTo);

describe('what a socket is told', () => {
  test('a delivery: new states of every type, and a pushState to go on from', async () => {
    const { socket, deliver, takeStreamRecords, run, received } = await world();
    await socket('alice', 'c1');
    await deliver('acc_alice');
    expect(await run(takeStreamRecords())).toEqual([]);
    expect(received('c1')).toEqual([stateChange({ acc_alice: every(2) })]);
    const { pushState } = received('c1')[0] as { pushState: string };
    expect(decodePushState(pushState, ['acc_alice'])).toEqual(new Map([['acc_alice', 2]]));
  });

  test('the types that it asked for, and nothing when none of them changed', async () => {
    const { socket, deliver, takeStreamRecords, run, received, mail } = await world();
    await socket('alice', 'mailboxes', { dataTypes: ['Mailbox', 'CalendarEvent'] });
    await socket('alice', 'calendar', { dataTypes: ['CalendarEvent'] });
    await socket('alice', 'silent', { dataTypes: undefined });
    await deliver('acc_alice');
    const before = mail.records.length;
    expect(await run(takeStreamRecords())).toEqual([]);
    expect(received('mailboxes')).toEqual([stateChange({ acc_alice: { Mailbox: 'Mailbox-2' } })]);
    expect([...received('calendar'), ...received('silent')]).toEqual([]);
    expect(mail.records.length).toBeLessThan(before);
    expect(mail.records).toHaveLength(1);
  });

  test('by the service’s own frame: the types of all its subscriptions to that account', async () => {
    const { socket, deliver, takeStreamRecords, run, received } = await world();
    const subscriptions = [
      { id: 'a', accountId: 'acc_shared', types: ['Email'] }, { id: 'b', accountId: 'acc_shared', types: ['Thread', 'Email'] }, { id: 'c', accountId: 'acc_alice', types: ['Mailbox'] },
    ];
    await socket('alice', 'c1', { dataTypes: undefined, subscriptions });
    await socket('alice', 'both', { dataTypes: ['EmailDelivery'], subscriptions });
    await deliver('acc_shared');
    await run(takeStreamRecords());
    const own = { stateChange: { accountId: 'acc_shared', changes: { Email: 'Email-2', Thread: 'Thread-2' } } };
    expect(received('c1')).toEqual([own]);
    expect(received('both')).toEqual([stateChange({ acc_shared: { EmailDelivery: 'EmailDelivery-2' } }), own]);
  });

  test('the newest state of a batch, once, with all accounts in one', async () => {
    const { socket, deliver, takeStreamRecords, run, received } = await world();
    await socket('alice', 'c1');
    for (const accountId of ['acc_alice', 'acc_shared', 'acc_alice']) await deliver(accountId);
    await run(takeStreamRecords());
    expect(received('c1')).toEqual([stateChange({ acc_alice: every(3), acc_shared: every(2) })]);
  });

  test('nothing that it was told before: neither when a batch comes again nor when its client knew', async () => {
    const { socket, deliver, takeStreamRecords, run, received } = await world();
    await socket('alice', 'c1');
    await socket('alice', 'knows', { notifiedUpTo: new Map([['acc_alice', 3]]) });
    await deliver('acc_alice');
    const first = takeStreamRecords();
    await run(first);
    await deliver('acc_alice');
    const second = takeStreamRecords();
    await run([...first, ...second]);
    await run(first);
    await run(second);
    expect(received('c1')).toEqual([stateChange({ acc_alice: every(2) }), stateChange({ acc_alice: every(3) })]);
    expect(received('knows')).toEqual([]);
  });

  test('all that its client does not know, and not only what a batch brings', async () => {
    const { socket, deliver, takeStreamRecords, run, received, store } = await world();
    await deliver('acc_alice');
    const view = (await store.open('acc_alice'))!;
    takeStreamRecords();
    await store.commit(view, (at) => mailCommit({ updateEmails: [{ ...emailsOf(at).get(emailsOf(at).ids()[0]!)!, keywords: ['$seen'] }] }));
    await socket('alice', 'behind', { notifiedUpTo: new Map([['acc_alice', 1]]) });
    await socket('alice', 'knows', { notifiedUpTo: new Map([['acc_alice', 2]]) });
    await run(takeStreamRecords());
    expect(received('behind')).toEqual([stateChange({ acc_alice: { ...every(2), Email: 'Email-3', Mailbox: 'Mailbox-3' } })]);
    expect(received('knows')).toEqual([stateChange({ acc_alice: { Email: 'Email-3', Mailbox: 'Mailbox-3' } })]);
  });

  test('all of an account that it was never told of: its pushState says so then', async () => {
    const { socket, deliver, takeStreamRecords, run, received, store } = await world();
    await deliver('acc_alice');
    const view = (await store.open('acc_alice'))!;
    takeStreamRecords();
    await store.commit(view, (at) => mailCommit({ updateEmails: [{ ...emailsOf(at).get(emailsOf(at).ids()[0]!)!, keywords: ['$seen'] }] }));
    await socket('alice', 'fresh');
    await socket('alice', 'own', { dataTypes: undefined, subscriptions: [{ id: 's', accountId: 'acc_alice', types: ['Email', 'Thread'] }] });
    await run(takeStreamRecords());
    expect(received('fresh')).toEqual([stateChange({ acc_alice: { ...every(2), Email: 'Email-3', Mailbox: 'Mailbox-3' } })]);
    expect(received('own')).toEqual([{ stateChange: { accountId: 'acc_alice', changes: { Email: 'Email-3' } } }]);
  });
});

describe('who is told', () => {
  test('members of the account as they are now, people and machines, on every socket that they have', async () => {
    const { socket, account, deliver, leave, takeStreamRecords, run, received } = await world();
    await account('acc_team', 'alice', 'bob', 'machine-1');
    for (const [principalId, connectionId] of [['alice', 'a1'], ['alice', 'a2'], ['bob', 'b'], ['machine-1', 'm'], ['carol', 'c']] as const) await socket(principalId, connectionId);
    await leave('acc_team', 'bob');
    takeStreamRecords();
    await deliver('acc_team');
    await run(takeStreamRecords());
    const told = [stateChange({ acc_team: every(2) })];
    expect(['a1', 'a2', 'm', 'b', 'c'].map(received)).toEqual([told, told, told, [], []]);
  });

  test.each([
    ['whose user is deactivated', { is_active: false }, {}, 403],
    ['whose user is deleted', { is_deleted: true }, {}, 403],
    ['whose token has ended', {}, { expiresAt: seconds }, 401],
  ])('a socket %s is told why, closed and forgotten instead', async (_title, profile, listener, status) => {
    const made = await world();
    await made.socket('alice', 'c1', listener);
    await made.person('alice', profile);
    made.takeStreamRecords();
    await made.deliver('acc_alice');
    expect(await made.run(made.takeStreamRecords())).toEqual([]);
    expect(made.received('c1')).toEqual([{ '@type': 'RequestError', requestId: null, type: 'about:blank', status, detail: expect.any(String) }]);
    expect(made.webSocketSender.isOpen('c1')).toBe(false);
    expect([...await made.listeners('alice'), ...await made.mail.query({ pk: 'connection#c1' })]).toEqual([]);
  });
});

describe('a client that can’t be reached', () => {
  test('that is gone is forgotten', async () => {
    const made = await world();
    await made.socket('alice', 'c1');
    made.webSocketSender.leave('c1');
    await made.deliver('acc_alice');
    expect(await made.run(made.takeStreamRecords())).toEqual([]);
    expect([...await made.listeners('alice'), ...await made.mail.query({ pk: 'connection#c1' })]).toEqual([]);
  });

  test('that might have missed something is disconnected, so that it asks for it; others are told meanwhile', async () => {
    const made = await world({ webSocketSender: (sender) => ({ ...sender, post: async (id, text) => (id === 'ill' ? Promise.reject(new Error('too slow')) : sender.post(id, text)) }) });
    await made.socket('alice', 'ill');
    await made.socket('alice', 'well');
    await made.deliver('acc_alice');
    expect(await made.run(made.takeStreamRecords())).toEqual([]);
    expect(made.webSocketSender.isOpen('ill')).toBe(false);
    expect(await made.listeners('alice')).toEqual(['socket#well']);
    expect(made.log.records).toMatchObject([{ level: 'warn' }]);
    expect(made.received('well')).toHaveLength(1);
  });

  test('and can’t be disconnected either comes again with its batch, for itself alone', async () => {
    let isDown = true;
    const failing = async () => Promise.reject(new Error('API Gateway is away'));
    const made = await world({
      webSocketSender: (sender) => ({
        post: (id, text) => (isDown && id === 'ill' ? failing() : sender.post(id, text)),
        close: (id) => (isDown && id === 'ill' ? failing() : sender.close(id)),
      }),
    });
    await made.socket('alice', 'ill');
    await made.socket('alice', 'well');
    await made.deliver('acc_bob');
    await made.deliver('acc_alice');
    const records = made.takeStreamRecords();
    const isAlices = ({ dynamodb }: (typeof records)[number]) => dynamodb!.Keys!['pk']!.S === 'acc_alice#log' && dynamodb!.Keys!['sk']!.S === 'HEAD';
    expect(await made.run(records)).toEqual([records.findIndex(isAlices)]);
    isDown = false;
    expect(await made.run(records.slice(records.findIndex(isAlices)))).toEqual([]);
    expect([made.received('ill'), made.received('well')]).toEqual([[stateChange({ acc_alice: every(2) })], [stateChange({ acc_alice: every(2) })]]);
    expect(await toldTo(made, 'alice', 'ill')).toEqual({ acc_alice: 2 });
  });
});

describe('Web Push', () => {
  test('a verified subscription that wants the type goes into the queue, with the commit after which all is new', async () => {
    const made = await world();
    await made.subscription('alice', 'all');
    await made.subscription('alice', 'knows', { notifiedUpTo: new Map([['acc_alice', 3]]) });
    await made.subscription('alice', 'behind', { notifiedUpTo: new Map([['acc_alice', 1]]), types: ['Thread'] });
    await made.subscription('alice', 'unverified', { isVerified: false });
    await made.subscription('alice', 'expired', { expiresAt: seconds });
    await made.subscription('alice', 'calendar', { types: ['CalendarEvent'] });
    await made.deliver('acc_alice');
    made.takeStreamRecords();
    await made.deliver('acc_alice');
    expect(await made.run(made.takeStreamRecords())).toEqual([]);
    expect(made.webPushQueue.messages.map(({ message }) => message)).toEqual([
      { principalId: 'alice', subscriptionId: 'all', changed: { acc_alice: 2 } },
      { principalId: 'alice', subscriptionId: 'behind', changed: { acc_alice: 1 } },
    ]);
  });

  test('of somebody who is not active nothing is sent', async () => {
    const made = await world();
    await made.subscription('alice', 'all');
    await made.person('alice', { is_active: false });
    made.takeStreamRecords();
    await made.deliver('acc_alice');
    await made.run(made.takeStreamRecords());
    expect(made.webPushQueue.messages).toEqual([]);
  });
});

describe('a batch of which something fails', () => {
  test('comes again from the first record that failed, however many did; the rest is told', async () => {
    const made = await world({
      audience: (audience) => ({ ...audience, memberIds: async (id) => (id === 'acc_alice' ? audience.memberIds(id) : Promise.reject(new Error('throttled'))) }),
    });
    await made.socket('alice', 'c1');
    for (const accountId of ['acc_alice', 'acc_shared', 'acc_bob', 'acc_shared']) await made.deliver(accountId);
    const heads = made.takeStreamRecords().filter(({ dynamodb }) => dynamodb!.Keys!['sk']!.S === 'HEAD');
    expect(await made.run(heads)).toEqual([1]);
    expect(made.received('c1')).toEqual([stateChange({ acc_alice: every(2) })]);
    expect(JSON.stringify(made.log.records)).not.toContain('throttled');
  });

  test('a record that is of no concern, or that nobody can read, holds up nothing', async () => {
    const made = await world();
    await made.socket('alice', 'c1');
    await made.deliver('acc_alice');
    const strange = [{}, { eventName: 'MODIFY' as const, dynamodb: { SequenceNumber: '0' } }, { eventName: 'REMOVE' as const, dynamodb: { SequenceNumber: '1', Keys: { pk: { S: 'acc_alice#log' }, sk: { S: 'HEAD' } } } }];
    expect(await made.run([...strange, ...made.takeStreamRecords()])).toEqual([]);
    expect(made.received('c1')).toHaveLength(1);
  });
});

describe('an end that comes by a stream', () => {
  test.each([['deactivated', { is_active: false }], ['deleted', { is_deleted: true }]])('a user who is %s: sockets are closed, subscriptions are over', async (_title, profile) => {
    const made = await world();
    await made.socket('alice', 'c1');
    await made.socket('bob', 'c2');
    await made.subscription('alice', 'all');
    made.takeStreamRecords();
    await made.person('alice', profile);
    expect(await made.run(made.takeStreamRecords())).toEqual([]);
    expect([made.webSocketSender.isOpen('c1'), made.webSocketSender.isOpen('c2')]).toEqual([false, true]);
    expect(made.received('c1')).toMatchObject([{ '@type': 'RequestError', status: 403 }]);
    expect([await made.listeners('alice'), await made.listeners('bob')]).toEqual([[], ['socket#c2']]);
  });

  test('a user who is active again by the time it comes keeps everything', async () => {
    const made = await world();
    await made.socket('alice', 'c1');
    made.takeStreamRecords();
    await made.person('alice', { is_active: false });
    await made.person('alice');
    expect(await made.run(made.takeStreamRecords())).toEqual([]);
    expect([made.webSocketSender.isOpen('c1'), await made.listeners('alice')]).toEqual([true, ['socket#c1']]);
  });

  test('a connection whose time is over is closed', async () => {
    const made = await world();
    await made.socket('alice', 'c1');
    made.takeStreamRecords();
    await made.mail.write([{ delete: { pk: 'connection#c1', sk: 'connection' } }]);
    expect(await made.run(made.takeStreamRecords())).toEqual([]);
    expect(made.received('c1')).toMatchObject([{ '@type': 'RequestError', status: 401 }]);
    expect(made.webSocketSender.isOpen('c1')).toBe(false);
  });
});
