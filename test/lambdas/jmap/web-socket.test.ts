import type { APIGatewayProxyWebsocketEventV2 } from 'aws-lambda';
import { capability } from '../../../contract/jmap/core.ts';
import { messageAnswerer } from '../../../lambdas/jmap/web-socket.ts';
import { connectionsIn, type Connections } from '../../../lambdas/store/connections.ts';
import { jmapDeployment, mailAndCore, type JmapDeployment, type Json } from './jmap-deployment.ts';

let deployment: JmapDeployment;
let connections: Connections;
let now: Date;
let answer: ReturnType<typeof messageAnswerer>;
beforeEach(async () => {
  deployment = await jmapDeployment();
  connections = connectionsIn(deployment.mail);
  now = new Date('2026-11-21T08:00:00Z');
  answer = messageAnswerer({ jmap: deployment.jmap, connections, now: () => now });
  await connections.put({ connectionId: 'c1', principalId: 'alice', isMachine: false, scopes: ['jmapApi/MAIL_READ'], expiresAt: now.getTime() / 1000 + 60 });
});
const sent = async (frame: unknown, connectionId = 'c1', isBase64Encoded = false): Promise<Json> => {
  const body = typeof frame === 'string' ? frame : JSON.stringify(frame);
  const event = { requestContext: { connectionId, routeKey: '$default' }, body, isBase64Encoded } as unknown as APIGatewayProxyWebsocketEventV2;
  const { statusCode, body: answered } = await answer(event);
  expect(statusCode).toBe(200);
  return JSON.parse(answered) as Json;
};
const request = (methodCalls: unknown[], more: Json = {}) => ({ '@type': 'Request', using: mailAndCore, methodCalls, ...more });

describe('a Request frame', () => {
  test('is answered by a Response with its id as requestId', async () => {
    const response = await sent(request([['Mailbox/get', { accountId: 'acc_alice', properties: ['role'] }, 'a'], ['Core/echo', {}, 'b']], { id: 'R1' }));
    expect(response).toMatchObject({ '@type': 'Response', requestId: 'R1', methodResponses: [['Mailbox/get', {}, 'a'], ['Core/echo', {}, 'b']], sessionState: expect.any(String) as string });
  });

  test('without an id is answered without requestId, and with createdIds when it had some', async () => {
    const response = await sent(request([], { createdIds: { a: 'F1' } }));
    expect(response).not.toHaveProperty('requestId');
    expect(response).toMatchObject({ createdIds: { a: 'F1' } });
  });

  test('may do what the token of its connection permitted', async () => {
    expect((await sent(request([['Email/set', { accountId: 'acc_alice', destroy: [] }, 'a']])))['methodResponses'][0]).toMatchObject(['error', { type: 'forbidden' }, 'a']);
  });

  test.each<[string, unknown, string]>([
    ['an unknown capability', request([], { using: ['urn:unheard'], id: 'R2' }), 'unknownCapability'], ['no Request', { '@type': 'Request', id: 'R2' }, 'notRequest'], ['an unknown type', { '@type': 'Question', id: 'R2' }, 'notRequest'],
    ['33 calls', request(Array.from({ length: 33 }, () => ['Core/echo', {}, 'c']), { id: 'R2' }), 'limit'],
  ])('%s is a RequestError with its id', async (_what, frame, problem) => {
    expect(await sent(frame)).toMatchObject({ '@type': 'RequestError', requestId: 'R2', type: `urn:ietf:params:jmap:error:${problem}`, status: 400 });
  });

  test.each<[string, string, string]>([['broken JSON', '{', 'notJSON'], ['a list', '[]', 'notRequest'], ['null', 'null', 'notRequest']])('%s is a RequestError without an id', async (_what, frame, problem) => {
    expect(await sent(frame)).toMatchObject({ '@type': 'RequestError', requestId: null, type: `urn:ietf:params:jmap:error:${problem}` });
  });

  test('a binary frame is notJSON', async () => {
    expect(await sent(Buffer.from('{}').toString('base64'), 'c1', true)).toMatchObject({ type: 'urn:ietf:params:jmap:error:notJSON' });
  });

  test('whose answer is larger than a message gets a RequestError that sends it to HTTP', async () => {
    expect(await sent(request([['Core/echo', { text: 'ü'.repeat(70_000) }, 'a']], { id: 'R3' }))).toMatchObject({ '@type': 'RequestError', requestId: 'R3', status: 413, detail: expect.stringContaining('HTTP') as string });
  });
});

describe('the connection', () => {
  test('that nobody opened is refused', async () => {
    expect(await sent(request([], { id: 'R' }), 'c2')).toMatchObject({ '@type': 'RequestError', status: 401 });
  });

  test('ends with its token', async () => {
    expect(await sent(request([]))).toMatchObject({ '@type': 'Response' });
    now = new Date(now.getTime() + 61_000);
    expect(await sent(request([]))).toMatchObject({ '@type': 'RequestError', status: 401 });
  });

  test('of a person who was deactivated is refused at once', async () => {
    await deployment.addUser('alice', { is_active: false });
    expect(await sent(request([['Core/echo', {}, 'a']]))).toMatchObject({ '@type': 'RequestError', status: 403 });
  });

  test('costs no more trips than HTTP once this Lambda knows it', async () => {
    const calls = request([['Mailbox/get', { accountId: 'acc_alice' }, 'a']]);
    await sent(calls);
    expect(await deployment.tripsOf(() => sent(calls))).toBe(1);
  });

  test('a bug is a RequestError without its cause', async () => {
    deployment.jmap.principals.find = () => Promise.reject(new Error('secret place'));
    const response = await sent(request([], { id: 'R4' }));
    expect(response).toMatchObject({ '@type': 'RequestError', requestId: 'R4', status: 500 });
    expect(JSON.stringify(response)).not.toContain('secret place');
  });
});

describe('push, while there is none', () => {
  test('enabling it is a RequestError in words, as supportsPush said', async () => {
    expect(await sent({ '@type': 'WebSocketPushEnable', dataTypes: null })).toMatchObject({ '@type': 'RequestError', status: 501 });
    const session = JSON.parse((await deployment.http('GET', '/.well-known/jmap')).body!) as Json;
    expect(session['capabilities'][capability.webSocket].supportsPush).toBe(false);
  });

  test('a subscription of the service’s own kind is refused with its id', async () => {
    expect(await sent({ subscribe: { id: 's1', accountId: 'acc_alice', types: ['Email'] } })).toEqual({ error: { id: 's1', code: 'unsupported', description: expect.any(String) as string } });
  });
});
