import { decodeTransferEncoding } from '../../../../core/mime/encoding/transfer-encoding.ts';
import { parseMessage } from '../../../../core/mime/parse-message.ts';
import type { BodyPart } from '../../../../core/mime/parsed-email.ts';

const message = (...lines: string[]) => Buffer.from(lines.join('\r\n'), 'latin1');
const structureOf = (raw: Buffer) => parseMessage(raw).email.bodyStructure;
const contentOf = (raw: Buffer, part: BodyPart | undefined) =>
  decodeTransferEncoding(raw.subarray(part?.range?.start, part?.range?.end), part?.encoding).toString('latin1');
const headersOf = (raw: Buffer, part: BodyPart | undefined) => raw.toString('latin1', part?.headers.start, part?.headers.end);
/** The types of a structure as text: `multipart/mixed(text/plain text/html)`. */
const outline = ({ type, subParts }: BodyPart): string => (subParts ? `${type}(${subParts.map(outline).join(' ')})` : type);

describe('a message of one part', () => {
  test('has the ranges of its header block and body', () => {
    const raw = message('Subject: Hi', 'Content-Type: Text/Plain; charset=UTF-8', '', 'Hello', '');
    const part = structureOf(raw);
    expect(part).toMatchObject({ partId: '1', type: 'text/plain', charset: 'UTF-8', encoding: 'identity', size: 7 });
    expect(headersOf(raw, part)).toBe('Subject: Hi\r\nContent-Type: Text/Plain; charset=UTF-8\r\n');
    expect(contentOf(raw, part)).toBe('Hello\r\n');
  });
  // @requirement 8621 §4.1.4 part-charset
  test('is us-ascii text without a Content-Type', () =>
    expect(structureOf(message('Subject: Hi', '', 'Hello'))).toMatchObject({ type: 'text/plain', charset: 'us-ascii' }));
  test('is text when its Content-Type is not a media type', () =>
    expect(structureOf(message('Content-Type: pdf', '', 'x')).type).toBe('text/plain'));
  test('may have no body or no header block', () => {
    expect(structureOf(message('Subject: Hi', ''))).toMatchObject({ size: 0 });
    expect(contentOf(message('', 'Hello'), structureOf(message('', 'Hello')))).toBe('Hello');
    const text = Buffer.from('just words\nand more');
    expect(contentOf(text, structureOf(text))).toBe('just words\nand more');
  });
  test('may be empty', () => {
    const parsed = parseMessage(Buffer.alloc(0));
    expect(parsed.failure).toBeUndefined();
    expect(parsed.email.bodyStructure).toMatchObject({ type: 'text/plain', size: 0, range: { start: 0, end: 0 } });
  });
  test('has no encoding when it names an unknown one', () => {
    expect(structureOf(message('Content-Transfer-Encoding: x-uue', '', 'x')).encoding).toBeUndefined();
  });
});

