import { setTimeout as delay } from 'node:timers/promises';
import { deployed, describeWith, person } from './deployed.ts';
import { eventually } from './http.ts';
import { jmapClient } from './jmap.ts';
import { kill, processesOf } from './lambda-processes.ts';
import { deliver, uniqueSubject } from './messages.ts';
import { isStateChange, leaveAll, openSocket, type Frame } from './push-client.ts';
import { tokenOf } from './tokens.ts';

afterEach(leaveAll);

/** A mail client that asks for nothing but pushes, and connects again with its pushState whenever its socket ends. */
const listening = async (name: 'alice' | 'bob') => {
  const jmap = await jmapClient(await tokenOf(name));
  const told: Record<string, string> = {};
  let [pushState, isOver, frames]: [string | undefined, boolean, readonly Frame[]] = [undefined, false, []];
  const live = (async () => {
    while (!isOver) {
      const socket = await openSocket(await tokenOf(name));
      socket.send({ '@type': 'WebSocketPushEnable', dataTypes: null, ...(pushState !== undefined && { pushState }) });
      frames = socket.frames;
      let read = 0;
      const look = (): void => {
        for (; read < socket.frames.length; read++) {
          const frame = socket.frames[read]!;
          if (!isStateChange(frame)) continue;
          Object.assign(told, frame.changed[jmap.accountId]);
          pushState = frame.pushState ?? pushState;
        }
      };
      const ended = socket.closed().then(() => true);
      do look(); while (!await Promise.race([ended, delay(50, false)]) && !isOver);
      look();
    }
  })();
  return {
    told,
    states: async () => Object.fromEntries((await jmap.call(...(['Email', 'Mailbox', 'Thread'] as const).map((type): [string, object] => [`${type}/get`, { ids: [] }]) as [string, Record<string, unknown>][]))
      .map((result, index) => [['Email', 'Mailbox', 'Thread'][index]!, result['state'] as string])),
    isTold: () => frames.some(isStateChange),
    async end() {
      isOver = true;
      await live;
    },
  };
};

describeWith('people', 'smtp', 'processes')('the notifier is killed while mail comes in', () => {
  test('and the clients of every account end at its state, by pushes alone', async () => {
    const clients = [await listening('alice'), await listening('bob')];
    await eventually(15_000, async () => expect(clients.map((client) => client.isTold())).toEqual([true, true]));
    let kills = 0;
    for (let index = 0; index < 12; index++) {
      await deliver([person('alice').email, person('bob').email], { subject: uniqueSubject(`Pushed ${index}`), text: 'Hello' });
      // A push takes some tens of milliseconds from here: each one is struck at another moment of it.
      await delay(60 + index * 12);
      if (index % 4 !== 3) kills += processesOf(`${deployed.stackName}-notify`).filter(kill).length;
    }
    expect(kills).toBeGreaterThan(0);
    await eventually(60_000, async () => {
      for (const client of clients) expect(client.told).toMatchObject(await client.states());
    }, 500);
    await Promise.all(clients.map((client) => client.end()));
  }, 120_000);
});
