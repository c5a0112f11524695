import { searchLimits } from '../../../contract/jmap/core.ts';
import { parseMessage } from '../../../core/mime/parse-message.ts';
import { headerTexts, searchableText } from '../../../core/search/searchable-text.ts';

const textOf = (message: string | Buffer) => {
  const raw = Buffer.from(message);
  return searchableText(parseMessage(raw).email, raw);
};
const part = (type: string, body: string, more = '') => `--b\r\nContent-Type: ${type}\r\n${more}\r\n${body}\r\n`;
const multipart = (subtype: string, ...parts: string[]) => `Content-Type: multipart/${subtype}; boundary=b\r\n\r\n${parts.join('')}--b--\r\n`;

describe('the searchable text of an Email', () => {
  test('has names and addresses, each address as a separate text', () => {
    const { from, to, cc, bcc } = textOf(
      'From: =?utf-8?q?J=C3=BCrgen?= <j@example.net>\r\nTo: a@example.net, "B, C" <b@example.net>\r\nCc: d@example.net\r\nBcc: e@example.net\r\n\r\n',
    );
    expect({ from, to, cc, bcc }).toEqual({
      from: ['Jürgen <j@example.net>'],
      to: ['a@example.net', 'B, C <b@example.net>'],
      cc: ['d@example.net'],
      bcc: ['e@example.net'],
    });
  });

  // @requirement 8621 §4.4.1 query-decoded
  test('has the decoded subject', () => expect(textOf('Subject: =?utf-8?b?w6k=?=\r\n\r\n').subject).toEqual(['é']));

  test('has no texts for properties that the message lacks', () =>
    expect(textOf('\r\n')).toEqual({ from: [], to: [], cc: [], bcc: [], subject: [], body: [], attachmentNames: [] }));

  test('has text parts decoded', () => {
    const encoded = 'Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nGr=FC=\r\n=DFe';
    expect(textOf(encoded).body).toEqual(['Grüße']);
  });

  // @requirement 8621 §4.4.1 query-html-text
  test('has the visible text of HTML, without styles, scripts, hidden elements, comments and attributes', () => {
    const html =
      '<title>no</title><style>p{no}</style><script>no()</script><!-- no --><p class="no">Yes, <b>vis</b>ible &eacute;</p>' +
      '<div hidden>no <div>no</div> no</div><p style="display:none">no</p>' +
      '<td style="color:red; visibility: hidden">no</td>and <i>this</i>';
    expect(textOf(`Content-Type: text/html\r\n\r\n${html}`).body.map((text) => text.replaceAll(/\s+/g, ' ').trim())).toEqual(['Yes, visible é and this']);
  });

  // @requirement 8621 §4.4.1 query-html-text
  test('has each shown alt and title of HTML as a separate text, and no other attribute', () => {
    const html =
      '<head><link title="no"><meta title="no"></head><body><p data-title="no" class="alt">Seen <img ALT = "A &gt; B" src=no.png>' +
      '<a title=bare href="no?title=no">link</a><img alt=""><img alt=" "><img alt=\'bare\'><br/><img alt="last"/></p>' +
      '<div hidden title="no"><img alt="no"></div><script alt="no"></script><!-- <img alt="no"> --></body><b title="never closed';
    expect(textOf(`Content-Type: text/html\r\n\r\n${html}`).body.map((text) => text.replaceAll(/\s+/g, ' ').trim())).toEqual([
      'Seen link',
      'A > B',
      'bare',
      'last',
    ]);
  });

  test('has a limited number of alt and title for any number of parts and messages', () => {
    const pictures = (name: string) => Array.from({ length: searchLimits.maxSearchedAttributes }, (_, index) => `<img alt="${name} ${index}">`).join('');
    const attached = `Content-Type: text/html\r\n\r\n${pictures('three')}`;
    const { body } = textOf(multipart('mixed', part('text/html', '<img alt="one">x'), part('text/html', pictures('two')), part('message/rfc822', attached)));
    expect(body.filter((text) => text.startsWith('t'))).toHaveLength(searchLimits.maxSearchedAttributes - 1);
  });

  test('has both versions of an alternative', () => {
    const message = multipart('alternative', part('text/plain', 'plain words'), part('text/html', '<p>html words</p>'));
    expect(textOf(message).body.map((text) => text.trim())).toEqual(['plain words', 'html words']);
  });

  test('has the text of attached text and HTML, after the body, and the names of all attachments', () => {
    const message = multipart(
      'mixed',
      part('text/plain', 'attached', 'Content-Disposition: attachment; filename="no te.txt"\r\n'),
      part('text/plain', 'body'),
      part('text/html', '<b>page</b>', "Content-Disposition: attachment; filename*=utf-8''%C3%A9.html\r\n"),
      part('application/pdf', 'JVBERi0=', 'Content-Disposition: attachment; filename=file.pdf\r\n'),
    );
    const { body, attachmentNames } = textOf(message);
    expect(body.map((text) => text.trim())).toEqual(['body', 'attached', 'page']);
    expect([...attachmentNames].sort()).toEqual(['file.pdf', 'no te.txt', 'é.html']);
  });

  test('has a limited size for parts of any size', () => {
    const { maxSizeSearchedText, maxSizeSearchedParts } = searchLimits;
    const long = textOf(`Content-Type: text/plain\r\n\r\n${'é '.repeat(maxSizeSearchedText)}`).body;
    expect(long.reduce((sum, text) => sum + Buffer.byteLength(text), 0)).toBeLessThanOrEqual(maxSizeSearchedText);
    expect(Buffer.byteLength(long[0]!)).toBeGreaterThan(maxSizeSearchedText - 4);
    const padded = multipart('mixed', part('text/html', `<p>first</p><!-- ${'x'.repeat(maxSizeSearchedParts)} -->`), part('text/plain', 'beyond'));
    expect(textOf(padded).body.map((text) => text.trim())).toEqual(['first']);
  });

  test('has attached messages after all other text, within the limits of depth, number and size', () => {
    const { maxDepthSearchedMessages, maxSearchedMessages, maxSizeSearchedText } = searchLimits;
    const nested = (levels: number): string => (levels === 0 ? 'end' : `Subject: level ${levels}\r\nContent-Type: message/rfc822\r\n\r\n${nested(levels - 1)}`);
    expect(textOf(nested(1000)).body).toEqual(Array.from({ length: maxDepthSearchedMessages }, (_, index) => `level ${999 - index}`));
    const each = (levels: number): string =>
      levels === 0
        ? 'end'
        : `Content-Type: multipart/mixed; boundary=b${levels}\r\n\r\n${`--b${levels}\r\nContent-Type: message/rfc822\r\n\r\n${each(levels - 1)}\r\n`.repeat(
            20,
          )}--b${levels}--`;
    expect(textOf(each(4)).body.length).toBeLessThan(maxSearchedMessages);
    const large = part('message/rfc822', `\r\nwalrus ${'x'.repeat(searchLimits.maxSizeSearchedMessages)}`);
    expect(textOf(multipart('mixed', large, part('message/rfc822', '\r\nbeyond'))).body.map((text) => text.slice(0, 6))).toEqual(['walrus']);
    const message = multipart('mixed', part('message/rfc822', `Subject: long\r\n\r\n${'é '.repeat(maxSizeSearchedText)}`), part('text/plain', 'last'));
    const { body } = textOf(message);
    expect(body.map((text) => text.trim().slice(0, 4))).toEqual(['last', 'long', 'é é ']);
    expect(body.reduce((sum, text) => sum + Buffer.byteLength(text), 0)).toBeLessThanOrEqual(maxSizeSearchedText);
  });

  test('has no body without the raw message', () => {
    const raw = Buffer.from('Subject: s\r\nContent-Type: text/plain\r\n\r\nbody');
    expect(searchableText(parseMessage(raw).email, undefined)).toMatchObject({ subject: ['s'], body: [] });
  });
});

test('the texts of header fields are decoded, and limited in size', () => {
  const header = Buffer.from('List-Id: =?utf-8?q?Caf=C3=A9?=\r\n <list.example>\r\nX-Empty:\r\nList-Id: two\r\n\r\n');
  expect(headerTexts(header)).toEqual([
    { name: 'list-id', text: 'Café <list.example>' },
    { name: 'x-empty', text: '' },
    { name: 'list-id', text: 'two' },
  ]);
  expect(headerTexts(Buffer.from(`A: ${'x'.repeat(searchLimits.maxSizeSearchedHeaders)}\r\nB: beyond\r\n`)).map(({ name }) => name)).toEqual(['a']);
});
