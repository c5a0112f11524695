import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDBClient, GetItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { WebSocket, type ClientOptions } from 'ws';
import { webSocketSubscriptionCapability } from '../../contract/jmap/core.ts';
import { webSocketLimits } from '../../contract/jmap/web-socket.ts';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { accessTokenOf, adminMachineToken } from './access-tokens.ts';
import { deployed, describeWith } from './deployment.ts';
import { bearer, eventually } from './http-requests.ts';
import { core, jmapClient, mail, type JmapClient } from './jmap-client.ts';
import { announcesState, closeAllSockets, openSocket, pushStateIn, type Frame, type PushClient } from './websocket-push-client.ts';

const refusedStatus = async (url: string, options: ClientOptions = {}): Promise<number | undefined> => {
  const socket = new WebSocket(url, 'jmap', options);
  try {
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode?: number }];
    return response.statusCode;
  } finally {
    socket.on('error', () => undefined);
    socket.terminate();
  }
};

describe('the WebSocket API refuses a connection', () => {
  test('without a token', async () => {
    expect(await refusedStatus(deployed.webSocketUrl)).toBe(401);
  });

  test('with an invalid token', async () => {
    expect(await refusedStatus(deployed.webSocketUrl, { headers: bearer('garbage') })).toBe(401);
    expect(await refusedStatus(`${deployed.webSocketUrl}?access_token=garbage`)).toBe(401);
  });

  test('with a token of the admin API', async () => {
    expect(await refusedStatus(deployed.webSocketUrl, { headers: bearer(await adminMachineToken()) })).toBe(403);
  });
});

describeWith('users')('JMAP over WebSocket', () => {
  let alice: JmapClient;
  let socket: WebSocket | undefined;

  const open = async (url: string, options: ClientOptions = {}): Promise<WebSocket> => {
    socket = new WebSocket(url, 'jmap', options);
    await once(socket, 'open');
    return socket;
  };
  const exchange = async (frame: unknown): Promise<Record<string, unknown>> => {
    const answer = once(socket!, 'message') as Promise<[Buffer]>;
    socket!.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
    return JSON.parse((await answer)[0].toString()) as Record<string, unknown>;
  };

  beforeAll(async () => {
    alice = await jmapClient(await accessTokenOf('alice'));
  });
  afterEach(() => {
    socket?.terminate();
  });

  test('is at the session’s webSocketUrl, with the subprotocol jmap', async () => {
    const capability = alice.session.capabilities['urn:ietf:params:jmap:websocket'];
    expect(capability).toMatchObject({ url: alice.session.webSocketUrl, supportsPush: true });
    const opened = await open(alice.session.webSocketUrl, { headers: bearer(await accessTokenOf('alice')) });
    expect(opened.protocol).toBe('jmap');
  });

  test('accepts the token in the URL, because browsers cannot send it in a header', async () => {
    const opened = await open(`${alice.session.webSocketUrl}?access_token=${await accessTokenOf('alice')}`);
    expect(opened.readyState).toBe(WebSocket.OPEN);
  });

  test('responds to a Request with its id as requestId', async () => {
    await open(alice.session.webSocketUrl, { headers: bearer(await accessTokenOf('alice')) });
    const answer = await exchange({
      '@type': 'Request',
      id: 'R1',
      using: [core, mail],
      methodCalls: [['Mailbox/get', { accountId: alice.accountId, ids: null, properties: ['role'] }, 'm']],
    });
    expect(answer).toMatchObject({
      '@type': 'Response',
      requestId: 'R1',
      sessionState: expect.any(String),
      methodResponses: [['Mailbox/get', { accountId: alice.accountId, list: expect.arrayContaining([expect.objectContaining({ role: 'inbox' })]) }, 'm']],
    });
  });

  test('responds to an invalid Request with a RequestError, and stays open', async () => {
    await open(alice.session.webSocketUrl, { headers: bearer(await accessTokenOf('alice')) });
    expect(await exchange('no JSON')).toMatchObject({ '@type': 'RequestError', type: 'urn:ietf:params:jmap:error:notJSON', status: 400 });
    expect(await exchange({ '@type': 'Request', id: 'R2', using: ['urn:unknown'], methodCalls: [] })).toMatchObject({
      '@type': 'RequestError',
      requestId: 'R2',
      type: 'urn:ietf:params:jmap:error:unknownCapability',
    });
    expect(await exchange({ '@type': 'Request', id: 'R3', using: [core], methodCalls: [['Core/echo', { hello: true }, 'e']] })).toMatchObject({
      '@type': 'Response',
      requestId: 'R3',
      methodResponses: [['Core/echo', { hello: true }, 'e']],
    });
  });
});

