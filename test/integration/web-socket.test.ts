import { once } from 'node:events';
import { WebSocket, type ClientOptions } from 'ws';
import { deployed, describeWith } from './deployed.ts';
import { bearer } from './http.ts';
import { core, jmapClient, mail, type JmapClient } from './jmap.ts';
import { adminMachine, tokenOf } from './tokens.ts';

const refusal = async (url: string, options: ClientOptions = {}): Promise<number | undefined> => {
  const socket = new WebSocket(url, 'jmap', options);
  try {
    const [, response] = await once(socket, 'unexpected-response') as [unknown, { statusCode?: number }];
    return response.statusCode;
  } finally {
    socket.on('error', () => undefined);
    socket.terminate();
  }
};

describe('a WebSocket is opened to nobody', () => {
  test('without a token', async () => {
    expect(await refusal(deployed.webSocketUrl)).toBe(401);
  });

  test('with garbage for a token', async () => {
    expect(await refusal(deployed.webSocketUrl, { headers: bearer('garbage') })).toBe(401);
    expect(await refusal(`${deployed.webSocketUrl}?access_token=garbage`)).toBe(401);
  });

  test('with a token of the other API', async () => {
    expect(await refusal(deployed.webSocketUrl, { headers: bearer(await adminMachine()) })).toBe(403);
  });
});

describeWith('people')('JMAP over WebSocket', () => {
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

  beforeAll(async () => { alice = await jmapClient(await tokenOf('alice')); }, 15_000);
  afterEach(() => { socket?.terminate(); });

  test('is at the address that the session tells, and speaks the subprotocol jmap', async () => {
    const capability = alice.session.capabilities['urn:ietf:params:jmap:websocket'];
    expect(capability).toMatchObject({ url: alice.session.webSocketUrl, supportsPush: expect.any(Boolean) });
    const opened = await open(alice.session.webSocketUrl, { headers: bearer(await tokenOf('alice')) });
    expect(opened.protocol).toBe('jmap');
  });

  test('takes the token in the URL as well, as browsers must send it', async () => {
    const opened = await open(`${alice.session.webSocketUrl}?access_token=${await tokenOf('alice')}`);
    expect(opened.readyState).toBe(WebSocket.OPEN);
  });

  test('answers a Request with its id as requestId', async () => {
    await open(alice.session.webSocketUrl, { headers: bearer(await tokenOf('alice')) });
    const answer = await exchange({
      '@type': 'Request', id: 'R1', using: [core, mail], methodCalls: [['Mailbox/get', { accountId: alice.accountId, ids: null, properties: ['role'] }, 'm']],
    });
    expect(answer).toMatchObject({
      '@type': 'Response', requestId: 'R1', sessionState: expect.any(String),
      methodResponses: [['Mailbox/get', { accountId: alice.accountId, list: expect.arrayContaining([expect.objectContaining({ role: 'inbox' })]) }, 'm']],
    });
  });

  test('answers what is no Request with a RequestError, and stays open', async () => {
    await open(alice.session.webSocketUrl, { headers: bearer(await tokenOf('alice')) });
    expect(await exchange('no JSON')).toMatchObject({ '@type': 'RequestError', type: 'urn:ietf:params:jmap:error:notJSON', status: 400 });
    expect(await exchange({ '@type': 'Request', id: 'R2', using: ['urn:unknown'], methodCalls: [] }))
      .toMatchObject({ '@type': 'RequestError', requestId: 'R2', type: 'urn:ietf:params:jmap:error:unknownCapability' });
    expect(await exchange({ '@type': 'Request', id: 'R3', using: [core], methodCalls: [['Core/echo', { hello: true }, 'e']] }))
      .toMatchObject({ '@type': 'Response', requestId: 'R3', methodResponses: [['Core/echo', { hello: true }, 'e']] });
  });
});
