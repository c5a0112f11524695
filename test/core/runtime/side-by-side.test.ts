import { setTimeout as pause } from 'node:timers/promises';
import { allSettled, sideBySide } from '../../../core/runtime/side-by-side.ts';

describe('sideBySide', () => {
  test('makes at most `atOnce` calls at a time, and returns the results in the order of the items', async () => {
    let running = 0;
    let maxRunning = 0;
    const results = await sideBySide([5, 1, 4, 2, 3, 0], async (item) => {
      maxRunning = Math.max(maxRunning, ++running);
      await pause(item);
      running--;
      return item * 2;
    }, { atOnce: 3 });
    expect(results).toEqual([10, 2, 8, 4, 6, 0]);
    expect(maxRunning).toBe(3);
    expect(await sideBySide([], async () => 1, { atOnce: 3 })).toEqual([]);
  });

  test.each([
    {}, { atOnce: 1 }, { atOnce: 2 },
  ])('makes every call though some fail, and throws the first failure once all have ended (%j)', async (options) => {
    const ended: number[] = [];
    await expect(sideBySide([1, 2, 3, 4], async (item) => {
      await pause(item === 3 ? 1 : 10);
      ended.push(item);
      if (item > 1 && item < 4) throw new Error(`failure of ${item}`);
    }, options)).rejects.toThrow('failure of 2');
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
