import { tokenBuckets } from '../../../sandbox/gateway/token-bucket.ts';

describe('a throttle', () => {
  test('admits a burst, and then as many a second as its rate says', () => {
    let now = 0;
    const throttled = tokenBuckets(() => now);
    const admitted = (): number => [1, 2, 3, 4, 5, 6, 7, 8].filter(() => throttled.admits('route', { rate: 2, burst: 5 })).length;
    expect(admitted()).toBe(5);
    now += 1000;
    expect(admitted()).toBe(2);
    now += 60_000;
    expect(admitted()).toBe(5);
  });

  test('counts each route by itself, and one without a setting not at all', () => {
    const throttled = tokenBuckets(() => 0);
    expect(throttled.admits('one', { rate: 1, burst: 1 })).toBe(true);
    expect(throttled.admits('one', { rate: 1, burst: 1 })).toBe(false);
    expect(throttled.admits('other', { rate: 1, burst: 1 })).toBe(true);
    expect(throttled.admits('free', undefined)).toBe(true);
    expect(throttled.admits('free', undefined)).toBe(true);
  });
});
