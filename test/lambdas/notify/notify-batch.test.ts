import { LimitExceededException } from '@aws-sdk/client-apigatewaymanagementapi';
import { eventSourceWait } from '../../../contract/jmap/push.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { putEventSource, type EventSourceListener } from '../../../core/push/listeners/event-source-listener.ts';
import { decodePushState } from '../../../core/push/listeners/push-state.ts';
import { decodeSocketListener } from '../../../core/push/listeners/socket-listener.ts';
import { mailCommit } from '../../support/email-fixtures.ts';
import { notifierInMemory, now, seconds, type NotifierInMemory } from '../../support/notifier.ts';

const every = (sequence: number) => ({
  Email: `Email-${sequence}`,
  EmailDelivery: `EmailDelivery-${sequence}`,
  Mailbox: `Mailbox-${sequence}`,
  Quota: `Quota-${sequence}`,
  Thread: `Thread-${sequence}`,
});
const stateChange = (changed: object) => ({ '@type': 'StateChange', changed, pushState: expect.any(String) });

/**
 * Alice and Bob, each with a new account, and an account that they share. The stream records of their creation are
 * dropped.
 */
const notifierWithMembers = async (...given: Parameters<typeof notifierInMemory>): Promise<NotifierInMemory> => {
  const notifier = notifierInMemory(...given);
  await notifier.person('user_alice');
  await notifier.person('user_bob');
  await notifier.account('acc_alice', 'user_alice');
  await notifier.account('acc_bob', 'user_bob');
  await notifier.account('acc_shared', 'user_alice', 'user_bob');
  notifier.takeStreamRecords();
  return notifier;
};

const notifiedUpToOf = async ({ mail }: NotifierInMemory, principalId: string, connectionId: string) =>
  Object.fromEntries(decodeSocketListener(principalId, (await mail.get({ pk: `push#${principalId}`, sk: `socket#${connectionId}` }))!).notifiedUpTo);

