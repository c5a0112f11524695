import { setTimeout as pause } from 'node:timers/promises';
import { allSettled, batchedByKey, mapConcurrently } from '../../../core/runtime/map-concurrently.ts';

describe('mapConcurrently', () => {
  test('makes at most `atOnce` calls at a time, and returns the results in the order of the items', async () => {
    let running = 0;
    let maxRunning = 0;
    const results = await mapConcurrently(
      [5, 1, 4, 2, 3, 0],
      async (item) => {
        maxRunning = Math.max(maxRunning, ++running);
        await pause(item);
        running--;
        return item * 2;
      },
      { atOnce: 3 },
    );
    expect(results).toEqual([10, 2, 8, 4, 6, 0]);
    expect(maxRunning).toBe(3);
    expect(await mapConcurrently([], async () => 1, { atOnce: 3 })).toEqual([]);
  });

  test.each([{}, { atOnce: 1 }, { atOnce: 2 }])('makes every call though some fail, and throws the first failure once all have ended (%j)', async (options) => {
    const ended: number[] = [];
    await expect(
      mapConcurrently(
        [1, 2, 3, 4],
        async (item) => {
          await pause(item === 3 ? 1 : 10);
          ended.push(item);
          if (item > 1 && item < 4) throw new Error(`failure of ${item}`);
        },
        options,
      ),
    ).rejects.toThrow('failure of 2');
    expect(ended).toHaveLength(4);
  });
});

test('allSettled waits for every promise, and throws the first failure in their order', async () => {
  const ended: string[] = [];
  const slow = pause(20).then(() => ended.push('slow'));
  await expect(allSettled([Promise.reject(new Error('first')), slow, Promise.reject(new Error('second'))])).rejects.toThrow('first');
  expect(ended).toEqual(['slow']);
  await allSettled([Promise.resolve(1)]);
});

describe('batchedByKey', () => {
  const calls: string[] = [];
  const failures: unknown[] = [];
  const act = async (items: readonly string[]) => {
    calls.push(items.join(' '));
    if (items.some((item) => item.startsWith('bad'))) throw new Error(`failure of ${items.join(' ')}`);
  };
  const outcomes = (given: readonly (readonly [key: string, item: string])[]) => {
    const join = batchedByKey(act, (failure) => failures.push(failure));
    return Promise.allSettled(given.map(([key, item]) => join(key, item)));
  };
  beforeEach(() => {
    for (const each of [calls, failures]) each.length = 0;
  });

  test('makes one call for all items of a key', async () => {
    await outcomes([
      ['a', '1'],
      ['b', '2'],
      ['a', '3'],
    ]);
    expect([calls, failures]).toEqual([['1 3', '2'], []]);
  });

  test('calls again for each item after a failure for several, so that each has its own outcome', async () => {
    const settled = await outcomes([
      ['a', '1'],
      ['a', 'bad'],
      ['b', '2'],
      ['a', '3'],
    ]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(calls.toSorted()).toEqual(['1', '1 bad 3', '2', '3', 'bad']);
    expect(failures).toEqual([new Error('failure of 1 bad 3')]);
  });

  test('does not repeat the call of a single item', async () => {
    const settled = await outcomes([
      ['a', 'bad'],
      ['b', '2'],
    ]);
    expect(settled).toMatchObject([{ reason: new Error('failure of bad') }, { status: 'fulfilled' }]);
    expect([calls, failures]).toEqual([['bad', '2'], []]);
  });
});
