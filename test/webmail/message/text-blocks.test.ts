import { textBlocks } from '../../../webmail/message/text-blocks.ts';

describe('the blocks of a text', () => {
  test.each([
    [
      'lines of one depth are one block',
      'a\nb\n> c\n>> d\n',
      'fixed' as const,
      [
        [0, 'a', 'b'],
        [1, 'c'],
        [2, 'd'],
      ],
    ],
    ['flowed lines are joined, a signature is not', 'a \nb \n-- \nc', 'flowed' as const, [[0, 'a b', '-- ', 'c']]],
    ['an empty line ends a flowed paragraph', 'a \n\nb', 'flowed' as const, [[0, 'a', '', 'b']]],
    ['flowed lines are joined without their blanks', 'a \nb  \nc', 'delSp' as const, [[0, 'ab c']]],
  ])('%s', (_, value, format, expected) => {
    expect(textBlocks(value, format).blocks.map(({ depth, lines }) => [depth, ...lines])).toEqual(expected);
  });

  test.each([
    ['lines of two depths', '\n>\n'.repeat(1_000_000) + 'a'],
    ['one line', 'a'.repeat(4_000_000)],
    ['empty lines', '\n'.repeat(4_000_000) + 'a'],
  ])('are few for a text of 4 MB of %s, which is cut', (_, value) => {
    const { blocks, isCut } = textBlocks(value, 'fixed');
    expect([blocks.length <= 2_000, isCut]).toEqual([true, true]);
  });
});
