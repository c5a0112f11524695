import type { APIGatewayProxyWebsocketEventV2 } from 'aws-lambda';
import { capability } from '../../../../contract/jmap/core.ts';
import { subscriptionErrorCodes, webSocketLimits } from '../../../../contract/jmap/web-socket.ts';
import { findListeners } from '../../../../core/push/listeners/listeners.ts';
import type { SocketListener } from '../../../../core/push/listeners/socket-listener.ts';
import { webSocketConnectionsIn } from '../../../../core/push/web-socket/web-socket-connections.ts';
import type { Write } from '../../../../core/storage/table.ts';
import { webSocketMessageHandler } from '../../../../lambdas/jmap/web-socket/web-socket-message.ts';
import { memoryWebSocketSender, type MemoryWebSocketSender } from '../../../fakes/memory-web-socket-sender.ts';
import { perTest } from '../../../support/per-test.ts';
import { jmapDeploymentPerTest, type Json } from '../jmap-deployment.ts';

const deployment = jmapDeploymentPerTest();
let webSocketSender: MemoryWebSocketSender;
let answer: ReturnType<typeof webSocketMessageHandler>;

const now = new Date('2026-11-21T08:00:00Z');
const connect = async (connectionId: string, principalId = 'alice') => {
  await connections.put({
    connectionId,
    principalId,
    isMachine: false,
    scopes: ['jmapApi/MAIL_READ'],
    authenticatedAt: 0,
    openedAt: 0,
    expiresAt: now.getTime() / 1000 + 60,
  });
  webSocketSender.open(connectionId);
};
const connections = perTest(() => webSocketConnectionsIn(deployment.mail));
beforeEach(async () => {
  webSocketSender = memoryWebSocketSender();
  answer = webSocketMessageHandler({ jmap: deployment.jmap, connections, webSocketSender, clock: () => now });
  await connect('c1');
});

/** Sends a frame. @returns the frames that the client receives in response, in order. */
const exchange = async (frame: Json, connectionId = 'c1'): Promise<Json[]> => {
  const before = webSocketSender.received(connectionId).length;
  const { body } = await answer({
    requestContext: { connectionId },
    body: JSON.stringify(frame),
    isBase64Encoded: false,
  } as unknown as APIGatewayProxyWebsocketEventV2);
  return [...webSocketSender.received(connectionId).slice(before), ...(body === undefined ? [] : [body])].map((text) => JSON.parse(text) as Json);
};
const enable = (more: Json = {}, connectionId = 'c1') => exchange({ '@type': 'WebSocketPushEnable', dataTypes: null, ...more }, connectionId);
const stored = async (principalId = 'alice'): Promise<SocketListener | undefined> => (await findListeners(deployment.mail, principalId)).sockets[0];
/** A listener without push and subscriptions. */
const silent = {
  connectionId: 'c1',
  principalId: 'alice',
  authenticatedAt: 0,
  openedAt: 0,
  expiresAt: now.getTime() / 1000 + 60,
  subscriptions: [],
  notifiedUpTo: new Map(),
};
const pushStateNow = async (): Promise<string> => (await enable()).at(-1)!['pushState'] as string;

