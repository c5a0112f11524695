import { tokenBuckets } from '../../../../../sandbox/services/gateway/limits/token-bucket.ts';

describe('token buckets', () => {
  test('allow a burst, then the rate', () => {
    let now = 0;
    const throttled = tokenBuckets(() => now);
    const admitted = (): number => [1, 2, 3, 4, 5, 6, 7, 8].filter(() => throttled.admits('route', { rate: 2, burst: 5 })).length;
    expect(admitted()).toBe(5);
    now += 1000;
    expect(admitted()).toBe(2);
    now += 60_000;
    expect(admitted()).toBe(5);
  });

  test('count each route separately, and routes without a setting not at all', () => {
    const throttled = tokenBuckets(() => 0);
    expect(throttled.admits('one', { rate: 1, burst: 1 })).toBe(true);
    expect(throttled.admits('one', { rate: 1, burst: 1 })).toBe(false);
    expect(throttled.admits('other', { rate: 1, burst: 1 })).toBe(true);
    expect(throttled.admits('free', undefined)).toBe(true);
    expect(throttled.admits('free', undefined)).toBe(true);
  });
});
