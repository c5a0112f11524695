import { retryWithBackoff } from '../../../core/runtime/backoff.ts';

/** A function that fails this many times, and then returns the number of its calls. */
const failing = (times: number) => {
  let count = 0;
  return async () => {
    count += 1;
    if (count <= times) throw new Error(`failure ${count}`);
    return count;
  };
};

describe('retryWithBackoff', () => {
  test('returns the result of the first attempt that succeeds', async () => {
    expect(await retryWithBackoff(failing(0), { attempts: 1, firstPause: 1 })).toBe(1);
    expect(await retryWithBackoff(failing(2), { attempts: 3, firstPause: 1 })).toBe(3);
  });

  test('throws the error of the last attempt', async () => {
    await expect(retryWithBackoff(failing(3), { attempts: 3, firstPause: 1 })).rejects.toThrow('failure 3');
  });

  test('immediately throws an error that is not retryable', async () => {
    const isRetryable = (error: unknown) => (error as Error).message !== 'failure 2';
    await expect(retryWithBackoff(failing(5), { attempts: 5, firstPause: 1, isRetryable })).rejects.toThrow('failure 2');
  });

  test('pauses at least half of a maximum that doubles', async () => {
    const started = performance.now();
    await retryWithBackoff(failing(3), { attempts: 4, firstPause: 10 });
    expect(performance.now() - started).toBeGreaterThan((10 + 20 + 40) / 2 - 3);
  });
});