describe('WebSocketPushEnable', () => {
  // @requirement 8887 §3.0 capability
  test('is advertised in the session', async () => {
    const session = JSON.parse((await deployment.http('GET', '/.well-known/jmap')).body!) as Json;
    expect(session['capabilities'][capability.webSocket].supportsPush).toBe(true);
  });

  test('without a pushState is answered with all states, then with a pushState', async () => {
    await deployment.deliver();
    expect(await enable()).toEqual([
      {
        '@type': 'StateChange',
        changed: {
          acc_alice: { Email: 'Email-2', EmailDelivery: 'EmailDelivery-2', Identity: 'Identity-1', Mailbox: 'Mailbox-2', Quota: 'Quota-2', Thread: 'Thread-2' },
        },
        pushState: expect.any(String) as string,
      },
      { '@type': 'StateChange', changed: {}, pushState: expect.any(String) as string },
    ]);
    expect(await stored()).toEqual({
      connectionId: 'c1',
      principalId: 'alice',
      authenticatedAt: 0,
      openedAt: 0,
      expiresAt: now.getTime() / 1000 + 60,
      dataTypes: null,
      subscriptions: [],
      notifiedUpTo: new Map([['acc_alice', 2]]),
    });
  });

  // @requirement 8887 §4.3.5 push-state
  // @pitfall push push-state
  test('with a pushState is answered with newer states only', async () => {
    const pushState = await pushStateNow();
    expect(await enable({ pushState })).toEqual([{ '@type': 'StateChange', changed: {}, pushState }]);
    await deployment.deliver();
    const [change, end, ...more] = await enable({ pushState });
    expect(change).toMatchObject({ '@type': 'StateChange', changed: { acc_alice: { Email: 'Email-2' } } });
    expect([end!['changed'], end!['pushState'] === change!['pushState'], more]).toEqual([{}, true, []]);
    expect(await enable({ pushState: end!['pushState'] as string })).toHaveLength(1);
  });

  test('sends the changes of all accounts of the caller, also of one shared since, and of no other', async () => {
    await connect('b1', 'bob');
    const [, { pushState } = {}] = await enable({}, 'b1');
    await deployment.store.createAccount('acc_new');
    await deployment.addMember('bob', 'acc_new', 'READ', false);
    await deployment.deliver({ accountId: 'acc_bob' });
    await deployment.directory.write([{ delete: { pk: 'member#bob', sk: 'acc_alice' } }]);
    await deployment.deliver();
    const [change] = await enable({ pushState }, 'b1');
    expect(change!['changed']).toEqual({ acc_bob: expect.objectContaining({ Email: 'Email-2' }) as Json, acc_new: { Mailbox: 'Mailbox-1' } });
  });

  // @requirement 8887 §4.3.5 push-enable
  test('sends the requested types, and ignores unknown names', async () => {
    const pushState = await pushStateNow();
    await deployment.deliver();
    expect((await enable({ pushState, dataTypes: ['EmailDelivery', 'CalendarEvent'] }))[0]!['changed']).toEqual({
      acc_alice: { EmailDelivery: 'EmailDelivery-2' },
    });
    expect((await stored())!.dataTypes).toEqual(['EmailDelivery']);
    expect(await enable({ pushState, dataTypes: ['CalendarEvent'] })).toHaveLength(1);
    expect((await enable({ pushState, dataTypes: undefined }))[0]!['changed']).toEqual({ acc_alice: expect.objectContaining({ Thread: 'Thread-2' }) as Json });
  });

  test.each([['garbage'], ['1.short'], [''], [`1${'.abcdefgh1'.repeat(1000)}`]])(
    'with a pushState that cannot be read sends all states: %.10s',
    async (pushState) => {
      expect((await enable({ pushState }))[0]!['changed']).toEqual({ acc_alice: { Mailbox: 'Mailbox-1', Identity: 'Identity-1' } });
    },
  );

  test('with a pushState from the future hides no later change', async () => {
    const { pushState } = (await enable())[0]! as { pushState: string };
    await enable({ pushState: pushState.replace(/.$/, 'zzz') });
    expect((await stored())!.notifiedUpTo).toEqual(new Map([['acc_alice', 1]]));
  });

  test.each<[string, Json]>([
    ['a type instead of a list', { dataTypes: 'Email' }],
    ['numbers for types', { dataTypes: [1] }],
    ['a thousand types', { dataTypes: Array.from({ length: 1000 }, () => 'Email') }],
    ['a number for a pushState', { pushState: 7 }],
    ['an object for a pushState', { pushState: {} }],
  ])('with %s is a RequestError notRequest, and nothing is stored', async (_what, more) => {
    expect(await enable(more)).toEqual([
      { '@type': 'RequestError', requestId: null, type: 'urn:ietf:params:jmap:error:notRequest', status: 400, detail: expect.any(String) as string },
    ]);
    expect(await stored()).toEqual(silent);
  });

  test('loses no change between storing the listener and reading the states', async () => {
    const pushState = await pushStateNow();
    const write = deployment.mail.write.bind(deployment.mail);
    deployment.mail.write = async (writes: readonly Write[]) => {
      if (writes.some((each) => 'update' in each && each.update.pk === 'push#alice' && each.set)) {
        deployment.mail.write = write;
        await write(writes);
        await deployment.deliver();
      } else await write(writes);
    };
    expect((await enable({ pushState }))[0]!['changed']).toEqual({ acc_alice: expect.objectContaining({ Email: 'Email-2' }) as Json });
    expect((await stored())!.notifiedUpTo).toEqual(new Map([['acc_alice', 2]]));
  });

  test.each<[title: string, post: typeof webSocketSender.post, status: number]>([
    ['could not be sent is a RequestError 500', () => Promise.reject(new Error('lost')), 500],
    ['are not taken in time is a RequestError 503', async () => 'silent', 503],
  ])('whose changes %s, and they are not recorded as notified', async (_title, post, status) => {
    const pushState = await pushStateNow();
    await deployment.deliver();
    webSocketSender.post = post;
    expect(await enable({ pushState })).toMatchObject([{ '@type': 'RequestError', status }]);
    expect((await stored())!.notifiedUpTo).toEqual(new Map([['acc_alice', 1]]));
  });

  test('that crashes after sending changes repeats them, and loses none', async () => {
    const pushState = await pushStateNow();
    await deployment.deliver();
    const write = deployment.mail.write.bind(deployment.mail);
    deployment.mail.write = async (writes: readonly Write[]) => {
      if (writes.some((each) => 'update' in each && each.merge)) throw new Error('crashed');
      await write(writes);
    };
    const changes = expect.objectContaining({ changed: { acc_alice: expect.objectContaining({ Email: 'Email-2' }) as Json } }) as Json;
    expect(await enable({ pushState })).toEqual([changes, expect.objectContaining({ '@type': 'RequestError', status: 500 })]);
    expect((await stored())!.notifiedUpTo).toEqual(new Map([['acc_alice', 1]]));
    deployment.mail.write = write;
    expect((await enable({ pushState }))[0]).toEqual(changes);
  });

  test('of a client that has left stores nothing', async () => {
    webSocketSender.leave('c1');
    await enable();
    expect([await stored(), await connections.find('c1')]).toEqual([undefined, undefined]);
  });

  test('on a connection that was closed meanwhile is refused, and nothing is stored', async () => {
    await enable();
    await connections.remove('c1');
    expect(await enable()).toMatchObject([{ '@type': 'RequestError', status: 401 }]);
    expect([await stored(), webSocketSender.isOpen('c1')]).toEqual([undefined, false]);
  });

  test('with hundreds of accounts sends frames of at most 32 KB, with a pushState in the last', async () => {
    const accountIds = Array.from({ length: 500 }, (_, index) => `acc_${String(index).padStart(21, '0')}`);
    for (const accountId of accountIds) {
      await deployment.store.createAccount(accountId);
      await deployment.addMember('alice', accountId, 'READ', false);
    }
    const frames = await enable();
    const withChanges = frames.filter((frame) => Object.keys(frame['changed'] as Json).length > 0);
    expect(withChanges.length).toBeGreaterThan(1);
    for (const frame of frames) expect(Buffer.byteLength(JSON.stringify(frame))).toBeLessThanOrEqual(webSocketLimits.maxSizeFrame);
    expect(withChanges.map((frame) => 'pushState' in frame)).toEqual(withChanges.map((_, index) => index === withChanges.length - 1));
    expect(
      withChanges
        .flatMap((frame) => Object.keys(frame['changed'] as Json))
        .filter((accountId) => accountIds.includes(accountId))
        .sort(),
    ).toEqual(accountIds);
    expect((await enable({ pushState: frames.at(-1)!['pushState'] })).length).toBe(1);
  });

  test('takes four trips at most', async () => {
    await enable();
    await deployment.deliver();
    expect(await deployment.tripsOf(() => enable())).toBe(4);
  });
});