describe('a multipart', () => {
  const raw = message(
    'Content-Type: multipart/mixed; boundary="a b"', '', 'preamble', '--a b  ',
    'Content-Type: multipart/alternative; boundary=inner', '',
    '--inner', '', 'plain', '--inner', 'Content-Type: text/html', '', '<p>html', '--inner--', 'epilogue', '--a b',
    'Content-Type: image/png', 'Content-Transfer-Encoding: base64', '', 'AAEC', '--a b--', 'epilogue', '--a b', '', 'no part');

  test('has numbered parts in their order', () => {
    const root = structureOf(raw);
    expect(outline(root)).toBe('multipart/mixed(multipart/alternative(text/plain text/html) image/png)');
    const [alternative, image] = root.subParts!;
    expect([alternative!.partId, ...alternative!.subParts!.map(({ partId }) => partId), image!.partId]).toEqual([undefined, '1', '2', '3']);
    expect(alternative!.subParts!.map((part) => contentOf(raw, part))).toEqual(['plain', '<p>html']);
    expect(contentOf(raw, image)).toBe('\x00\x01\x02');
    expect(headersOf(raw, image)).toBe('Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n');
  });
  test('may use line feeds without carriage returns', () => {
    expect(outline(structureOf(Buffer.from(raw.toString('latin1').replaceAll('\r', ''), 'latin1')))).toBe(outline(structureOf(raw)));
  });
  test('without a closing delimiter ends at the delimiter of the enclosing multipart, or with the message', () => {
    const open = message(
      'Content-Type: multipart/mixed; boundary=o',
      '',
      '--o',
      'Content-Type: multipart/mixed; boundary=i',
      '',
      '--i',
      '',
      'one',
      '--o',
      '',
      'two',
    );
    expect(outline(structureOf(open))).toBe('multipart/mixed(multipart/mixed(text/plain) text/plain)');
    expect(contentOf(open, structureOf(open).subParts![1])).toBe('two');
  });
  // @pitfall mime missing-boundary
  test('without a boundary, with a wrong boundary or without parts is text', () => {
    for (const type of [
      'multipart/mixed',
      'multipart/mixed; boundary=""',
      'multipart/mixed; boundary=other',
      `multipart/mixed; boundary=${'x'.repeat(300)}`,
    ]) {
      const odd = message(`Content-Type: ${type}`, '', '--b', '', 'Hello', '--b--');
      expect(structureOf(odd)).toMatchObject({ partId: '1', type: 'text/plain' });
      expect(contentOf(odd, structureOf(odd))).toContain('Hello');
    }
  });
  test('may have a part that ends within its header block', () => {
    const cut = message(
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: image/png',
      '--b',
      '--b',
      '',
      'text',
      '--b--',
    );
    expect(structureOf(cut).subParts!.map((part) => [part.type, contentOf(cut, part)])).toEqual([
      ['image/png', ''],
      ['text/plain', ''],
      ['text/plain', 'text'],
    ]);
  });
  test('has no delimiter at lines longer or shorter than its boundary line', () => {
    const alike = message('Content-Type: multipart/mixed; boundary=b', '', '--b', '', '--bb', '-- b', '---b', '--', '--b--');
    expect(contentOf(alike, structureOf(alike).subParts![0])).toBe('--bb\r\n-- b\r\n---b\r\n--');
  });
  // @pitfall mime same-boundary
  test('within a multipart with the same boundary contains the parts', () => {
    const same = message(
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      '',
      'x',
      '--b--',
      '--b--',
    );
    expect(outline(structureOf(same))).toBe('multipart/mixed(multipart/mixed(text/plain))');
  });
  // @requirement 8621 §4.1.4 part-type
  test('of the type digest has message/rfc822 parts by default', () => {
    const digest = message('Content-Type: multipart/digest; boundary=b', '', '--b', '', 'Subject: inner', '', 'x', '--b--');
    expect(outline(structureOf(digest))).toBe('multipart/digest(message/rfc822)');
  });
});

test('a forwarded message of any structure is one part', () => {
  const raw = message('Content-Type: multipart/mixed; boundary=b', '', '--b', 'Content-Type: message/rfc822', '',
    'Subject: inner', 'Content-Type: multipart/mixed; boundary=i', '', '--i', '', 'text', '--i--', '--b--');
  expect(outline(structureOf(raw))).toBe('multipart/mixed(message/rfc822)');
  expect(parseMessage(raw).email.hasAttachment).toBe(true);
});

