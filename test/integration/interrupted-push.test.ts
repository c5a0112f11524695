import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { accessTokenOf } from './access-tokens.ts';
import { deployed, describeWith, sandboxUser } from './deployment.ts';
import { eventually } from './http-requests.ts';
import { jmapClient } from './jmap-client.ts';
import { kill, processesOf } from './lambda-processes.ts';
import { sendBySmtp, uniqueSubject } from './send-by-smtp.ts';
import { closeAllSockets, isStateChange, openSocket, type Frame } from './websocket-push-client.ts';

afterEach(closeAllSockets);

const types = ['Email', 'Mailbox', 'Thread'] as const;

/** A mail client that only receives pushes. It connects again with its pushState whenever its socket closes. */
const startListening = async (name: 'alice' | 'bob') => {
  const jmap = await jmapClient(await accessTokenOf(name));
  const pushedStates: Record<string, string> = {};
  let pushState: string | undefined;
  const ending = new AbortController();
  const ended = once(ending.signal, 'abort');
  const onFrame = (frame: Frame): void => {
    if (!isStateChange(frame)) return;
    Object.assign(pushedStates, frame.changed[jmap.accountId]);
    pushState = frame.pushState ?? pushState;
  };
  const live = (async () => {
    while (!ending.signal.aborted) {
      const socket = await openSocket(await accessTokenOf(name), onFrame);
      socket.send({ '@type': 'WebSocketPushEnable', dataTypes: null, ...(pushState !== undefined && { pushState }) });
      await Promise.race([socket.closed(), ended]);
    }
  })();
  return {
    pushedStates,
    states: async () => {
      const results = await jmap.call(...types.map((type): [string, Record<string, unknown>] => [`${type}/get`, { ids: [] }]));
      return Object.fromEntries(results.map((result, index) => [types[index]!, result['state']]));
    },
    hasPushState: () => pushState !== undefined,
    async end() {
      ending.abort();
      await live;
    },
  };
};

describeWith(
  'users',
  'smtp',
  'processes',
)('the notify Lambda is killed while mail is delivered', () => {
  test('the pushes bring the clients of every account to its current state', async () => {
    const clients = [await startListening('alice'), await startListening('bob')];
    await eventually(async () => expect(clients.map((client) => client.hasPushState())).toEqual([true, true]));
    let kills = 0;
    for (let index = 0; index < 12; index++) {
      await sendBySmtp([sandboxUser('alice').email, sandboxUser('bob').email], { subject: uniqueSubject(`Pushed ${index}`), text: 'Hello' });
      // A push takes some tens of milliseconds from here. The varied delay interrupts each one at another step.
      await delay(60 + index * 12);
      if (index % 4 !== 3) kills += processesOf(`${deployed.stackName}-notify`).filter(kill).length;
    }
    expect(kills).toBeGreaterThan(0);
    await eventually(async () => {
      for (const client of clients) expect(client.pushedStates).toMatchObject(await client.states());
    }, 500);
    await Promise.all(clients.map((client) => client.end()));
  });
});
