import type { APIGatewayProxyWebsocketEventV2 } from 'aws-lambda';
import { webSocketLimits } from '../../../../contract/jmap/web-socket.ts';
import { webSocketConnectionsIn } from '../../../../core/push/web-socket/web-socket-connections.ts';
import { framesPerShare } from '../../../../lambdas/jmap/web-socket/frame-rate-limit.ts';
import { webSocketMessageHandler } from '../../../../lambdas/jmap/web-socket/web-socket-message.ts';
import { memoryWebSocketSender, type MemoryWebSocketSender } from '../../../fakes/memory-web-socket-sender.ts';
import { perTest } from '../../../support/per-test.ts';
import { jmapDeploymentPerTest, mailAndCore, type Json } from '../jmap-deployment.ts';

const deployment = jmapDeploymentPerTest();
let webSocketSender: MemoryWebSocketSender;
let now: Date;
let answer: ReturnType<typeof webSocketMessageHandler>;
const connections = perTest(() => webSocketConnectionsIn(deployment.mail));
beforeEach(async () => {
  now = new Date('2026-11-21T08:00:00Z');
  webSocketSender = memoryWebSocketSender();
  webSocketSender.open('c1');
  webSocketSender.open('c2');
  answer = webSocketMessageHandler({ jmap: deployment.jmap, connections, webSocketSender, clock: () => now });
  await open('c1');
});
const open = async (connectionId: string, principalId = 'alice'): Promise<void> => {
  webSocketSender.open(connectionId);
  await connections.put({
    connectionId,
    principalId,
    isMachine: false,
    scopes: ['jmapApi/MAIL_READ'],
    authenticatedAt: 0,
    openedAt: 0,
    expiresAt: now.getTime() / 1000 + 60,
  });
};
const messageOf = (connectionId: string, body: string): APIGatewayProxyWebsocketEventV2 =>
  ({ requestContext: { connectionId, routeKey: '$default' }, body, isBase64Encoded: false }) as unknown as APIGatewayProxyWebsocketEventV2;
const sent = async (frame: unknown, connectionId = 'c1', isBase64Encoded = false): Promise<Json> => {
  const body = typeof frame === 'string' ? frame : JSON.stringify(frame);
  const event = { requestContext: { connectionId, routeKey: '$default' }, body, isBase64Encoded } as unknown as APIGatewayProxyWebsocketEventV2;
  const { statusCode, body: answered } = await answer(event);
  expect(statusCode).toBe(200);
  return JSON.parse(answered ?? webSocketSender.received(connectionId).at(-1)!) as Json;
};
const request = (methodCalls: unknown[], more: Json = {}) => ({ '@type': 'Request', using: mailAndCore, methodCalls, ...more });

