import { parseDocument } from 'htmlparser2';
import { textOfHtml, type HtmlNode } from '../../../webmail/compose/html-text.ts';

const node = (nodeName: string, childNodes: readonly HtmlNode[] = [], attributes: Readonly<Record<string, string>> = {}): HtmlNode => ({
  nodeType: 1,
  nodeName,
  nodeValue: null,
  childNodes,
  getAttribute: (name) => attributes[name] ?? null,
});
const text = (nodeValue: string): HtmlNode => ({ nodeType: 3, nodeName: '#text', nodeValue, childNodes: [] });

type Parsed = {
  readonly type: string;
  readonly data?: string;
  readonly name?: string;
  readonly attribs?: Record<string, string>;
  readonly children?: Parsed[];
};
const nodeOf = ({ type, data, name, attribs, children = [] }: Parsed): HtmlNode => {
  if (type === 'text') return text(data!);
  return type === 'comment' ? { ...text(data!), nodeType: 8 } : node((name ?? 'body').toUpperCase(), children.map(nodeOf), attribs);
};
/** The nodes of well-formed HTML. */
const parsed = (html: string): HtmlNode => nodeOf(parseDocument(html));

test.each([
  ['', ''],
  ['Hello  \n world', 'Hello world'],
  ['a<b> b </b> c', 'a b c'],
  ['a<!-- x -->b<style>p {}</style><script>x</script><title>y</title>', 'ab'],
  ['<p>a</p>\n<p>b</p>', 'a\n\nb'],
  ['<div>a</div><div>b</div>c', 'a\nb\nc'],
  ['<div>a</div><div><br></div><div>b</div>', 'a\n\nb'],
  ['a<br>b<br><br>c<br>', 'a\nb\n\nc'],
  ['<p>a<br></p><p>b</p>', 'a\n\nb'],
  ['<h1>a</h1>b<hr>c', 'a\n\nb\n-----\nc'],
  ['a&nbsp;&nbsp;b', 'a  b'],
  ['x<p>-- <br>Alice</p>', 'x\n\n-- \nAlice'],
  ['<p>--&nbsp;</p>', '-- '],
  ['a -- <br>b', 'a --\nb'],
  ['x<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>y', 'x\n\n* a\n* b\n  * c\n\ny'],
  ['<ol><li><p>a</p></li><li><p>b</p><p>c</p></li></ol>', '1. a\n2. b\n   c'],
  ['<ol start="9"><li>a</li><li>b<br>c</li></ol>', '9. a\n10. b\n    c'],
  ['<ol start="x"><li>a</li><li></li><li><br></li></ol>', '1. a\n2. \n3. '],
  ['<a href="https://x.net/a">here</a> now', 'here <https://x.net/a> now'],
  ['<a href="https://x.net/">https://x.net</a> <a href="https://x.net/b">x.net/b</a>', 'https://x.net x.net/b'],
  ['<a href="mailto:a@x.net">a@x.net</a> <a href="mailto:a@x.net">Ann</a>', 'a@x.net Ann <a@x.net>'],
  ['<a href="javascript:x">a</a><a href="#b">b</a><a>c</a>', 'abc'],
  ['<a href="https://x.net/a"><img alt="Logo"></a>', 'Logo <https://x.net/a>'],
  ['<a href="https://x.net/a"><img></a>', '<https://x.net/a>'],
  ['a<blockquote><p>b</p><p>c</p><blockquote>d</blockquote></blockquote>e', 'a\n\n> b\n>\n> c\n>\n>> d\n\ne'],
  ['<blockquote><ul><li>a</li></ul></blockquote>', '> * a'],
  ['<p>a</p><pre>  b\n\n c\n</pre>d', 'a\n\n  b\n\n c\n\nd'],
  ['<table><tr><td>a</td><td><p>b</p></td></tr><tr><td></td><td>c</td></tr><tr><td>d</td><td></td><td>e</td></tr></table>f', 'a\tb\nc\nd\t\te\n\nf'],
  ['<table>\n<tr>\n<td>a</td>\n<td>b</td>\n</tr>\n</table>', 'a\tb'],
  ['a&nbsp;<br>b &nbsp;c&nbsp; d', 'a\nb  c  d'],
  ['<p>a</p><p>&nbsp;</p><p>&nbsp;&nbsp;b</p>', 'a\n\n  b'],
  ['a<br>&nbsp;<br>b', 'a\n\nb'],
  [
    '<p class="x MsoNormal">a</p><p class="MsoNormal">&nbsp;</p><p style="margin: 0cm 0cm 0.0001pt">b</p><p style="margin-top:0;margin-bottom:0">c</p>',
    'a\n\nb\nc',
  ],
  ['<p style="margin:0;padding:9px">a</p><p style="margin:0 0 9px">b</p><p style="margin:auto">c</p>', 'a\n\nb\n\nc'],
  [
    '<p style="mso-list:l0">1</p><p><b style="mso-list:Ignore">§<i>&nbsp;&nbsp; </i></b>a</p><p><b style="mso-list:Ignore">2.<i>&nbsp;</i></b>b</p>',
    '1\n\n* a\n\n2. b',
  ],
  ['a<i style="DISPLAY: none">b</i><i style="visibility:hidden">c</i><i style="opacity:0.0">d</i><i style="max-height:0px;overflow:hidden">e</i>f', 'af'],
  ['a<i style="opacity:0.5">b</i><i style="max-height:0">c</i><i style="display:block">d</i><i style=";:;a">e</i>', 'abcde'],
  ['a\u00adb\u200bc <i>\u034f\u200c\ufeff</i> d\u200ce', 'abc d\u200ce'],
  ['<div style="white-space: pre-wrap">a\n  b\n\nc  d<p>\n  </p><i style="white-space:normal">e\n f</i></div>g\nh', 'a\n  b\n\nc  d\n\n\ne f\ng h'],
  ['<pre style="white-space:x">  <b>a</b>  \n  \n\t<b>b</b></pre>', '  a\n\n\tb'],
  ['<img alt="a"><img alt="b"><img alt="">c', 'a b c'],
  ['<a href="tel:+49123">+49 (1) 2-3</a>', '+49 (1) 2-3'],
  ['<table><tr><td><p>a</p></td></tr><tr><td><p>b</p></td><td>c</td></tr><tr><td>d</td></tr></table>', 'a\n\nb\tc\nd'],
  [
    '<table><tr><td>a</td></tr><tr><td><table><tr><td>b</td><td>c</td></tr></table></td></tr><tr><td>&nbsp;</td></tr><tr><td>d</td></tr></table>',
    'a\n\nb\tc\n\nd',
  ],
])('the text of %s is %j', (html, expected) => expect(textOfHtml(parsed(html))).toBe(expected));