describe('the properties of a part', () => {
  const described = (...fields: string[]) => structureOf(message(...fields, '', 'x'));

  // @requirement 8621 §4.1.4 part-size
  test.each([
    ['base64', 'SGVs\r\nbG8=', 5], ['quoted-printable', 'Gr=C3=BC=\r\n=C3=9Fe', 7], ['8bit', 'as it is', 8],
  ])('have the size of the decoded content: %s', (encoding, content, size) => {
    expect(structureOf(message(`Content-Transfer-Encoding: ${encoding}`, '', content)).size).toBe(size);
  });
  // @requirement 8621 §4.1.4 part-disposition
  test('are disposition, cid, language and location', () => {
    expect(
      described(
        'Content-Type: image/png',
        'Content-Disposition: INLINE',
        'Content-Id: <a@b>',
        'Content-Language: de, en-GB',
        'Content-Location: http://a/b',
      ),
    ).toMatchObject({ disposition: 'inline', cid: 'a@b', language: ['de', 'en-GB'], location: 'http://a/b' });
  });
  // @requirement 8621 §4.1.4 part-name
  test.each([
    ['Content-Disposition: attachment; filename="a \\"b\\".txt"', 'a "b".txt'],
    ['Content-Disposition: attachment; filename=plain.txt; size=4', 'plain.txt'],
    // @pitfall get parameter-encoding
    ['Content-Disposition: attachment; filename*=UTF-8\'en\'Gr%C3%BC%C3%9Fe%20%E2%82%AC.txt', 'Grüße €.txt'],
    ['Content-Disposition: attachment; filename*0="one, "; filename*1="two"; filename*2=.txt', 'one, two.txt'],
    // @pitfall get parameter-encoding
    ['Content-Disposition: attachment; filename*1*=%E2%82; filename*0*=utf-8\'\'a; filename*2*=%AC; filename*3=.txt', 'a€.txt'],
    ['Content-Disposition: attachment; filename*=iso-8859-1\'\'Gr%FC%DFe; filename=Gruesse', 'Grüße'],
    ['Content-Disposition: attachment; filename="=?utf-8?Q?Gr=C3=BC=C3=9Fe?="', 'Grüße'],
    ['Content-Disposition: attachment; filename="Gr\xfc\xdfe"', 'Grüße'],
    ['Content-Disposition: attachment (a; comment) ; FileName = (b) "x" (c)', 'x'],
    ['Content-Disposition: attachment; filename="not closed', 'not closed'],
    ['Content-Disposition: attachment; filename*=nonsense', 'nonsense'],
    ['Content-Disposition: attachment; filename=a%2Fb.txt', 'a%2Fb.txt'],
    ['Content-Disposition: attachment; filename="a\0b"', 'ab'],
  ])('have the name of %j', (field, name) => expect(described(field).name).toBe(name));
  test('have the name of the Content-Type when the Content-Disposition has none', () => {
    expect(described('Content-Type: application/pdf; name="a.pdf"').name).toBe('a.pdf');
    expect(described('Content-Type: application/pdf; name="a.pdf"', 'Content-Disposition: attachment; filename=b.pdf').name).toBe('b.pdf');
  });
});

describe('slips in the fields of parts', () => {
  // @pitfall mime content-type-slips
  test.each([
    'multipart/mixed boundary="gap"', 'multipart/mixed, boundary=gap', 'multipart/multipart/mixed; boundary="gap"',
    'Content-Type: multipart/mixed; boundary="gap"', '"multipart/mixed"; boundary="gap"', 'multipart/mixed; boundary=\'gap\'',
  ])('%j has parts', (type) => {
    const raw = message(`Content-Type: ${type}`, '', '--gap', '', 'the words', '--gap', 'Content-Type: application/pdf, name="plan.pdf"',
      'Content-Transfer-Encoding: base64;', '', 'SGVsbG8=', '--gap--');
    expect(structureOf(raw)).toMatchObject({ type: 'multipart/mixed', subParts: [{ type: 'text/plain' }, { name: 'plan.pdf', size: 5 }] });
    expect(structureOf(raw).subParts!.map((part) => contentOf(raw, part))).toEqual(['the words', 'Hello']);
  });
  test('a boundary that has single quotes in its delimiters keeps them', () => {
    const raw = message('Content-Type: multipart/mixed; boundary=\'b\'', '', '--b', '--\'b\'', '', 'text', '--\'b\'--');
    expect(contentOf(raw, structureOf(raw).subParts?.[0])).toBe('text');
  });
  test.each(['\'utf-8\'', 'utf-8"', '"\'utf-8\'"', 'utf-8 (a comment) and more', 'utf-8,'])('the charset of %j is utf-8', (charset) => {
    const raw = message(`Content-Type: text/html; charset=${charset}`, '', 'x');
    expect(structureOf(raw)).toMatchObject({ type: 'text/html', charset: 'utf-8' });
  });
});