describe('a Request frame', () => {
  // @requirement 8887 §4.3.2 request-id
  // @pitfall push request-id
  test('is answered by a Response with its id as requestId', async () => {
    const response = await sent(
      request(
        [
          ['Mailbox/get', { accountId: 'acc_alice', properties: ['role'] }, 'a'],
          ['Core/echo', {}, 'b'],
        ],
        { id: 'R1' },
      ),
    );
    expect(response).toMatchObject({
      '@type': 'Response',
      requestId: 'R1',
      methodResponses: [
        ['Mailbox/get', {}, 'a'],
        ['Core/echo', {}, 'b'],
      ],
      sessionState: expect.any(String) as string,
    });
  });

  test('without an id is answered without requestId, and with createdIds if it has some', async () => {
    const response = await sent(request([], { createdIds: { a: 'F1' } }));
    expect(response).not.toHaveProperty('requestId');
    expect(response).toMatchObject({ createdIds: { a: 'F1' } });
  });

  test('may do what the token of its connection permits', async () => {
    expect((await sent(request([['Email/set', { accountId: 'acc_alice', destroy: [] }, 'a']])))['methodResponses'][0]).toMatchObject([
      'error',
      { type: 'forbidden' },
      'a',
    ]);
  });

  // @requirement 8887 §4.3.4 request-error
  test.each<[string, unknown, string]>([
    ['an unknown capability', request([], { using: ['urn:unheard'], id: 'R2' }), 'unknownCapability'],
    ['no Request', { '@type': 'Request', id: 'R2' }, 'notRequest'],
    ['an unknown type', { '@type': 'Question', id: 'R2' }, 'notRequest'],
    [
      '33 calls',
      request(
        Array.from({ length: 33 }, () => ['Core/echo', {}, 'c']),
        { id: 'R2' },
      ),
      'limit',
    ],
  ])('%s is a RequestError with its id', async (_what, frame, problem) => {
    expect(await sent(frame)).toMatchObject({ '@type': 'RequestError', requestId: 'R2', type: `urn:ietf:params:jmap:error:${problem}`, status: 400 });
  });

  test.each<[string, string, string]>([
    ['broken JSON', '{', 'notJSON'],
    ['a list', '[]', 'notRequest'],
    ['null', 'null', 'notRequest'],
  ])('%s is a RequestError without an id', async (_what, frame, problem) => {
    expect(await sent(frame)).toMatchObject({ '@type': 'RequestError', requestId: null, type: `urn:ietf:params:jmap:error:${problem}` });
  });

  // @requirement 8887 §4.3.1 text-only
  test('a binary frame is notJSON', async () => {
    expect(await sent(Buffer.from('{}').toString('base64'), 'c1', true)).toMatchObject({ type: 'urn:ietf:params:jmap:error:notJSON' });
  });

  test('whose id is not a string is notRequest; null is no id', async () => {
    expect(await sent(request([], { id: 5 }))).toMatchObject({
      '@type': 'RequestError',
      requestId: null,
      type: 'urn:ietf:params:jmap:error:notRequest',
      detail: expect.stringContaining('"id"') as string,
    });
    expect(await sent(request([], { id: null }))).not.toHaveProperty('requestId');
  });

  // @pitfall client large-response
  test('whose call has a response that does not fit into a message fails for that call only', async () => {
    const { requestId, methodResponses } = await sent(
      request(
        [
          ['Core/echo', { text: 'ü'.repeat(30_000) }, 'a'],
          ['Core/echo', { text: 'ü'.repeat(40_000) }, 'b'],
          ['Core/echo', {}, 'c'],
        ],
        { id: 'R3' },
      ),
    );
    expect(requestId).toBe('R3');
    expect(methodResponses).toMatchObject([
      ['Core/echo', {}, 'a'],
      ['error', { type: 'requestTooLarge' }, 'b'],
      ['Core/echo', {}, 'c'],
    ]);
  });

  test('that would change something and whose response does not fit changes nothing', async () => {
    await connections.put({
      connectionId: 'c2',
      principalId: 'alice',
      isMachine: false,
      scopes: ['jmapApi/MAIL_READ', 'jmapApi/MAIL_WRITE'],
      authenticatedAt: 0,
      openedAt: 0,
      expiresAt: now.getTime() / 1000 + 60,
    });
    const { methodResponses } = await sent(
      request([
        ['Core/echo', { text: 'x'.repeat(108_500) }, 'a'],
        ['Mailbox/set', { accountId: 'acc_alice', create: { m: { name: 'Made' } } }, 'b'],
        ['Mailbox/get', { accountId: 'acc_alice', properties: ['name'] }, 'c'],
      ]),
      'c2',
    );
    expect(methodResponses[1]).toMatchObject(['error', { type: 'requestTooLarge' }, 'b']);
    expect(methodResponses[2]![1].list).not.toContainEqual(expect.objectContaining({ name: 'Made' }));
  });

  test('whose errors are larger than a message gets a RequestError that refers to HTTP', async () => {
    const calls = Array.from({ length: 32 }, (_, index) => ['a', {}, `${index}${'x'.repeat(4050)}`]);
    expect(await sent(request(calls, { id: 'R3' }))).toMatchObject({
      '@type': 'RequestError',
      requestId: 'R3',
      status: 413,
      detail: expect.stringContaining('HTTP') as string,
    });
  });
});

