import { webSocketLimits } from '../../../../contract/jmap/web-socket.ts';
import { principalsIn } from '../../../../core/directory/users/principals.ts';
import { findSockets } from '../../../../core/push/listeners/listeners.ts';
import { enableSocketPush, addSocketSubscription } from '../../../../core/push/web-socket/socket-listener-changes.ts';
import { webSocketConnectionsIn } from '../../../../core/push/web-socket/web-socket-connections.ts';
import { connect, type WebSocketDependencies } from '../../../../lambdas/web-socket/connect.ts';
import { memoryLog } from '../../../fakes/memory-log.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { memoryWebSocketSender } from '../../../fakes/memory-web-socket-sender.ts';

const begun = Date.UTC(2026, 10, 21, 8);

/** A deployment with the people alice and bob, functions for their handshakes, and a clock that the test sets. */
const deployment = async () => {
  const [mail, directory, webSocketSender] = [memoryTable(), memoryTable(), memoryWebSocketSender()];
  for (const name of ['alice', 'bob']) await directory.write([{ put: { pk: `member#${name}`, sk: 'profile', is_active: true } }]);
  let time = begun;
  const dependencies: WebSocketDependencies = {
    verify: async (principalId) => ({
      principalId,
      isMachine: false,
      clientId: 'c',
      scopes: new Set(['jmapApi/MAIL_READ']),
      authenticatedAt: 1,
      expiresAt: Math.floor(time / 1000) + 3600,
    }),
    principals: principalsIn(directory),
    connections: webSocketConnectionsIn(mail),
    clock: () => new Date(time),
    mail,
    webSocketSender,
    log: memoryLog(),
  };
  return {
    ...dependencies,
    mail,
    webSocketSender,
    later: (seconds: number) => {
      time += seconds * 1000;
    },
    open: async (connectionId: string, principalId = 'alice') => {
      webSocketSender.open(connectionId);
      const handshake = { headers: { authorization: `Bearer ${principalId}` }, requestContext: { connectionId, eventType: 'CONNECT' } };
      return (await connect(dependencies, handshake)).statusCode;
    },
    stored: async (principalId = 'alice') => (await findSockets(mail, principalId)).map(({ connectionId }) => connectionId),
    errors: (connectionId: string) => webSocketSender.received(connectionId).map((text) => JSON.parse(text) as unknown),
  };
};
const names = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(3, '0')}`);

describe('the 51st WebSocket of a person', () => {
  // @pitfall client many-sockets
  test('closes the oldest one, with a reason for its client', async () => {
    const { open, later, stored, errors, webSocketSender } = await deployment();
    for (const name of names('z', webSocketLimits.maxSockets)) {
      expect(await open(name)).toBe(200);
      later(1);
    }
    expect(await open('bob', 'bob')).toBe(200);
    expect(await open('a-new-one')).toBe(200);
    expect(errors('z000')).toEqual([
      {
        '@type': 'RequestError',
        requestId: null,
        type: 'urn:ietf:params:jmap:error:limit',
        limit: 'maxSockets',
        status: 400,
        detail: expect.any(String) as string,
      },
    ]);
    expect([webSocketSender.isOpen('z000'), webSocketSender.isOpen('z001')]).toEqual([false, true]);
    expect(await stored()).toEqual(['a-new-one', ...names('z', webSocketLimits.maxSockets).slice(1)]);
  });

  // @pitfall client many-sockets
  test('keeps those that listen, and closes the first one without push and subscriptions', async () => {
    const { open, later, stored, mail } = await deployment();
    for (const name of names('s', webSocketLimits.maxSockets)) {
      await open(name);
      later(1);
    }
    await enableSocketPush(mail, { principalId: 'alice', connectionId: 's000' }, null, new Map());
    await addSocketSubscription(mail, { principalId: 'alice', connectionId: 's001' }, { id: 'a', accountId: 'acc', types: ['Email'] });
    await open('t000');
    await open('t001');
    expect((await stored()).filter((name) => name < 's005')).toEqual(['s000', 's001', 's004']);
  });

  test('heals the count of connections whose end API Gateway did not report', async () => {
    const { open, later, stored, webSocketSender } = await deployment();
    const dead = names('dead', webSocketLimits.maxSockets);
    for (const name of dead) await open(name);
    for (const name of dead) webSocketSender.leave(name);
    later(60);
    const alive = names('live', webSocketLimits.maxSockets);
    for (const name of alive) expect(await open(name)).toBe(200);
    expect(await stored()).toEqual(alive);
    expect(alive.filter((name) => !webSocketSender.isOpen(name))).toEqual([]);
  });

  test('counts no expired connection', async () => {
    const { open, later, errors } = await deployment();
    for (const name of names('old', webSocketLimits.maxSockets)) await open(name);
    later(3601);
    await open('new');
    expect(errors('old000')).toEqual([]);
  });

  test('is refused with 503 when no other can be closed, and leaves nothing behind', async () => {
    const { open, stored, webSocketSender } = await deployment();
    for (const name of names('s', webSocketLimits.maxSockets)) await open(name);
    webSocketSender.close = () => Promise.reject(new Error('throttled'));
    expect(await open('new')).toBe(503);
    expect(await stored()).toEqual(names('s', webSocketLimits.maxSockets));
  });

  test('is bounded when 500 are opened at the same time', async () => {
    const { open, stored, webSocketSender } = await deployment();
    const all = names('s', 500);
    await Promise.all(all.map((name) => open(name)));
    expect((await stored()).length).toBeLessThan(2 * webSocketLimits.maxSockets);
    for (const name of names('t', 10)) await open(name);
    expect((await stored()).length).toBe(webSocketLimits.maxSockets);
    expect(all.filter((name) => webSocketSender.isOpen(name))).toHaveLength(webSocketLimits.maxSockets - 10);
  });
});