describe('WebSocketPushDisable', () => {
  // @requirement 8887 §4.3.5 push-disable
  test('disables push, also when it was not enabled; subscriptions stay', async () => {
    const response = [{ '@type': 'StateChange', changed: {} }];
    expect(await exchange({ '@type': 'WebSocketPushDisable' })).toEqual(response);
    expect(await stored()).toEqual(silent);
    await exchange({ subscribe: { id: 's', accountId: 'acc_alice', types: ['Email'] } });
    await enable();
    expect(await exchange({ '@type': 'WebSocketPushDisable' })).toEqual(response);
    expect(await stored()).not.toHaveProperty('dataTypes');
    expect((await stored())!.subscriptions).toHaveLength(1);
  });
});

describe('subscriptions of subscribe frames', () => {
  const subscribe = async (more: Json = {}) => (await exchange({ subscribe: { id: 's1', accountId: 'acc_alice', types: ['Email'], ...more } }))[0]!;
  const error = (code: string, id: string | null = 's1') => ({ error: { id, code, description: expect.any(String) as string } });

  test('are confirmed with their id and stored; the same id again replaces one', async () => {
    expect(await subscribe()).toEqual({ subscribed: { id: 's1' } });
    expect(await subscribe({ types: ['Mailbox', 'CalendarEvent'] })).toEqual({ subscribed: { id: 's1' } });
    expect((await stored())!.subscriptions).toEqual([{ id: 's1', accountId: 'acc_alice', types: ['Mailbox'] }]);
  });

  test('are ten at most; the eleventh is refused until one is removed', async () => {
    for (let index = 1; index <= 10; index++) expect(await subscribe({ id: `s${index}` })).toEqual({ subscribed: { id: `s${index}` } });
    expect(await subscribe({ id: 's11' })).toEqual(error('tooManySubscriptions', 's11'));
    expect(await exchange({ unsubscribe: { id: 's3' } })).toEqual([{ unsubscribed: { id: 's3' } }]);
    expect(await exchange({ unsubscribe: { id: 's3' } })).toEqual([{ unsubscribed: { id: 's3' } }]);
    expect(await subscribe({ id: 's11' })).toEqual({ subscribed: { id: 's11' } });
  });

  test('of simultaneous frames are stored exactly if they are confirmed', async () => {
    const answers = await Promise.all(
      Array.from({ length: 15 }, (_, index) =>
        answer({
          requestContext: { connectionId: 'c1' },
          body: JSON.stringify({ subscribe: { id: `s${index}`, accountId: 'acc_alice', types: ['Email'] } }),
          isBase64Encoded: false,
        } as unknown as APIGatewayProxyWebsocketEventV2),
      ),
    );
    const confirmed = answers.flatMap(({ body }) => (JSON.parse(body!) as { subscribed?: { id: string } }).subscribed?.id ?? []);
    expect(confirmed).toHaveLength(10);
    expect((await stored())!.subscriptions.map(({ id }) => id).toSorted()).toEqual(confirmed.toSorted());
  });

  test.each(['acc_bob', 'acc_none', ''])('to account "%s", of which the caller is no member, are accountNotFound', async (accountId) => {
    expect(await subscribe({ accountId })).toEqual(error('accountNotFound'));
    expect(await stored()).toEqual(silent);
  });

  test.each<[string, unknown, string | null]>([
    ['no object', 'Email', null],
    ['null', null, null],
    ['a list', [], null],
    ['no id', { accountId: 'acc_alice', types: ['Email'] }, null],
    ['an empty id', { id: '', accountId: 'acc_alice', types: ['Email'] }, null],
    ['an id without end', { id: 'x'.repeat(256), accountId: 'acc_alice', types: ['Email'] }, null],
    ['no account', { id: 's1', types: ['Email'] }, 's1'],
    ['no types', { id: 's1', accountId: 'acc_alice' }, 's1'],
    ['an empty list of types', { id: 's1', accountId: 'acc_alice', types: [] }, 's1'],
    ['null for types', { id: 's1', accountId: 'acc_alice', types: null }, 's1'],
    ['numbers for types', { id: 's1', accountId: 'acc_alice', types: [1] }, 's1'],
  ])('with %s are invalidArguments', async (_what, given, id) => {
    expect(await exchange({ subscribe: given })).toEqual([error('invalidArguments', id)]);
    expect(await stored()).toEqual(silent);
  });

  test('are not removed without an id: invalidArguments', async () => {
    expect(await exchange({ unsubscribe: {} })).toEqual([error('invalidArguments', null)]);
  });

  test('on a connection that was closed meanwhile are refused, and nothing is stored', async () => {
    await subscribe();
    await connections.remove('c1');
    expect(await exchange({ subscribe: { id: 's2', accountId: 'acc_alice', types: ['Email'] } })).toMatchObject([{ '@type': 'RequestError', status: 401 }]);
    webSocketSender.open('c1');
    expect(await exchange({ unsubscribe: { id: 's1' } })).toMatchObject([{ '@type': 'RequestError', status: 401 }]);
    expect(await stored()).toBeUndefined();
  });

  test('fail with a documented code, without the cause', async () => {
    deployment.jmap.principals.find = () => Promise.reject(new Error('secret place'));
    const failed = await subscribe();
    expect(failed).toEqual(error('serverFail'));
    expect(JSON.stringify(failed)).not.toContain('secret place');
    deployment.jmap.principals.find = () => Promise.reject(Object.assign(new Error('busy'), { name: 'ThrottlingException' }));
    expect(await subscribe()).toEqual(error('serverUnavailable'));
    expect(subscriptionErrorCodes).toEqual(
      expect.arrayContaining(['serverFail', 'serverUnavailable', 'accountNotFound', 'invalidArguments', 'tooManySubscriptions']),
    );
  });

  test('are neither added nor removed by a frame with both keys', async () => {
    expect(await exchange({ subscribe: { id: 's1', accountId: 'acc_alice', types: ['Email'] }, unsubscribe: { id: 's2' } })).toEqual([
      { error: { id: 's1', code: 'invalidArguments', description: expect.stringContaining('one of') as string } },
    ]);
    expect((await stored())?.subscriptions).toEqual([]);
  });

  test('are not made by a frame with @type', async () => {
    expect(await exchange({ '@type': 'Subscribe', subscribe: { id: 's1', accountId: 'acc_alice', types: ['Email'] } })).toMatchObject([
      { '@type': 'RequestError', type: 'urn:ietf:params:jmap:error:notRequest' },
    ]);
  });
});