describe('a WebSocket connection', () => {
  test('that was not opened is refused and closed', async () => {
    expect(await sent(request([], { id: 'R' }), 'c2')).toMatchObject({ '@type': 'RequestError', status: 401 });
    expect(webSocketSender.isOpen('c2')).toBe(false);
  });

  test('is closed with an error when its token has ended', async () => {
    expect(await sent(request([]))).toMatchObject({ '@type': 'Response' });
    now = new Date(now.getTime() + 61_000);
    expect(await sent(request([]))).toMatchObject({ '@type': 'RequestError', status: 401 });
    expect(webSocketSender.isOpen('c1')).toBe(false);
    expect(webSocketSender.received('c1')).toHaveLength(1);
  });

  test.each<[string, Json]>([
    ['a Request', request([['Core/echo', {}, 'a']])],
    ['enabling push', { '@type': 'WebSocketPushEnable', dataTypes: null }],
    ['disabling push', { '@type': 'WebSocketPushDisable' }],
    ['a subscription', { subscribe: { id: 's', accountId: 'acc_alice', types: ['Email'] } }],
    ['the end of a subscription', { unsubscribe: { id: 's' } }],
  ])('of a deactivated person is refused and closed at once: %s', async (_what, frame) => {
    await deployment.addUser('alice', { is_active: false });
    expect(await sent(frame)).toMatchObject({ '@type': 'RequestError', status: 403 });
    expect(webSocketSender.isOpen('c1')).toBe(false);
  });

  test('that cannot be closed gets the error as the response', async () => {
    webSocketSender.close = () => Promise.reject(new Error('throttled'));
    expect(await sent(request([], { id: 'R' }), 'c2')).toMatchObject({ '@type': 'RequestError', status: 401 });
    expect(deployment.logged).toHaveLength(1);
  });

  test('that cannot be sent the error is closed nevertheless', async () => {
    webSocketSender.post = () => Promise.reject(new Error('too slow'));
    await answer({ requestContext: { connectionId: 'c2' }, body: '{}', isBase64Encoded: false } as unknown as APIGatewayProxyWebsocketEventV2);
    expect(webSocketSender.isOpen('c2')).toBe(false);
  });

  test('that exceeds the rate limit gets one error and is closed; the next window permits as many frames', async () => {
    for (let frame = 0; frame < webSocketLimits.maxSocketFrames; frame++) {
      expect(await sent('no JSON')).toMatchObject({ type: 'urn:ietf:params:jmap:error:notJSON' });
    }
    expect(await sent(request([]), 'c2')).toMatchObject({ status: 401 });
    expect(await sent('no JSON')).toMatchObject({ '@type': 'RequestError', type: 'urn:ietf:params:jmap:error:limit', limit: 'maxSocketFrames', status: 400 });
    expect(webSocketSender.isOpen('c1')).toBe(false);
    const late = {
      requestContext: { connectionId: 'c1' },
      body: JSON.stringify(request([['Mailbox/get', { accountId: 'acc_alice' }, 'a']])),
      isBase64Encoded: false,
    } as unknown as APIGatewayProxyWebsocketEventV2;
    expect(await deployment.tripsOf(async () => expect(await answer(late)).toEqual({ statusCode: 200 }))).toBe(0);
    expect(webSocketSender.received('c1')).toHaveLength(1);
    await open('again');
    expect(await sent('no JSON', 'again')).toMatchObject({ limit: 'maxSocketFrames' });
    now = new Date(now.getTime() + webSocketLimits.frameWindow * 1000);
    await open('later');
    expect(await sent('no JSON', 'later')).toMatchObject({ type: 'urn:ietf:params:jmap:error:notJSON' });
  });

  test('shares its rate limit with all connections of the person, over all instances of the Lambda, and with no other person', async () => {
    const instances = Array.from({ length: 10 }, () => webSocketMessageHandler({ jmap: deployment.jmap, connections, webSocketSender, clock: () => now }));
    const sockets = Array.from({ length: webSocketLimits.maxSockets }, (_, index) => `flood-${index}`);
    for (const socket of sockets) await open(socket);
    await deployment.addUser('bob');
    await open('bob', 'bob');
    let handled = 0;
    for (let frame = 0; frame < 5 * webSocketLimits.maxSocketFrames; frame++) {
      const socket = sockets[frame % sockets.length]!;
      const { body } = await instances[(frame * 7) % instances.length]!(messageOf(socket, 'no JSON'));
      if (body?.includes('notJSON')) handled += 1;
    }
    expect(handled).toBeLessThanOrEqual(webSocketLimits.maxSocketFrames + instances.length * framesPerShare);
    expect(sockets.filter((socket) => webSocketSender.isOpen(socket))).toEqual([]);
    for (const instance of instances) {
      expect((await instance(messageOf('bob', 'no JSON'))).body).toContain('notJSON');
    }
  });

  test('shares the count of its frames beside a frame, without a further trip, and answers when that fails', async () => {
    const calls = request([['Mailbox/get', { accountId: 'acc_alice' }, 'a']]);
    for (let frame = 1; frame < framesPerShare; frame++) await sent(calls);
    expect(await deployment.tripsOf(() => sent(calls))).toBe(1);
    expect(await deployment.mail.query({ pk: 'frames#alice' })).toMatchObject([{ frames: framesPerShare, expiresAt: expect.any(Number) as number }]);
    const query = deployment.mail.query.bind(deployment.mail);
    deployment.mail.query = async (given) => (given.pk === 'frames#alice' ? Promise.reject(new Error('throttled')) : query(given));
    for (let frame = 0; frame < framesPerShare; frame++) expect(await sent(calls)).toMatchObject({ '@type': 'Response' });
  });

  test('costs no more trips than HTTP once it is cached', async () => {
    const calls = request([['Mailbox/get', { accountId: 'acc_alice' }, 'a']]);
    await sent(calls);
    expect(await deployment.tripsOf(() => sent(calls))).toBe(1);
  });

  test('gets a RequestError without the cause of an internal failure', async () => {
    deployment.jmap.principals.find = () => Promise.reject(new Error('secret place'));
    const response = await sent(request([], { id: 'R4' }));
    expect(response).toMatchObject({ '@type': 'RequestError', requestId: 'R4', status: 500 });
    expect(JSON.stringify(response)).not.toContain('secret place');
  });
});
