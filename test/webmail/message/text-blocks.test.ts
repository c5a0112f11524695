import { textBlocks } from '../../../webmail/message/text-blocks.ts';

describe('the blocks of a text', () => {
  test.each([
    [
      'lines of one depth are one block',
      'a\nb\n> c\n>> d\n',
      false,
      [
        [0, 'a', 'b'],
        [1, 'c'],
        [2, 'd'],
      ],
    ],
    ['flowed lines are joined, a signature is not', 'a \nb\n-- \nc', true, [[0, 'a b', '-- ', 'c']]],
  ])('%s', (_, value, isFlowed, expected) => {
    expect(textBlocks(value, isFlowed).blocks.map(({ depth, lines }) => [depth, ...lines])).toEqual(expected);
  });

  test.each([
    ['lines of two depths', '\n>\n'.repeat(1_000_000) + 'a'],
    ['one line', 'a'.repeat(4_000_000)],
    ['empty lines', '\n'.repeat(4_000_000) + 'a'],
  ])('are few for a text of 4 MB of %s, which is cut', (_, value) => {
    const { blocks, isCut } = textBlocks(value, false);
    expect([blocks.length <= 2_000, isCut]).toEqual([true, true]);
  });
});
