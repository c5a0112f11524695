import { isWithinLimits } from '../../../webmail/message/html-limits.ts';

describe('the limits of the HTML of a mail', () => {
  test.each([
    ['a newsletter', '<table><tr><td style="a">Hello<br><img src="x"></td></tr></table>'.repeat(1000), true],
    ['no markup', 'a < b and b > a', true],
    ['images without end tags', '<img src="x">'.repeat(500), true],
    ['deep nesting', '<div>'.repeat(300), false],
    ['too many tags', '<b></b>'.repeat(20_001), false],
    ['too many attributes', `<b ${'a=1 '.repeat(2001)}>`, false],
    ['too many octets', 'a'.repeat(1_000_001), false],
  ])('%s', (_, html, expected) => expect(isWithinLimits(html)).toBe(expected));

  test.each(['<', '<a', '<a ', '</', '<!--', '<a b="', '"<a=', '<a><'])('takes time in proportion to the length of %s repeated', (piece) => {
    const html = piece.repeat(Math.floor(900_000 / piece.length));
    let looked = 0;
    // oxlint-disable-next-line typescript/unbound-method -- it is put back
    const { charCodeAt } = String.prototype;
    // oxlint-disable-next-line no-extend-native -- counts what the pass reads
    String.prototype.charCodeAt = function counted(this: string, index: number): number {
      looked += 1;
      return charCodeAt.call(this, index);
    };
    try {
      isWithinLimits(html);
    } finally {
      // oxlint-disable-next-line no-extend-native -- it is put back
      String.prototype.charCodeAt = charCodeAt;
    }
    expect(looked).toBeLessThan(6 * html.length);
  });
});
