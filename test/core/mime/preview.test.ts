import { htmlToText } from '../../../core/mime/html-to-text.ts';
import { parseMessage } from '../../../core/mime/parse-message.ts';

const previewOf = (type: string, body: string) => parseMessage(Buffer.from(`Content-Type: ${type}; charset=utf-8\n\n${body}`)).email.preview;
const html = (text: string) => previewOf('text/html', text);

describe('the preview of text', () => {
  test('is one line', () => expect(previewOf('text/plain', 'Hello\r\n\r\n  dear\tWorld \n')).toBe('Hello dear World'));
  test('skips quoted lines, unless there are no others', () => {
    expect(previewOf('text/plain', '> quoted\n> more\nMy answer')).toBe('My answer');
    expect(previewOf('text/plain', '> quoted\n> more')).toBe('> quoted > more');
  });
  // @requirement 8621 §4.1.4 preview
  // @pitfall get preview-size
  test('has at most 256 characters and no half surrogate pair', () => {
    expect(previewOf('text/plain', 'word '.repeat(200))).toHaveLength(256);
    const emoji = previewOf('text/plain', `a${'😀'.repeat(200)}`);
    expect(emoji.length).toBeLessThanOrEqual(256);
    expect(emoji.isWellFormed()).toBe(true);
  });
  test('omits invisible padding and keeps joiners between characters', () => {
    expect(previewOf('text/plain', `Offer\u200B\u00AD\u034F \u200C \u200C \uFEFF now`)).toBe('Offer now');
    expect(previewOf('text/plain', '👩\u200D👧 می\u200Cخواهم')).toBe('👩\u200D👧 می\u200Cخواهم');
  });
});

describe('the preview of HTML', () => {
  test('omits title, style, script and comments', () => {
    expect(html('<html><head><title>No</title><style>p { color: red }</style></head><body><!-- no --><p>Hello <b>W</b>orld</p><p>Next</body>')).toBe(
      'Hello World Next',
    );
    expect(html('<script>if (a < b) no();</script >Text<br>more')).toBe('Text more');
  });
  test('decodes character references', () =>
    expect(html('Gr&uuml;&szlig;e &amp; K&#252;sse&nbsp;&#x1F600; &unknown; &#xD800;')).toBe('Grüße & Küsse 😀 &unknown; \uFFFD'));
  test('decodes all names of HTML, without a semicolon those that may have none, and numbers as HTML reads them', () => {
    expect(html('Dobr&yacute; ve&ccaron;er, Wa&lstrok;&eogon;sov&aacute;, shop&commat;elsewhere.test')).toBe('Dobrý večer, Wałęsová, shop@elsewhere.test');
    expect(html('It&#146;s &#147;ready&#148; &#150; 20 &#128; only&#133; for &#x8A;koda &copy 2026 &notit;')).toBe(
      'It’s “ready” – 20 € only… for Škoda © 2026 ¬it;',
    );
  });
  test('decodes the names of HTML 4 that occur in words, and no names of object properties', () =>
    expect(html('&Scaron;koda &alpha;&Omega; &ntilde;andu&frac12; &toString; &valueOf;')).toBe('Škoda αΩ ñandu½ &toString; &valueOf;'));
  test('skips hidden elements', () => expect(html('<div style="display:none">secret</div><span hidden>no</span>shown')).toBe('shown'));
  test('skips the content of hidden elements, up to the closing tag of the element', () => {
    expect(html('<div hidden>no <div>no</div> no</div><table><tr><td style="visibility: hidden">no</td><td>shown</td></table>')).toBe('shown');
    expect(html('<p hidden>no<p>shown<script>if (a) "<script>"</script> too')).toBe('shown too');
    expect(html('<img hidden>shown<br style="display:none"> too')).toBe('shown too');
  });
  test('shows what follows a hidden element that is not closed, where HTML ends the element', () => {
    expect(html('<p hidden>no<div>shown</div>')).toBe('shown');
    expect(html('<p hidden>no <b>no<ul><li>shown</ul>')).toBe('shown');
    expect(html('<div><p hidden>no</div>shown')).toBe('shown');
    expect(html('<ul><li hidden>no<ul><li>no</ul>no<li>shown</ul>')).toBe('shown');
    expect(html('<table><tr><td hidden>no<td>shown<tr hidden><td>no<tr><td>too</table>')).toBe('shown too');
    expect(html('<div style="display:none">no<table><tr><td>no</div></td></table>no</div>shown')).toBe('shown');
    expect(html('<svg><text>no<p>shown')).toBe('shown');
    expect(html('<b><div hidden>no</b> no</div>shown')).toBe('shown');
  });
  test('takes no element but svg and math for closed by its own tag', () => {
    expect(html('<div hidden/>no</div>shown')).toBe('shown');
    expect(html('<svg/>shown <math/>too<div/> as well')).toBe('shown too as well');
  });
  test('skips comments in all their forms', () => {
    expect(html('a<!-->b<!--->c<!-- no --!>d</ no>e<?no?>f<![if no]>g<![endif]>h<![CDATA[no>i')).toBe('abcdefghi');
    expect(html('<!--[if mso]><p>no</p><![endif]-->shown')).toBe('shown');
  });
  test('reads neither tags nor comments in elements of raw text', () => {
    expect(html('<style><!-- </style>shown --><script><!-- <script> no </script> no --></script> <iframe><b></iframe>too')).toBe('shown --> no --> too');
    expect(html('<title>&lt;/title></title>shown<textarea><p></textarea>')).toBe('shown');
  });
  test('shows elements with words of a hiding attribute in other attributes', () =>
    expect(html('<div title="a hidden gem">one</div> <a href=x title="style=display:none">two</a> <p data-hidden>three</p>')).toBe('one two three'));
  test('does not show the attributes that search finds', () => expect(html('<img alt="Logo"><a title="Go">shown</a>')).toBe('shown'));
  test('accepts angle brackets in attributes and in text', () => {
    expect(html('<a title="a > b" href=x>link</a> 1 < 2')).toBe('link 1 < 2');
  });
  test('ends at an unclosed comment, element or tag', () => {
    expect(html('before<!-- never')).toBe('before');
    expect(html('before<style>never')).toBe('before');
    expect(html('before<a href="never>x</a>')).toBe('before');
  });
  test('starts after a long style sheet', () => expect(html(`<style>${'p{}'.repeat(50_000)}</style>Hello`)).toBe('Hello'));
});

