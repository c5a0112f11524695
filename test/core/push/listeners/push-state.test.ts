import * as fc from 'fast-check';
import { encodePushState, decodePushState } from '../../../../core/push/listeners/push-state.ts';
import { assertProperty } from '../../../support/assert-property.ts';

const accounts = fc.uniqueArray(
  fc.stringMatching(/^[A-Za-z0-9_-]{21}$/).map((rest) => `acc_${rest}`),
  { maxLength: 20 },
);
const sequence = fc.integer({ min: 0, max: 999_999_999_999 });

describe('a push state', () => {
  test('is decoded to the encoded positions, for any order of the accounts', () => {
    const idsWithSequences = accounts.chain((ids) => fc.tuple(fc.constant(ids), fc.array(sequence, { minLength: ids.length, maxLength: ids.length })));
    assertProperty(
      fc.property(idsWithSequences, ([ids, sequences]) => {
        const notifiedUpTo = new Map(ids.map((id, i) => [id, sequences[i]!]));
        expect(decodePushState(encodePushState(notifiedUpTo), ids)).toEqual(notifiedUpTo);
        expect(encodePushState(new Map([...notifiedUpTo].toReversed()))).toBe(encodePushState(notifiedUpTo));
      }),
    );
  });

  test('has no entry for an account that it does not name, or that is not requested', () => {
    const state = encodePushState(
      new Map([
        ['acc_a', 7],
        ['acc_b', 9],
      ]),
    );
    expect(decodePushState(state, ['acc_a', 'acc_c'])).toEqual(new Map([['acc_a', 7]]));
  });

  test('needs no escapes in a header and in a URL', () => {
    assertProperty(fc.property(accounts, (ids) => expect(encodePushState(new Map(ids.map((id) => [id, 12])))).toMatch(/^[A-Za-z0-9._-]+$/)));
  });

  test.each([
    '',
    '0',
    '2.abcdefgh1',
    '1.',
    '1.short',
    '1.abcdefgh',
    '1.abcdefghA',
    '1.abcdefgh1.',
    'Email-12',
    '"1"',
    '1.abcdefgh1 ',
    `1${'.abcdefgh1'.repeat(1000)}`,
  ])('does not decode from %j', (text) => {
    expect(decodePushState(text, ['acc_a'])).toBeUndefined();
  });

  test('has at most 15 characters for each account', () => {
    const notifiedUpTo = new Map(Array.from({ length: 100 }, (_, i) => [`acc_${i}`, 100_000]));
    expect(encodePushState(notifiedUpTo).length).toBeLessThan(1500);
  });
});
