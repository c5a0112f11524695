import { setTimeout as delay } from 'node:timers/promises';
import { StoreConflict } from '../../../core/runtime/domain-errors.ts';
import { withinInvocation } from '../../../core/runtime/invocation.ts';
import { conflict, retryOnConflict, retryOnConflictFrom, tryWrite } from '../../../core/storage/retry-on-conflict.ts';
import { WriteRefused, type Table } from '../../../core/storage/table.ts';
import { memoryTable } from '../../fakes/memory-table.ts';

/** A pause that takes no time and records its duration. */
const pauses = () => {
  const lengths: number[] = [];
  return { lengths, pause: async (milliseconds: number) => void lengths.push(milliseconds) };
};

/** An attempt that conflicts the given number of times, by its return value or by an error, and then returns 'done'. */
const conflicting = (times: number, by: 'answer' | 'error') => {
  let attempts = 0;
  return async () => {
    attempts += 1;
    if (attempts > times) return 'done';
    if (by === 'error') throw new WriteRefused([0], false);
    return conflict;
  };
};

describe('retryOnConflict', () => {
  test.each(['answer', 'error'] as const)('runs an attempt again after a conflict by %s', async (by) => {
    const { lengths, pause } = pauses();
    expect(await retryOnConflict(conflicting(3, by), pause)).toBe('done');
    expect(lengths).toHaveLength(3);
  });

  test('pauses randomly up to a maximum that grows by half, to at most half a second', async () => {
    const { lengths, pause } = pauses();
    await retryOnConflict(conflicting(12, 'answer'), pause);
    expect(lengths).toHaveLength(12);
    lengths.forEach((length, index) => expect(length).toBeLessThan(Math.min(500, 50 * 1.5 ** index)));
  });

  test('throws StoreConflict when the Lambda has 5 seconds left, and a surrounding retryOnConflict does not retry', async () => {
    const { lengths, pause } = pauses();
    await expect(
      withinInvocation({ getRemainingTimeInMillis: () => 25_000 }, () => retryOnConflict(() => retryOnConflict(async () => conflict, pause), pause)),
    ).rejects.toThrow(StoreConflict);
    const paused = lengths.reduce((sum, length) => sum + length, 0);
    expect(Math.round(paused)).toBe(20_000);
  });

  test('makes one attempt when the Lambda has little time left', async () => {
    const { lengths, pause } = pauses();
    const attempt = () => retryOnConflict(conflicting(1, 'answer'), pause);
    await expect(withinInvocation({ getRemainingTimeInMillis: () => 4000 }, attempt)).rejects.toThrow(StoreConflict);
    expect(lengths).toEqual([]);
  });

  test('pauses longer when the attempts take longer', async () => {
    const { lengths, pause } = pauses();
    let attempts = 0;
    const slow = () =>
      retryOnConflict(async () => {
        await delay(200);
        return ++attempts > 6 ? 'done' : conflict;
      }, pause);
    await withinInvocation({ getRemainingTimeInMillis: () => 600_000 }, slow);
    expect(Math.max(...lengths)).toBeGreaterThan(100);
  });

  test('measures the time of the attempts, too', async () => {
    const slow = () =>
      retryOnConflict(
        async () => {
          await delay(30);
          return conflict;
        },
        async () => {},
      );
    const began = performance.now();
    await expect(withinInvocation({ getRemainingTimeInMillis: () => 5100 }, slow)).rejects.toThrow(StoreConflict);
    expect(performance.now() - began).toBeGreaterThan(30);
  });

  test('throws any other error at once', async () => {
    const { lengths, pause } = pauses();
    await expect(
      retryOnConflict(async () => {
        throw new TypeError('no');
      }, pause),
    ).rejects.toThrow(TypeError);
    expect(lengths).toEqual([]);
  });
});

test('retryOnConflictFrom makes the first attempt with the given state, and reads before each further attempt', async () => {
  let reads = 0;
  const seen: string[] = [];
  await retryOnConflictFrom(
    'known',
    async () => `read ${++reads}`,
    async (known) => {
      seen.push(known);
      return seen.length < 3 ? conflict : undefined;
    },
  );
  expect(seen).toEqual(['known', 'read 1', 'read 2']);
});

describe('tryWrite', () => {
  const put = { put: { pk: 'p', sk: 's' }, if: { absent: true } } as const;

  test('returns whether the condition held', async () => {
    const table = memoryTable();
    expect(await tryWrite(table, [put])).toBe(true);
    expect(await tryWrite(table, [put])).toBe(false);
  });

  test('writes again after a conflict with another transaction', async () => {
    let writes = 0;
    const inner = memoryTable();
    const write: Table['write'] = async (list) => {
      if (++writes === 1) throw new WriteRefused([], true);
      await inner.write(list);
    };
    expect(await tryWrite({ ...inner, write }, [put])).toBe(true);
    expect(await inner.get(put.put)).toBeDefined();
  });
});
