import { octetsOf } from '../../../console/words/octets.ts';

test.each([
  ['50', 50_000_000_000],
  ['0', 0],
  ['1.5', 1_500_000_000],
  ['1,5', 1_500_000_000],
  [' 2 ', 2_000_000_000],
  ['0.0000000001', 0],
])('%s gigabytes are %d octets', (typed, octets) => expect(octetsOf(typed)).toBe(octets));

test.each(['', 'much', '1.2.3'])('%j is left to the contract', (typed) => expect(octetsOf(typed)).toBe(typed));
