import { setImmediate } from 'node:timers/promises';
import { createPushRefresh } from '../../../webmail/store/push-refresh.ts';

const start = () => {
  const waits: number[] = [];
  const server = { state: 's1' };
  let [known, refreshes] = ['s1', 0];
  const push = createPushRefresh({
    store: {
      isCurrent: ({ Email }) => Email === known,
      states: () => known,
      async refresh() {
        refreshes += 1;
        known = server.state;
      },
    },
    async wait(milliseconds) {
      waits.push(milliseconds);
      await setImmediate();
    },
  });
  return { push, server, waits, refreshes: () => refreshes };
};

test('a push of new states is followed by a refresh at once, and one of known states by none', async () => {
  const { push, server, waits, refreshes } = start();
  for (let count = 2; count <= 5; count += 1) {
    server.state = `s${count}`;
    await push({ Email: server.state });
    await push({ Email: server.state });
  }
  expect([refreshes(), waits]).toEqual([4, []]);
});

test('pushes of states of before are followed by ever fewer refreshes, until one finds something', async () => {
  const { push, server, waits, refreshes } = start();
  for (let count = 0; count < 7; count += 1) await push({ Email: 'old' });
  expect(waits).toEqual([1000, 2000, 4000, 8000, 10_000, 10_000]);
  // Those that come while one waits are covered by it.
  const before = refreshes();
  await Promise.all([push({ Email: 'old' }), push({ Email: 'older' }), push({ Email: 'oldest' })]);
  expect(refreshes() - before).toBe(1);
  server.state = 's2';
  await push({ Email: 's2' });
  server.state = 's3';
  const waited = waits.length;
  await push({ Email: 's3' });
  expect(waits.length).toBe(waited);
});