test.each([
  ['a<br><br><br><br>b<pre>\n\n\nc</pre>', 'a\n\nb\n\nc'],
  ['<a href="https://x.net/a"><img></a><a href="https://x.net/a">b</a>', 'b <https://x.net/a>'],
])('the text of %s of others has no gaps and no links without words', (html, expected) => expect(textOfHtml(parsed(html), 'quoted')).toBe(expected));

const repeated = (child: HtmlNode, count = 100_000): HtmlNode => node('DIV', Array.from({ length: count }).fill(child) as HtmlNode[]);
const nested = (name: string, count = 100_000): HtmlNode => {
  let inner = text('x');
  for (let depth = 0; depth < count; depth += 1) inner = node(name, [text('a '), inner], { href: 'https://x.net' });
  return inner;
};
test.each<[string, () => HtmlNode]>([
  ...['DIV', 'BLOCKQUOTE', 'UL', 'OL', 'LI', 'A', 'TABLE', 'TD', 'PRE', 'B'].map((name): [string, () => HtmlNode] => [`nested ${name}`, () => nested(name)]),
  ...['BR', 'LI', 'TD', 'HR', 'P'].map((name): [string, () => HtmlNode] => [`many ${name}`, () => node('DIV', [text('a'), repeated(node(name)), text('b')])]),
  ['many texts', () => repeated(text('a\u00a0b c '))],
  ['blanks', () => node('P', [text(' '.repeat(2_000_000))])],
  ['long text', () => node('P', [text('a'.repeat(2_000_000))])],
  ['many words', () => node('P', [text('a '.repeat(2_000_000))])],
  ['no-break spaces', () => repeated(node('P', [text('\u00a0 \u00ad'.repeat(20))]), 10_000)],
  ['style', () => node('P', [text('a'), repeated(node('P', [], { style: 'margin:0;'.repeat(20) }))])],
  ['many lines', () => node('PRE', [text('\n\n a'.repeat(1_000_000))])],
])('the text of a stranger’s HTML of %s is bounded, and takes no long time', (_, make) => {
  const given = make();
  const started = process.cpuUsage();
  expect(textOfHtml(given).length).toBeLessThanOrEqual(1_000_000);
  expect(process.cpuUsage(started).user / 1e6).toBeLessThan(5);
});
