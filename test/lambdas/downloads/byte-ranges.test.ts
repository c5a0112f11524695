import { contentRange, requestedRanges } from '../../../lambdas/downloads/byte-ranges.ts';

describe('requestedRanges (RFC 9110 §14.1.2, §14.2)', () => {
  test.each<[string, (readonly [number, number])[]]>([
    ['bytes=0-0', [[0, 1]]],
    ['bytes=2-4', [[2, 5]]],
    ['bytes=9-', [[9, 10]]],
    ['bytes=5-999999999999', [[5, 10]]],
    ['bytes=-3', [[7, 10]]],
    ['bytes=-99', [[0, 10]]],
    ['Bytes=0-1', [[0, 2]]],
    [
      'bytes=0-1,4-5',
      [
        [0, 2],
        [4, 6],
      ],
    ],
    [
      'bytes= 0-1 , ,4-5 ,',
      [
        [0, 2],
        [4, 6],
      ],
    ],
    [
      'bytes=8-9,0-1',
      [
        [8, 10],
        [0, 2],
      ],
    ],
    ['bytes=20-30,0-1', [[0, 2]]],
    ['bytes=10-', []],
    ['bytes=-0', []],
    ['bytes=10-20,-00', []],
  ])('of 10 octets, %s are %j', (field, ranges) => {
    expect(requestedRanges(field, 10)).toEqual(ranges.map(([start, end]) => ({ start, end })));
  });

  test.each([undefined, '', 'bytes', 'bytes=', 'bytes=-', 'bytes=a-b', 'bytes=4-2', 'bytes=0-1,4-2', 'bytes=1', 'bytes=0-1;2-3', 'lines=0-1', 'bytes=0--1'])(
    'ignores %j',
    (field) => {
      expect(requestedRanges(field, 10)).toBeUndefined();
    },
  );

  test('are ignored when they overlap so much that they exceed the whole', () => {
    expect(requestedRanges('bytes=0-9,0-0', 10)).toBeUndefined();
    expect(requestedRanges('bytes=0-5,4-7', 10)).toEqual([
      { start: 0, end: 6 },
      { start: 4, end: 8 },
    ]);
  });

  test('are ignored when they are more than 16', () => {
    const ranges = (count: number) => `bytes=${Array.from({ length: count }, (_, index) => `${2 * index}-${2 * index}`).join(',')}`;
    expect(requestedRanges(ranges(16), 100)).toHaveLength(16);
    expect(requestedRanges(ranges(17), 100)).toBeUndefined();
  });

  test('of the last octets are ignored for empty content, and first octets of it can not be satisfied', () => {
    expect(requestedRanges('bytes=-5', 0)).toBeUndefined();
    expect(requestedRanges('bytes=0-', 0)).toEqual([]);
  });

  test('take time in proportion to the length of the field', () => {
    const started = process.cpuUsage().user;
    for (const field of [`bytes=0-${','.repeat(50_000)}x`, `bytes=${'0-0 ,'.repeat(20_000)}x`, `bytes=${' '.repeat(50_000)}`]) {
      expect(requestedRanges(field, 10)).toBeUndefined();
    }
    expect(process.cpuUsage().user - started).toBeLessThan(500_000);
  });
});

test('a Content-Range has the first and last octet and the size', () => {
  expect(contentRange({ start: 2, end: 5 }, 10)).toBe('bytes 2-4/10');
  expect(contentRange(undefined, 10)).toBe('bytes */10');
});