describeWith('users')('push over a WebSocket', () => {
  let alice: JmapClient;
  let token: string;
  const createMailbox = async (): Promise<string> =>
    (await alice.call(['Mailbox/set', { create: { new: { name: `Socket ${randomUUID().slice(0, 8)}` } } }]))[0]!['newState'] as string;
  /** Sends a frame. @returns the response. Pushes before it are skipped. */
  const exchange = async (client: PushClient, frame: unknown): Promise<Frame> => {
    const before = client.frames.length;
    client.send(frame);
    return client.receive((each) => client.frames.indexOf(each) >= before && !('stateChange' in each) && Object.keys(each['changed'] ?? {}).length === 0);
  };

  beforeAll(async () => {
    token = await accessTokenOf('alice');
    alice = await jmapClient(token);
  });
  afterEach(closeAllSockets);

  test('WebSocketPushEnable returns the current states, or with a pushState the changes since then', async () => {
    const first = await openSocket(token);
    const answer = await first.enable();
    expect(answer).toEqual({ '@type': 'StateChange', changed: {}, pushState: expect.any(String) as string });
    expect(first.frames.length).toBeGreaterThan(1);
    const state = await createMailbox();
    await first.receive(announcesState(alice.accountId, 'Mailbox', state));
    const pushState = pushStateIn(first.frames);
    first.disconnect();
    const newer = await createMailbox();
    const second = await openSocket(token);
    await second.enable({ pushState });
    expect(second.frames.filter(announcesState(alice.accountId, 'Mailbox', newer)).length).toBeGreaterThan(0);
    const third = await openSocket(token);
    await third.enable({ pushState: pushStateIn(second.frames) });
    expect(third.frames.flatMap((frame) => Object.keys(frame['changed'] as object))).toEqual([]);
  });

  test('stops at WebSocketPushDisable, and continues at WebSocketPushEnable', async () => {
    const [client, witness] = [await openSocket(token), await openSocket(token)];
    await Promise.all([client.enable(), witness.enable()]);
    expect(await exchange(client, { '@type': 'WebSocketPushDisable' })).toEqual({ '@type': 'StateChange', changed: {} });
    const unpushedState = await createMailbox();
    await witness.receive(announcesState(alice.accountId, 'Mailbox', unpushedState));
    const missedState = await createMailbox();
    await witness.receive(announcesState(alice.accountId, 'Mailbox', missedState));
    expect(client.frames.filter(announcesState(alice.accountId, 'Mailbox', unpushedState))).toEqual([]);
    await client.enable({ pushState: pushStateIn(client.frames) });
    expect(client.frames.filter(announcesState(alice.accountId, 'Mailbox', missedState)).length).toBeGreaterThan(0);
  });

  test('subscribe sends the changes of an account, and unsubscribe ends that', async () => {
    const capabilities = alice.session.capabilities;
    const own = Object.keys(capabilities).find((uri) => uri.endsWith('/jmap/websocket') && uri.startsWith('https://'))!;
    expect([own, capabilities[own]]).toEqual([webSocketSubscriptionCapability(new URL(own).host), { maxSubscriptions: 10 }]);
    const client = await openSocket(token);
    expect(await exchange(client, { subscribe: { id: 's1', accountId: alice.accountId, types: ['Mailbox'] } })).toEqual({ subscribed: { id: 's1' } });
    const state = await createMailbox();
    expect(await client.receive((frame) => 'stateChange' in frame)).toEqual({ stateChange: { accountId: alice.accountId, changes: { Mailbox: state } } });
    expect(await exchange(client, { unsubscribe: { id: 's1' } })).toEqual({ unsubscribed: { id: 's1' } });
    const witness = await openSocket(token);
    await witness.enable();
    const unpushedState = await createMailbox();
    await witness.receive(announcesState(alice.accountId, 'Mailbox', unpushedState));
    expect(JSON.stringify(client.frames)).not.toContain(`"${unpushedState}"`);
  });

  test('closes the connection with 1003 at a binary frame', async () => {
    const socket = new WebSocket(deployed.webSocketUrl, 'jmap', { headers: bearer(token) });
    await once(socket, 'open');
    const closing = once(socket, 'close') as Promise<[number]>;
    socket.send(Buffer.from('{}'), { binary: true });
    expect((await closing)[0]).toBe(1003);
  });
});

