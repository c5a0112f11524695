import type { APIGatewayProxyWebsocketEventV2 } from 'aws-lambda';
import type { User } from '../../../../contract/admin/users.ts';
import { mailScopes, scopes } from '../../../../contract/oauth/oauth.ts';
import { principalsIn } from '../../../../core/directory/users/principals.ts';
import { webSocketConnectionsIn } from '../../../../core/push/web-socket/web-socket-connections.ts';
import { jmapGate } from '../../../../core/runtime/http/jmap-gate.ts';
import { downloadSlots } from '../../../../lambdas/downloads/download-slots.ts';
import { serveDownloads } from '../../../../lambdas/downloads/serve-downloads.ts';
import { webSocketMessageHandler } from '../../../../lambdas/jmap/web-socket/web-socket-message.ts';
import { connect } from '../../../../lambdas/web-socket/connect.ts';
import { memoryLog } from '../../../fakes/memory-log.ts';
import { memoryWebSocketSender } from '../../../fakes/memory-web-socket-sender.ts';
import { adminApi, knownTokens } from '../../../support/admin-api.ts';
import { createUser } from '../../../support/admin-resources.ts';
import { downloadRequest } from '../../../support/blob-requests.ts';
import { perTest } from '../../../support/per-test.ts';
import { jmapDeploymentPerTest, settings } from '../../jmap/jmap-deployment.ts';

const noon = Date.UTC(2026, 10, 21, 12) / 1000;
const clock = () => new Date(now * 1000);
let now: number;
const jmap = jmapDeploymentPerTest();
beforeEach(() => {
  now = noon;
});
const api = perTest(() => adminApi({ directory: jmap.directory, verifyToken: jmap.verify, clock }));
let alice: User;

/** An access token of Alice, who is an admin. Its sign-in was at this second. */
const tokenFrom = (authenticatedAt: number): string => {
  const name = `alice-${authenticatedAt}`;
  jmap.tokens[name] = {
    principalId: alice.user_id,
    isMachine: false,
    clientId: 'console',
    scopes: new Set([...mailScopes, scopes.ADMIN]),
    authenticatedAt,
    expiresAt: noon + 24 * 3600,
  };
  return name;
};

beforeEach(async () => {
  jmap.tokens['admin'] = knownTokens.admin;
  alice = await createUser(api, 'alice@example.com');
  await update({ is_admin: true });
});

const update = (change: object) => api.ok('/users/UpdateUser', { user_id: alice.user_id, ...change });

/** Deactivates Alice at this second, and reactivates her ten seconds later. */
const deactivateAt = async (second: number): Promise<void> => {
  now = second + 0.4;
  await update({ is_active: false });
  now = second + 10;
  await update({ is_active: true });
};

const connection = (token: string) =>
  connect(
    {
      verify: jmap.verify,
      principals: principalsIn(jmap.directory),
      connections: webSocketConnectionsIn(jmap.mail),
      clock,
      mail: jmap.mail,
      webSocketSender: memoryWebSocketSender(),
      log: memoryLog(),
    },
    { headers: { authorization: `Bearer ${token}` }, requestContext: { connectionId: token, eventType: 'CONNECT' } },
  );

/** The response status of every endpoint that accepts the token. */
const statuses = async (token: string): Promise<Record<string, number | undefined>> => {
  const downloads = serveDownloads({
    gate: jmapGate(jmap.verify, settings.jmapUrl),
    principals: principalsIn(jmap.directory),
    blobs: jmap.jmap.dependencies.blobs,
    slots: downloadSlots(jmap.mail, clock, memoryLog()),
    jmapUrl: settings.jmapUrl,
    log: memoryLog(),
  });
  return {
    admin: (await api.call('/users/GetUser', { user_id: alice.user_id }, token)).status,
    ping: (await api.call('/status/Ping', {}, token)).status,
    session: (await jmap.http('GET', '/.well-known/jmap', { token })).statusCode,
    request: (await jmap.request({ using: [], methodCalls: [] }, { token })).status,
    eventSource: (await jmap.http('GET', '/eventsource', { token, query: { types: '*' } })).statusCode,
    download: (await downloads(downloadRequest({}, { authorization: `Bearer ${token}` }))).statusCode,
    webSocket: (await connection(token)).statusCode,
  };
};
const refused = { admin: 401, ping: 401, session: 401, request: 401, eventSource: 401, download: 401, webSocket: 401 };
const admitted = { admin: 200, ping: 200, session: 200, request: 200, eventSource: 200, download: 404, webSocket: 200 };

describe('access tokens of a person who was deactivated and reactivated', () => {
  test.each([
    ['an hour', 3600],
    ['a second', 1],
    ['less than a second', 0],
  ])('are refused for good when the person signed in %s before the deactivation', async (_, seconds) => {
    await deactivateAt(noon);
    now = noon + 3600;
    expect(await statuses(tokenFrom(noon - seconds))).toEqual(refused);
  });

  test('are accepted from the second after the deactivation', async () => {
    await deactivateAt(noon);
    expect(await statuses(tokenFrom(noon + 1))).toEqual(admitted);
  });

  test('are refused by the last of several deactivations, and by no other change of the person', async () => {
    await deactivateAt(noon);
    await deactivateAt(noon + 100);
    await update({ display_name: 'Alice' });
    expect((await statuses(tokenFrom(noon + 50)))['session']).toBe(401);
    expect(await statuses(tokenFrom(noon + 101))).toEqual(admitted);
  });

  test('are refused with the challenge of RFC 6750 §3.1 for revoked tokens', async () => {
    await deactivateAt(noon);
    const token = tokenFrom(noon - 60);
    expect((await api.call('/status/Ping', {}, token)).headers['www-authenticate']).toBe('Bearer error="invalid_token"');
    expect((await jmap.http('GET', '/.well-known/jmap', { token })).headers?.['www-authenticate']).toMatch(/, error="invalid_token"$/);
  });

  test('remain refused on an open WebSocket: its next frame gets 401, and it is closed', async () => {
    const token = tokenFrom(noon - 60);
    expect((await connection(token)).statusCode).toBe(200);
    const webSocketSender = memoryWebSocketSender();
    webSocketSender.open(token);
    const answer = webSocketMessageHandler({ jmap: jmap.jmap, connections: webSocketConnectionsIn(jmap.mail), webSocketSender, clock });
    const frame = {
      requestContext: { connectionId: token },
      body: JSON.stringify({ '@type': 'Request', id: 'r', using: [], methodCalls: [] }),
    } as unknown as APIGatewayProxyWebsocketEventV2;
    expect(JSON.parse((await answer(frame)).body!)).toMatchObject({ '@type': 'Response' });
    await deactivateAt(noon);
    expect((await answer(frame)).body).toBeUndefined();
    expect(JSON.parse(webSocketSender.received(token).at(-1)!)).toMatchObject({ '@type': 'RequestError', requestId: 'r', status: 401 });
  });
});

test('CreateUser does not revive the tokens of a deleted person with the same address', async () => {
  now = noon + 0.4;
  await api.ok('/users/DeleteUser', { user_id: alice.user_id });
  await createUser(api, 'alice@example.com');
  expect((await statuses(tokenFrom(noon + 1)))['session']).toBe(403);
});
