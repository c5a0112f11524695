import { StoreConflict } from '../../../core/runtime/domain-errors.ts';
import { conflict, retryOnConflict, retryOnConflictFrom, tryWrite } from '../../../core/storage/retry-on-conflict.ts';
import { WriteRefused, type Table } from '../../../core/storage/table.ts';
import { memoryTable } from '../../fakes/memory-table.ts';

/** A pause that takes no time and records its duration. */
const pauses = () => {
  const lengths: number[] = [];
  return { lengths, pause: async (milliseconds: number) => void lengths.push(milliseconds) };
};

/** Attempts of which the given number conflict, by an answer or an error; the next one answers 'done'. */
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

  test('throws StoreConflict after 15 attempts, which a surrounding retryOnConflict does not retry', async () => {
    const { lengths, pause } = pauses();
    await expect(retryOnConflict(() => retryOnConflict(async () => conflict, pause), pause)).rejects.toThrow(StoreConflict);
    expect(lengths).toHaveLength(14);
    lengths.forEach((length, index) => expect(length).toBeLessThan(4 * 1.5 ** (index + 1)));
  });

  test('throws any other error at once', async () => {
    const { lengths, pause } = pauses();
    await expect(retryOnConflict(async () => { throw new TypeError('no'); }, pause)).rejects.toThrow(TypeError);
    expect(lengths).toEqual([]);
  });
});

test('retryOnConflictFrom makes the first attempt with the given state, and reads before each further attempt', async () => {
  let reads = 0;
  const seen: string[] = [];
  await retryOnConflictFrom('known', async () => `read ${++reads}`, async (known) => {
    seen.push(known);
    return seen.length < 3 ? conflict : undefined;
  });
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
