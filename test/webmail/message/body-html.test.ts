import { roughText } from '../../../webmail/message/body-html.ts';

test.each([
  ['<p>a <b>b</b></p>\n\n\n<p>c</p>', 'a b\n\nc'],
  ['<STYLE type=x>p > a {}</STYLE>a<script>x</script>b', 'a b'],
  ['<style><!--\np > a {}\n--></style>a<!-- b > c -->d', 'a d'],
  ['a&nbsp;b &lt;c&gt; &quot;&#39;&amp;lt;', 'a b <c> "\'&lt;'],
  ['a < b', 'a b'],
  ['', ''],
])('the rough text of %j is %j', (html, expected) => expect(roughText(html).trim()).toBe(expected));

test.each(['<', '<!--', '<style', '<a>', '&amp;', '\n', ' '])('the rough text of 4 MB of %j is bounded', (piece) => {
  expect(roughText(piece.repeat(4_000_000 / piece.length)).length).toBeLessThanOrEqual(2_000_000);
});
