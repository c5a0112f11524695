import { snippetParts } from '../../../webmail/search/snippet-text.ts';

test.each([
  ['plain', ['plain']],
  ['a <mark>quick</mark> fox', ['a ', '[quick]', ' fox']],
  ['<mark>a</mark><mark>b</mark>', ['[a]', '[b]']],
  ['&lt;mark&gt; &amp;amp; &quot;&#39;&apos;&#x1F600;', [`<mark> &amp; "''😀`]],
  ['&#0;&#xD800;&#9999999;&#x110000;', ['\ufffd\ufffd\ufffd\ufffd']],
  ['&nbsp; &unknown; & &#; &#xg;', ['&nbsp; &unknown; & &#; &#xg;']],
  ['<img src=x onerror=alert(1)><mark class=x>a', ['<img src=x onerror=alert(1)><mark class=x>a']],
  ['a</mark>b<mark>c<mark>d</mark>e', ['a', 'b', '[c]', '[d]', 'e']],
  ['', []],
])('the snippet %j has its parts', (snippet, parts) => {
  expect(snippetParts(snippet).map(({ text, isMarked }) => (isMarked ? `[${text}]` : text))).toEqual(parts);
});
