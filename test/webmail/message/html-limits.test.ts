import { isWithinLimits } from '../../../webmail/message/html-limits.ts';

describe('the limits of the HTML of a mail', () => {
  test.each([
    ['a newsletter', '<table><tr><td style="a">Hello<br><img src="x"></td></tr></table>'.repeat(1000), true],
    ['no markup', 'a < b and b > a', true],
    ['images without end tags', '<img src="x">'.repeat(500), true],
    ['paragraphs, items and cells without end tags', '<p>a<br>b<ul><li>a<li>b</ul><table><tr><td>a<td><p>b<tr><td>c</table>'.repeat(200), true],
    ['bold and linked words', '<p><b><a href="x"><font color="red">a</font></a></b></p>'.repeat(4000), true],
    ['deep nesting', '<div>'.repeat(300), false],
    ['deep nesting in any letters', '<DIV>'.repeat(300), false],
    ['deep nesting with end tags of other elements', '<div></b>'.repeat(300), false],
    ['deep nesting of tables', '<table><tr><td><p>'.repeat(300), false],
    ['deep nesting with end tags in values', `<div a='>' b='</div>'>`.repeat(300), false],
    ['deep nesting with end tags in comments', '<div><!--</div>--><div><?</div>'.repeat(300), false],
    ['deep nesting with end tags in CDATA', '<svg><g><![CDATA[></g></svg>]]>'.repeat(300), false],
    ['end tags that make elements', '</p>'.repeat(20_001), false],
    ['values with signs of tags', `<p title="a>b" class='</b>'>it's</p>`.repeat(900), true],
    ['tags that look empty', '<div/>'.repeat(300), false],
    ['formatting that is left open and repeated', `<p>${'<font size=1>'.repeat(250)}</p>${'<p>x</p>'.repeat(2000)}`, false],
    ['formatting that is left open once a paragraph', '<p><font size=1>x</p>'.repeat(1000), false],
    ['too many tags', '<b></b>'.repeat(20_001), false],
    ['too many octets', 'a'.repeat(1_000_001), false],
  ])('%s', (_, html, expected) => expect(isWithinLimits(html)).toBe(expected));

  test.each(['<', '<a', '<a ', '</', '</a', '</a>', '<!--', '<a b="', '"<a=', '<a><', '<b', '<p>', '<td>', '<!', '<?', '<a b=', '<a b=\'<a b="'])(
    'takes time in proportion to the length of %s repeated',
    (piece) => {
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
    },
  );
});
