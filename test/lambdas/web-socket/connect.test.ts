import { principalsIn } from '../../../core/directory/users/principals.ts';
import { findListeners } from '../../../core/push/listeners/listeners.ts';
import { webSocketConnectionsIn } from '../../../core/push/web-socket/web-socket-connections.ts';
import type { AccessToken } from '../../../core/runtime/http/access-token.ts';
import { connect, disconnect, type ConnectionEvent, type WebSocketDependencies } from '../../../lambdas/web-socket/connect.ts';
import { memoryLog } from '../../fakes/memory-log.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { memoryWebSocketSender } from '../../fakes/memory-web-socket-sender.ts';
import { perTest } from '../../support/per-test.ts';

const now = Date.UTC(2026, 10, 21, 8);
const inAnHour = now / 1000 + 3600;
const alice: AccessToken = {
  principalId: 'alice',
  isMachine: false,
  clientId: 'c',
  scopes: new Set(['jmapApi/MAIL_READ', 'jmapApi/MAIL_WRITE']),
  authenticatedAt: 1,
  expiresAt: inAnHour,
};

describe('$connect and $disconnect', () => {
  let dependencies: WebSocketDependencies;
  const mail = perTest(() => memoryTable());
  beforeEach(async () => {
    const directory = memoryTable();
    await directory.write([{ put: { pk: 'member#alice', sk: 'profile', primary_email: 'alice@example.test', is_active: true } }]);
    await directory.write([{ put: { pk: 'member#carol', sk: 'profile', primary_email: 'carol@example.test', is_active: false } }]);
    const tokens: Record<string, AccessToken> = {
      alice,
      long: { ...alice, expiresAt: now / 1000 + 24 * 3600 },
      admin: { ...alice, scopes: new Set(['adminApi/ADMIN']) },
      carol: { ...alice, principalId: 'carol' },
      stranger: { ...alice, principalId: 'stranger' },
      machine: { ...alice, principalId: 'headless', isMachine: true },
    };
    dependencies = {
      verify: async (token) => tokens[token],
      principals: principalsIn(directory),
      connections: webSocketConnectionsIn(mail),
      clock: () => new Date(now),
      mail,
      webSocketSender: memoryWebSocketSender(),
      log: memoryLog(),
    };
  });
  const connecting = (headers: Record<string, string>, query?: Record<string, string>) =>
    connect(dependencies, { headers, queryStringParameters: query, requestContext: { connectionId: 'c1', eventType: 'CONNECT' } });
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

  test('$connect with a token in the header stores the connection until the token ends', async () => {
    expect((await connecting(bearer('alice'))).statusCode).toBe(200);
    expect(await dependencies.connections.find('c1')).toEqual({
      connectionId: 'c1',
      principalId: 'alice',
      isMachine: false,
      scopes: ['jmapApi/MAIL_READ', 'jmapApi/MAIL_WRITE'],
      authenticatedAt: 1,
      expiresAt: inAnHour,
    });
  });

  test('$connect stores a listener of the principal, so that a deactivation closes connections without push too', async () => {
    await connecting(bearer('alice'));
    expect((await findListeners(mail, 'alice')).sockets).toEqual([
      { connectionId: 'c1', principalId: 'alice', authenticatedAt: 1, expiresAt: inAnHour, subscriptions: [], notifiedUpTo: new Map(), openedAt: now },
    ]);
    await disconnect(dependencies, { requestContext: { connectionId: 'c1', eventType: 'DISCONNECT' } } as ConnectionEvent);
    expect((await findListeners(mail, 'alice')).sockets).toEqual([]);
  });

  test('$connect accepts a token in the query, for browsers', async () => {
    expect((await connecting({}, { access_token: 'alice' })).statusCode).toBe(200);
  });

  test('$connect prefers the header to the query', async () => {
    expect((await connecting(bearer('admin'), { access_token: 'alice' })).statusCode).toBe(403);
  });

  test('$connect stores the connection for two hours at most, when API Gateway closes it', async () => {
    await connecting(bearer('long'));
    expect((await dependencies.connections.find('c1'))?.expiresAt).toBe(now / 1000 + 7200);
  });

  test('$connect accepts a machine', async () => {
    expect((await connecting(bearer('machine'))).statusCode).toBe(200);
  });

  // @requirement 8887 §4.1 authenticated
  test.each<[string, Record<string, string>, number]>([
    ['no token', {}, 401],
    ['an unknown token', bearer('forged'), 401],
    ['another scheme', { Authorization: 'Basic alice' }, 401],
    ['a token for the admin API', bearer('admin'), 403],
    ['a deactivated person', bearer('carol'), 403],
    ['an unknown person', bearer('stranger'), 403],
  ])('$connect with %s is refused, and nothing is stored', async (_what, headers, status) => {
    expect((await connecting(headers)).statusCode).toBe(status);
    expect(await dependencies.connections.find('c1')).toBeUndefined();
  });

  // @pitfall push subprotocol
  // @requirement 8887 §4.1 subprotocol
  test.each([
    ['jmap', 'jmap'],
    ['chat, jmap', 'jmap'],
    ['chat', undefined],
  ])('$connect with the subprotocols "%s" echoes "%s"', async (offered, echoed) => {
    const { headers } = await connecting({ ...bearer('alice'), 'Sec-WebSocket-Protocol': offered });
    expect(headers?.['Sec-WebSocket-Protocol']).toBe(echoed);
  });

  test('$disconnect removes the connection, and accepts an unknown one', async () => {
    await connecting(bearer('alice'));
    const closing = { requestContext: { connectionId: 'c1', eventType: 'DISCONNECT' } } as ConnectionEvent;
    expect((await disconnect(dependencies, closing)).statusCode).toBe(200);
    expect(await dependencies.connections.find('c1')).toBeUndefined();
    expect((await disconnect(dependencies, closing)).statusCode).toBe(200);
  });
});