describe('a notification of a socket', () => {
  // @requirement 8620 §7.1 state-change
  test('of a delivery has new states of every type, and a pushState', async () => {
    const { socket, deliver, takeStreamRecords, run, received } = await notifierWithMembers();
    await socket('user_alice', 'c1');
    await deliver('acc_alice');
    expect(await run(takeStreamRecords())).toEqual([]);
    expect(received('c1')).toEqual([stateChange({ acc_alice: every(2) })]);
    const { pushState } = received('c1')[0] as { pushState: string };
    expect(decodePushState(pushState, ['acc_alice'])).toEqual(new Map([['acc_alice', 2]]));
  });

  test('has the requested types, and is not sent when none of them changed', async () => {
    const { socket, deliver, takeStreamRecords, run, received, mail } = await notifierWithMembers();
    await socket('user_alice', 'mailboxes', { dataTypes: ['Mailbox', 'CalendarEvent'] });
    await socket('user_alice', 'calendar', { dataTypes: ['CalendarEvent'] });
    await socket('user_alice', 'silent', { dataTypes: undefined });
    await deliver('acc_alice');
    const before = mail.records.length;
    expect(await run(takeStreamRecords())).toEqual([]);
    expect(received('mailboxes')).toEqual([stateChange({ acc_alice: { Mailbox: 'Mailbox-2' } })]);
    expect([...received('calendar'), ...received('silent')]).toEqual([]);
    expect(mail.records.length).toBeLessThan(before);
    expect(mail.records).toHaveLength(1);
  });

  test('of subscribe frames has the types of all subscriptions to the account', async () => {
    const { socket, deliver, takeStreamRecords, run, received } = await notifierWithMembers();
    const subscriptions = [
      { id: 'a', accountId: 'acc_shared', types: ['Email'] },
      { id: 'b', accountId: 'acc_shared', types: ['Thread', 'Email'] },
      { id: 'c', accountId: 'acc_alice', types: ['Mailbox'] },
    ];
    await socket('user_alice', 'c1', { dataTypes: undefined, subscriptions });
    await socket('user_alice', 'both', { dataTypes: ['EmailDelivery'], subscriptions });
    await deliver('acc_shared');
    await run(takeStreamRecords());
    const own = { stateChange: { accountId: 'acc_shared', changes: { Email: 'Email-2', Thread: 'Thread-2' } } };
    expect(received('c1')).toEqual([own]);
    expect(received('both')).toEqual([stateChange({ acc_shared: { EmailDelivery: 'EmailDelivery-2' } }), own]);
  });

  test('has the newest state of a batch once, with all accounts in one frame', async () => {
    const { socket, deliver, takeStreamRecords, run, received } = await notifierWithMembers();
    await socket('user_alice', 'c1');
    for (const accountId of ['acc_alice', 'acc_shared', 'acc_alice']) await deliver(accountId);
    await run(takeStreamRecords());
    expect(received('c1')).toEqual([stateChange({ acc_alice: every(3), acc_shared: every(2) })]);
  });

  test('repeats nothing, neither when the stream repeats a batch nor when the client knows the state', async () => {
    const { socket, deliver, takeStreamRecords, run, received } = await notifierWithMembers();
    await socket('user_alice', 'c1');
    await socket('user_alice', 'knows', { notifiedUpTo: new Map([['acc_alice', 3]]) });
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

  test('has every state that the client was not notified of, also those outside the batch', async () => {
    const { socket, deliver, takeStreamRecords, run, received, store } = await notifierWithMembers();
    await deliver('acc_alice');
    const view = (await store.open('acc_alice'))!;
    takeStreamRecords();
    await store.commit(view, (at) => mailCommit({ updateEmails: [{ ...emailsOf(at).get(emailsOf(at).ids()[0]!)!, keywords: ['$seen'] }] }));
    await socket('user_alice', 'behind', { notifiedUpTo: new Map([['acc_alice', 1]]) });
    await socket('user_alice', 'knows', { notifiedUpTo: new Map([['acc_alice', 2]]) });
    await run(takeStreamRecords());
    expect(received('behind')).toEqual([stateChange({ acc_alice: { ...every(2), Email: 'Email-3', Mailbox: 'Mailbox-3' } })]);
    expect(received('knows')).toEqual([stateChange({ acc_alice: { Email: 'Email-3', Mailbox: 'Mailbox-3' } })]);
  });

  test('has all states of an account of which the socket was never notified, because of its pushState', async () => {
    const { socket, deliver, takeStreamRecords, run, received, store } = await notifierWithMembers();
    await deliver('acc_alice');
    const view = (await store.open('acc_alice'))!;
    takeStreamRecords();
    await store.commit(view, (at) => mailCommit({ updateEmails: [{ ...emailsOf(at).get(emailsOf(at).ids()[0]!)!, keywords: ['$seen'] }] }));
    await socket('user_alice', 'fresh');
    await socket('user_alice', 'own', { dataTypes: undefined, subscriptions: [{ id: 's', accountId: 'acc_alice', types: ['Email', 'Thread'] }] });
    await run(takeStreamRecords());
    expect(received('fresh')).toEqual([stateChange({ acc_alice: { ...every(2), Email: 'Email-3', Mailbox: 'Mailbox-3' } })]);
    expect(received('own')).toEqual([{ stateChange: { accountId: 'acc_alice', changes: { Email: 'Email-3' } } }]);
  });
});

describe('the notified principals', () => {
  test('are the current members of the account, people and machines, on each of their sockets', async () => {
    const { socket, account, deliver, leave, takeStreamRecords, run, received } = await notifierWithMembers();
    await account('acc_team', 'user_alice', 'user_bob', 'machine-1');
    for (const [principalId, connectionId] of [
      ['user_alice', 'a1'],
      ['user_alice', 'a2'],
      ['user_bob', 'b'],
      ['machine-1', 'm'],
      ['user_carol', 'c'],
    ] as const) {
      await socket(principalId, connectionId);
    }
    await leave('acc_team', 'user_bob');
    takeStreamRecords();
    await deliver('acc_team');
    await run(takeStreamRecords());
    const expected = [stateChange({ acc_team: every(2) })];
    expect(['a1', 'a2', 'm', 'b', 'c'].map(received)).toEqual([expected, expected, expected, [], []]);
  });

  test.each([
    ['whose user is deactivated', { is_active: false }, {}, 403],
    ['whose user is deleted', { is_deleted: true }, {}, 403],
    ['whose user has no record', undefined, {}, 403],
    ['whose token has ended', {}, { expiresAt: seconds }, 401],
  ])('do not include a socket %s: it gets the reason, is closed and removed', async (_title, profile, listener, status) => {
    const notifier = await notifierWithMembers();
    await notifier.socket('user_alice', 'c1', listener);
    if (profile) await notifier.person('user_alice', profile);
    else await notifier.directory.write([{ delete: { pk: 'user', sk: 'user_alice' } }]);
    notifier.takeStreamRecords();
    await notifier.deliver('acc_alice');
    expect(await notifier.run(notifier.takeStreamRecords())).toEqual([]);
    expect(notifier.received('c1')).toEqual([{ '@type': 'RequestError', requestId: null, type: 'about:blank', status, detail: expect.any(String) }]);
    expect(notifier.webSocketSender.isOpen('c1')).toBe(false);
    expect([...(await notifier.listeners('user_alice')), ...(await notifier.mail.query({ pk: 'connection#c1' }))]).toEqual([]);
  });
});

describe('a client that cannot be reached', () => {
  test('because its connection was closed is removed', async () => {
    const notifier = await notifierWithMembers();
    await notifier.socket('user_alice', 'c1');
    notifier.webSocketSender.leave('c1');
    await notifier.deliver('acc_alice');
    expect(await notifier.run(notifier.takeStreamRecords())).toEqual([]);
    expect([...(await notifier.listeners('user_alice')), ...(await notifier.mail.query({ pk: 'connection#c1' }))]).toEqual([]);
  });

  test.each([
    ['API Gateway throttles', async () => Promise.reject(new LimitExceededException({ $metadata: {}, message: '' }))],
    ['API Gateway fails', async () => Promise.reject(new Error('500'))],
    ['does not respond', async () => 'silent' as const],
  ])('because %s stays connected and is notified by a queued retry; others are notified at once', async (_title, refuse) => {
    const notifier = await notifierWithMembers({
      webSocketSender: (sender) => ({ ...sender, post: (id, text) => (id === 'refused' ? refuse() : sender.post(id, text)) }),
    });
    await notifier.socket('user_alice', 'refused');
    await notifier.socket('user_alice', 'well');
    await notifier.deliver('acc_alice');
    expect(await notifier.run(notifier.takeStreamRecords())).toEqual([]);
    expect(notifier.webSocketSender.isOpen('refused')).toBe(true);
    expect(await notifier.listeners('user_alice')).toEqual(['socket#refused', 'socket#well']);
    expect([notifier.received('refused'), notifier.received('well')]).toEqual([[], [stateChange({ acc_alice: every(2) })]]);
    await notifier.retrySockets();
    expect(notifier.received('refused')).toEqual([stateChange({ acc_alice: every(2), acc_shared: { Mailbox: 'Mailbox-1' } })]);
    expect(await notifiedUpToOf(notifier, 'user_alice', 'refused')).toEqual({ acc_alice: 2, acc_shared: 1 });
  });

  test('waits for one retry, however often its accounts change meanwhile, and gets everything with it', async () => {
    let isDown = true;
    const notifier = await notifierWithMembers({
      webSocketSender: (sender) => ({ ...sender, post: async (id, text) => (isDown ? Promise.reject(new Error('503')) : sender.post(id, text)) }),
    });
    const subscriptions = [{ id: 's', accountId: 'acc_shared', types: ['Email'] }];
    await notifier.socket('user_alice', 'states', {
      notifiedUpTo: new Map([
        ['acc_alice', 1],
        ['acc_shared', 1],
      ]),
    });
    await notifier.socket('user_alice', 'subscribed', { dataTypes: undefined, subscriptions });
    for (const accountId of ['acc_alice', 'acc_shared', 'acc_shared', 'acc_alice']) {
      await notifier.deliver(accountId);
      await notifier.run(notifier.takeStreamRecords());
    }
    expect(notifier.deliveryQueue.messages).toHaveLength(2);
    isDown = false;
    await notifier.retrySockets();
    expect([notifier.received('states'), notifier.received('subscribed')]).toEqual([
      [stateChange({ acc_alice: every(3), acc_shared: every(3) })],
      [{ stateChange: { accountId: 'acc_shared', changes: { Email: 'Email-3' } } }],
    ]);
  });
});

describe('a queued retry of a socket', () => {
  const refusing = { post: async () => Promise.reject(new Error('429')), close: async () => undefined };
  const refused = async () => {
    const notifier = await notifierWithMembers({ webSocketSender: () => refusing });
    await notifier.socket('user_alice', 'c1');
    await notifier.deliver('acc_alice');
    await notifier.run(notifier.takeStreamRecords());
    return notifier;
  };

  test('is repeated while API Gateway refuses, ever later, and never closes the socket', async () => {
    const notifier = await refused();
    let refusals = 8;
    await notifier.retrySockets({
      webSocketSender: { ...refusing, post: async (id, text) => (refusals-- > 0 ? refusing.post() : notifier.webSocketSender.post(id, text)) },
    });
    expect(notifier.deliveryQueue.messages.map(({ delaySeconds }) => delaySeconds)).toEqual([3, 5, 9, 17, 33, 61, 61, 61, 61]);
    expect(notifier.received('c1')).toEqual([stateChange({ acc_alice: every(2), acc_shared: { Mailbox: 'Mailbox-1' } })]);
    expect(notifier.webSocketSender.isOpen('c1')).toBe(true);
  });

  test('closes a socket that is silent twice in a row: its client connects again', async () => {
    const notifier = await refused();
    await notifier.retrySockets({ webSocketSender: { ...notifier.webSocketSender, post: async () => 'silent' } });
    expect(notifier.webSocketSender.isOpen('c1')).toBe(false);
    expect(await notifier.listeners('user_alice')).toEqual([]);
    expect(notifier.deliveryQueue.messages.map(({ message }) => message)).toMatchObject([{ after: 'refused' }, { after: 'silent' }]);
  });

  test('returns to the queue when the silent socket cannot be closed', async () => {
    const notifier = await refused();
    const away = { post: async () => 'silent' as const, close: async () => Promise.reject(new Error('API Gateway is away')) };
    await expect(notifier.retrySockets({ webSocketSender: away })).rejects.toThrow('API Gateway is away');
    expect(await notifier.listeners('user_alice')).toEqual(['socket#c1']);
  });

  test('of a closed socket removes it; of a removed socket it does nothing', async () => {
    const notifier = await refused();
    notifier.webSocketSender.leave('c1');
    await notifier.retrySockets();
    expect(await notifier.listeners('user_alice')).toEqual([]);
    await notifier.deliveryQueue.send({ principalId: 'user_alice', connectionId: 'c1', attempt: 1, after: 'refused' });
    await notifier.retrySockets();
    expect(notifier.deliveryQueue.messages).toHaveLength(2);
  });

  test.each([
    ['whose user is deactivated', { is_active: false }, {}, 403],
    ['that has expired', {}, { expiresAt: seconds + 2 }, 401],
    ['of a sign-in before the last deactivation', { tokens_revoked_at: now.toISOString() }, {}, 401],
  ])('closes a socket %s, with the reason', async (_title, profile, listener, status) => {
    const notifier = await notifierWithMembers({ webSocketSender: () => refusing });
    await notifier.socket('user_alice', 'c1', listener);
    await notifier.deliver('acc_alice');
    await notifier.run(notifier.takeStreamRecords());
    await notifier.person('user_alice', profile);
    await notifier.retrySockets();
    expect(notifier.received('c1')).toMatchObject([{ '@type': 'RequestError', status }]);
    expect(notifier.webSocketSender.isOpen('c1')).toBe(false);
  });
});

describe('Web Push', () => {
  test('enqueues a push for a verified subscription that wants the type, with the commit after which everything is new', async () => {
    const notifier = await notifierWithMembers();
    await notifier.subscription('user_alice', 'all');
    await notifier.subscription('user_alice', 'knows', { notifiedUpTo: new Map([['acc_alice', 3]]) });
    await notifier.subscription('user_alice', 'behind', { notifiedUpTo: new Map([['acc_alice', 1]]), types: ['Thread'] });
    await notifier.subscription('user_alice', 'unverified', { isVerified: false });
    await notifier.subscription('user_alice', 'expired', { expiresAt: seconds });
    await notifier.subscription('user_alice', 'calendar', { types: ['CalendarEvent'] });
    await notifier.deliver('acc_alice');
    notifier.takeStreamRecords();
    await notifier.deliver('acc_alice');
    expect(await notifier.run(notifier.takeStreamRecords())).toEqual([]);
    expect(notifier.deliveryQueue.messages.map(({ message }) => message)).toEqual([
      { principalId: 'user_alice', subscriptionId: 'all', changed: { acc_alice: 2 } },
      { principalId: 'user_alice', subscriptionId: 'behind', changed: { acc_alice: 1 } },
    ]);
  });

  test('enqueues no push for a user who is not active', async () => {
    const notifier = await notifierWithMembers();
    await notifier.subscription('user_alice', 'all');
    await notifier.person('user_alice', { is_active: false });
    notifier.takeStreamRecords();
    await notifier.deliver('acc_alice');
    await notifier.run(notifier.takeStreamRecords());
    expect(notifier.deliveryQueue.messages).toEqual([]);
  });
});

describe('a batch with a failure', () => {
  test('is repeated from the first record that failed; the others are notified', async () => {
    const notifier = await notifierWithMembers({
      members: (members) => ({ ...members, memberIds: async (id) => (id === 'acc_alice' ? members.memberIds(id) : Promise.reject(new Error('throttled'))) }),
    });
    await notifier.socket('user_alice', 'c1');
    for (const accountId of ['acc_alice', 'acc_shared', 'acc_bob', 'acc_shared']) await notifier.deliver(accountId);
    const heads = notifier.takeStreamRecords().filter(({ dynamodb }) => dynamodb!.Keys!['sk']!.S === 'HEAD');
    expect(await notifier.run(heads)).toEqual([1]);
    expect(notifier.received('c1')).toEqual([stateChange({ acc_alice: every(2) })]);
    expect(JSON.stringify(notifier.log.records)).not.toContain('throttled');
  });

  test('is not caused by irrelevant or malformed records', async () => {
    const notifier = await notifierWithMembers();
    await notifier.socket('user_alice', 'c1');
    await notifier.deliver('acc_alice');
    const irrelevant = [
      {},
      { eventName: 'MODIFY' as const, dynamodb: { SequenceNumber: '0' } },
      { eventName: 'REMOVE' as const, dynamodb: { SequenceNumber: '1', Keys: { pk: { S: 'acc_alice#log' }, sk: { S: 'HEAD' } } } },
    ];
    expect(await notifier.run([...irrelevant, ...notifier.takeStreamRecords()])).toEqual([]);
    expect(notifier.received('c1')).toHaveLength(1);
  });
});

describe('the end of a listener by a stream record', () => {
  test.each([
    ['deactivated', { is_active: false }],
    ['deleted', { is_deleted: true }],
  ])('closes the sockets and removes the subscriptions of a user who is %s', async (_title, profile) => {
    const notifier = await notifierWithMembers();
    await notifier.socket('user_alice', 'c1');
    await notifier.socket('user_bob', 'c2');
    await notifier.subscription('user_alice', 'all');
    notifier.takeStreamRecords();
    await notifier.person('user_alice', profile);
    expect(await notifier.run(notifier.takeStreamRecords())).toEqual([]);
    expect([notifier.webSocketSender.isOpen('c1'), notifier.webSocketSender.isOpen('c2')]).toEqual([false, true]);
    expect(notifier.received('c1')).toMatchObject([{ '@type': 'RequestError', status: 403 }]);
    expect([await notifier.listeners('user_alice'), await notifier.listeners('user_bob')]).toEqual([[], ['socket#c2']]);
  });

  test('closes the sockets and removes the subscriptions of an active user that are older than the revocation of tokens', async () => {
    const notifier = await notifierWithMembers();
    await notifier.socket('user_alice', 'before', { authenticatedAt: seconds - 10 });
    await notifier.socket('user_alice', 'after', { authenticatedAt: seconds - 9 });
    await notifier.subscription('user_alice', 'old', { createdAt: seconds - 10 });
    await notifier.subscription('user_alice', 'new', { createdAt: seconds - 9 });
    await notifier.subscription('user_alice', 'of unknown time', { createdAt: undefined as unknown as number });
    notifier.takeStreamRecords();
    await notifier.person('user_alice', { is_active: false });
    const records = notifier.takeStreamRecords();
    await notifier.person('user_alice', { tokens_revoked_at: new Date((seconds - 10) * 1000 + 400).toISOString() });
    expect(await notifier.run(records)).toEqual([]);
    expect(notifier.received('before')).toMatchObject([{ '@type': 'RequestError', status: 401 }]);
    expect(await notifier.listeners('user_alice')).toEqual(['socket#after', 'subscription#new']);
  });

  test('keeps the listeners of a user who is active again', async () => {
    const notifier = await notifierWithMembers();
    await notifier.socket('user_alice', 'c1');
    notifier.takeStreamRecords();
    await notifier.person('user_alice', { is_active: false });
    await notifier.person('user_alice');
    expect(await notifier.run(notifier.takeStreamRecords())).toEqual([]);
    expect([notifier.webSocketSender.isOpen('c1'), await notifier.listeners('user_alice')]).toEqual([true, ['socket#c1']]);
  });

  test('closes a connection that has expired', async () => {
    const notifier = await notifierWithMembers();
    await notifier.socket('user_alice', 'c1');
    notifier.takeStreamRecords();
    await notifier.mail.write([{ delete: { pk: 'connection#c1', sk: 'connection' } }]);
    expect(await notifier.run(notifier.takeStreamRecords())).toEqual([]);
    expect(notifier.received('c1')).toMatchObject([{ '@type': 'RequestError', status: 401 }]);
    expect(notifier.webSocketSender.isOpen('c1')).toBe(false);
  });
});

describe('a client of the event source', () => {
  const queueUrl = 'https://sqs.test/1/wait-0';
  const wakesOf = async (more: Partial<EventSourceListener>): Promise<number> => {
    const { person, account, mail, deliver, takeStreamRecords, run, waitQueue } = notifierInMemory();
    await person('user_alice');
    await account('acc_alice', 'user_alice');
    await putEventSource(mail, {
      principalId: 'user_alice',
      name: 'client',
      types: null,
      notifiedUpTo: new Map([['acc_alice', 1]]),
      answeredAt: seconds,
      expiresAt: seconds + 900,
      ...more,
    });
    takeStreamRecords();
    await deliver('acc_alice');
    expect(await run(takeStreamRecords())).toEqual([]);
    return waitQueue(queueUrl).messages.length;
  };

  test.each<[string, number, Partial<EventSourceListener>]>([
    ['two messages, since a wait that was given up may take one', 2, { queueUrl }],
    ['none, when it wants none of the changes', 0, { queueUrl, types: ['Identity'] }],
    ['none, when it does not wait', 0, {}],
    ['none, when it was forgotten', 0, { queueUrl, expiresAt: seconds - 1 }],
  ])('is woken by %s', async (_what, wakes, listener) => {
    expect(await wakesOf(listener)).toBe(wakes);
  });

  test('is one of a limited number that a change wakes, and keeps no socket of the user from it', async () => {
    const { person, account, mail, deliver, takeStreamRecords, run, waitQueue, socket, received } = notifierInMemory();
    await person('user_alice');
    await account('acc_alice', 'user_alice');
    await socket('user_alice', 'c1');
    for (let number = 0; number < 3 * eventSourceWait.wokenClients; number++) {
      await putEventSource(mail, {
        principalId: 'user_alice',
        name: `client${number}`,
        types: null,
        notifiedUpTo: new Map([['acc_alice', 1]]),
        answeredAt: seconds,
        expiresAt: seconds + 900,
        queueUrl,
      });
    }
    takeStreamRecords();
    await deliver('acc_alice');
    expect(await run(takeStreamRecords())).toEqual([]);
    expect(received('c1')).toHaveLength(1);
    const woken = waitQueue(queueUrl).messages.length / eventSourceWait.wakes;
    expect(woken).toBeGreaterThanOrEqual(eventSourceWait.wokenClients);
    expect(woken).toBeLessThan(3 * eventSourceWait.wokenClients);
  });
});