describeWith('users', 'credentials')('a WebSocket connection', () => {
  afterEach(closeAllSockets);

  test('is closed with the limit maxSocketFrames when it sends too many frames', async () => {
    const client = await openSocket(await accessTokenOf('bob'));
    for (let frame = 0; frame < 5 * webSocketLimits.maxSocketFrames; frame++) client.send(frame);
    await client.closed();
    expect(client.frames).toContainEqual(
      expect.objectContaining({ '@type': 'RequestError', type: 'urn:ietf:params:jmap:error:limit', limit: 'maxSocketFrames' }),
    );
    // The limit counts all connections of bob, also those of the next test.
    await pause(webSocketLimits.frameWindow * 1000);
  });

  test('is closed with the limit maxSockets when its person opens 50 more', async () => {
    const token = await accessTokenOf('bob');
    const [first, second] = [await openSocket(token), await openSocket(token)];
    await first.enable();
    for (let more = 1; more < webSocketLimits.maxSockets; more++) await openSocket(token);
    await second.closed();
    expect(second.frames).toContainEqual(expect.objectContaining({ '@type': 'RequestError', limit: 'maxSockets' }));
    expect(await first.enable()).toMatchObject({ '@type': 'StateChange' });
  });

  test('leaves no items in the table when its client disconnects without closing', async () => {
    const dynamodb = new DynamoDBClient(awsClientConfig(deployed));
    const token = await accessTokenOf('bob');
    const { user_id: userId } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { user_id: string };
    const mailTable = deployed.outputs['mailTableName'];
    const listeners = async () =>
      (
        await dynamodb.send(
          new QueryCommand({
            TableName: mailTable,
            KeyConditionExpression: 'pk = :pk and begins_with(sk, :socket)',
            ExpressionAttributeValues: { ':pk': { S: `push#${userId}` }, ':socket': { S: 'socket#' } },
            ConsistentRead: true,
          }),
        )
      ).Items ?? [];
    // Dependencies of earlier tests are still being removed.
    await eventually(async () => expect(await listeners()).toEqual([]));
    const client = await openSocket(token);
    await client.enable();
    const [listener] = await listeners();
    const connection = { pk: { S: `connection#${listener!['sk']!.S!.slice('socket#'.length)}` }, sk: { S: 'connection' } };
    const storedConnection = async () => (await dynamodb.send(new GetItemCommand({ TableName: mailTable, Key: connection, ConsistentRead: true }))).Item;
    expect(await storedConnection()).toBeDefined();
    client.disconnect();
    await eventually(async () => expect([await listeners(), await storedConnection()]).toEqual([[], undefined]));
    dynamodb.destroy();
  });
});