test('the preview of an alternative is its text, or its HTML when the text is empty', () => {
  const alternative = (plain: string) =>
    parseMessage(Buffer.from(`Content-Type: multipart/alternative; boundary=b\n\n--b\n\n${plain}\n--b\nContent-Type: text/html\n\n<p>from html\n--b--`)).email
      .preview;
  expect(alternative('from text')).toBe('from text');
  expect(alternative(' \n')).toBe('from html');
});

test.each([
  ['text/markdown', '# Plan\n\nBring the *ladder*', '# Plan Bring the *ladder*'],
  ['text/enriched', '<bold>Bring</bold> the <color><param>red</param>ladder</color> << 3 m', 'Bring the ladder < 3 m'],
  [
    'text/calendar',
    'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY;LANGUAGE=en:Roof\\, again\r\nLOCATION:The yard\r\nDESCRIPTION:Bring the\r\n  ladder\\nand rope\r\nEND:VEVENT\r\n',
    'Roof, again The yard Bring the ladder and rope',
  ],
])('the preview of %s alone is what people read of it', (type, content, expected) => {
  expect(parseMessage(Buffer.from(`Content-Type: ${type}\r\n\r\n${content}`)).email.preview).toBe(expected);
});

// @pitfall mime exploding-html
test('htmlToText takes linear time for nested unclosed HTML, with the attributes that are searched', () => {
  const started = process.cpuUsage();
  const pieces = [
    '<',
    '<a ',
    '<!--',
    '<style>',
    '<div style="',
    '<a b="',
    '&',
    '&#',
    '&amp',
    '</',
    '<p><b>',
    '<svg><style>',
    '<img alt=a>',
    '<a title="',
    ' alt = ',
    "'alt",
    '<p hidden>',
    '<div hidden>',
    '</i>',
    '<svg/>',
    '<![CDATA[',
    '<a a=1 b c>',
  ];
  for (const piece of pieces) {
    for (const start of ['', '<a ']) htmlToText(start + piece.repeat(100_000), 2048, () => undefined);
  }
  expect(process.cpuUsage(started).user / 1_000_000).toBeLessThan(5);
});
