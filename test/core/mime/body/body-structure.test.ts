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
  test('is text when its Content-Type is not a media type', () => expect(structureOf(message('Content-Type: pdf', '', 'x')).type).toBe('text/plain'));
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
    'Content-Type: multipart/mixed; boundary="a b"',
    '',
    'preamble',
    '--a b  ',
    'Content-Type: multipart/alternative; boundary=inner',
    '',
    '--inner',
    '',
    'plain',
    '--inner',
    'Content-Type: text/html',
    '',
    '<p>html',
    '--inner--',
    'epilogue',
    '--a b',
    'Content-Type: image/png',
    'Content-Transfer-Encoding: base64',
    '',
    'AAEC',
    '--a b--',
    'epilogue',
    '--a b',
    '',
    'no part',
  );

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
    for (const type of ['multipart/mixed', 'multipart/mixed; boundary=""', 'multipart/mixed; boundary=other', `multipart/mixed; boundary=${'x'.repeat(300)}`]) {
      const odd = message(`Content-Type: ${type}`, '', '--b', '', 'Hello', '--b--');
      expect(structureOf(odd)).toMatchObject({ partId: '1', type: 'text/plain' });
      expect(contentOf(odd, structureOf(odd))).toContain('Hello');
    }
  });
  // @pitfall mime empty-multipart
  test.each([
    ['a closing delimiter alone', ['--b--'], undefined],
    ['blank lines and a closing delimiter', ['', ' ', '--b--', 'epilogue'], undefined],
    ['nothing', [], undefined],
    ['a text and a closing delimiter', ['Hello', '--b--', 'epilogue'], 'Hello'],
  ])('with %s shows no delimiter', (_, lines, shown) => {
    const inner = message(
      'Content-Type: multipart/mixed; boundary=a',
      '',
      '--a',
      'Content-Type: multipart/related; boundary=b',
      '',
      ...lines,
      '--a',
      '',
      'after',
      '--a--',
      '',
    );
    const [empty, after] = structureOf(inner).subParts!;
    if (shown === undefined) expect(empty).toMatchObject({ type: 'multipart/related', subParts: [] });
    else expect(contentOf(inner, empty)).toBe(shown);
    expect(contentOf(inner, after)).toBe('after');
    const alone = message('Content-Type: multipart/related; boundary=b', '', ...lines);
    if (shown === undefined) expect(structureOf(alone)).toMatchObject({ subParts: [] });
    else expect(contentOf(alone, structureOf(alone))).toBe(shown);
  });
  test('of the type related has the root that it names', () => {
    const related = (start: string) =>
      structureOf(
        message(
          `Content-Type: multipart/related; boundary=b; start=${start}`,
          '',
          '--b',
          'Content-Id: <one@x>',
          '',
          '1',
          '--b',
          'Content-Id: <two@x>',
          '',
          '2',
          '--b--',
          '',
        ),
      ).root;
    expect(['"<two@x>"', 'two@x', '"<one@x>"', '"<three@x>"'].map(related)).toEqual([1, 1, 0, undefined]);
  });
  test('may have a part that ends within its header block', () => {
    const cut = message('Content-Type: multipart/mixed; boundary=b', '', '--b', 'Content-Type: image/png', '--b', '--b', '', 'text', '--b--');
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
  const raw = message(
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: message/rfc822',
    '',
    'Subject: inner',
    'Content-Type: multipart/mixed; boundary=i',
    '',
    '--i',
    '',
    'text',
    '--i--',
    '--b--',
  );
  expect(outline(structureOf(raw))).toBe('multipart/mixed(message/rfc822)');
  expect(parseMessage(raw).email.hasAttachment).toBe(true);
});

describe('the properties of a part', () => {
  const described = (...fields: string[]) => structureOf(message(...fields, '', 'x'));

  // @requirement 8621 §4.1.4 part-size
  test.each([
    ['base64', 'SGVs\r\nbG8=', 5],
    ['quoted-printable', 'Gr=C3=BC=\r\n=C3=9Fe', 7],
    ['8bit', 'as it is', 8],
  ])('have the size of the decoded content: %s', (encoding, content, size) => {
    expect(structureOf(message(`Content-Transfer-Encoding: ${encoding}`, '', content)).size).toBe(size);
  });
  // @requirement 8621 §4.1.4 part-disposition
  test('are disposition, cid, language and location', () => {
    expect(
      described('Content-Type: image/png', 'Content-Disposition: INLINE', 'Content-Id: <a@b>', 'Content-Language: de, en-GB', 'Content-Location: http://a/b'),
    ).toMatchObject({ disposition: 'inline', cid: 'a@b', language: ['de', 'en-GB'], location: 'http://a/b' });
  });
  // @requirement 8621 §4.1.4 part-name
  test.each([
    ['Content-Disposition: attachment; filename="a \\"b\\".txt"', 'a "b".txt'],
    ['Content-Disposition: attachment; filename=plain.txt; size=4', 'plain.txt'],
    // @pitfall get parameter-encoding
    ["Content-Disposition: attachment; filename*=UTF-8'en'Gr%C3%BC%C3%9Fe%20%E2%82%AC.txt", 'Grüße €.txt'],
    ['Content-Disposition: attachment; filename*0="one, "; filename*1="two"; filename*2=.txt', 'one, two.txt'],
    // @pitfall get parameter-encoding
    ["Content-Disposition: attachment; filename*1*=%E2%82; filename*0*=utf-8''a; filename*2*=%AC; filename*3=.txt", 'a€.txt'],
    ["Content-Disposition: attachment; filename*=iso-8859-1''Gr%FC%DFe; filename=Gruesse", 'Grüße'],
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

describe('the header of a message ends where no header can go on', () => {
  const fields = ['From: Nora <nora@example.test>', 'To: alice@example.test', 'Subject: Hi', 'Date: Mon, 02 Mar 2026 10:00:00 +0100'];
  const read = (...lines: string[]) => {
    const raw = message(...lines);
    const { email, failure } = parseMessage(raw);
    expect(failure).toBeUndefined();
    return { email, body: contentOf(raw, email.bodyStructure), header: headersOf(raw, email.bodyStructure), preview: email.preview };
  };

  // @pitfall mime no-blank-line
  test.each([
    [['Please bring the ladder on Friday', 'and the long rope', '', 'Nora']],
    [['Hello Alice,', 'Note: bring the rope', 'http://example.test/ladder', '', 'Nora']],
    [['Nora wrote:', 'From: Bob <bob@example.test>', 'Subject: Ladder', '', 'the ladder']],
    [['<html><body>', '<p>The roof is leaking</p>', '', '<p>Come soon</p></body></html>']],
    [['no line follows']],
    [['-- ', 'Nora']],
    [['>From here on', 'it is text']],
  ])('at %j', (text) => {
    const { body, header, email } = read(...fields, ...text);
    expect(body).toBe(text.join('\r\n'));
    expect(header).toBe(`${fields.join('\r\n')}\r\n`);
    expect(email).toMatchObject({ subject: 'Hi', from: [{ email: 'nora@example.test' }], sentAt: '2026-03-02T10:00:00+01:00' });
  });

  test('also behind a folded field, and with line feeds without carriage returns', () => {
    const raw = Buffer.from('Subject: Hi\n there\nSome text\nof two lines\n\nNora\n');
    expect(contentOf(raw, structureOf(raw))).toBe('Some text\nof two lines\n\nNora\n');
    expect(parseMessage(raw).email).toMatchObject({ subject: 'Hi there', preview: 'Some text of two lines Nora' });
  });

  test('so HTML without an empty line before it is shown and previewed', () => {
    expect(read(...fields, 'Content-Type: text/html', '<html>', '<p>The roof is leaking</p>', '', '<p>Soon').preview).toBe('The roof is leaking Soon');
  });

  test.each([
    ['Content-Type: text/plain', 'Content-Type: text/html'],
    ['Content-Transfer-Encoding: 7bit', 'Content-Transfer-Encoding: 7bit'],
    ['X-Part: 1', 'Content-ID: <2@example.test>'],
  ])('at the first delimiter of its multipart, before %j', (first, second) => {
    const raw = message(
      ...fields,
      'Content-Type: multipart/alternative; boundary="seam"',
      '--seam',
      first,
      '',
      'The plain form',
      '--seam',
      second,
      '',
      'The rich form',
      '--seam--',
    );
    expect(structureOf(raw).subParts!.map((part) => contentOf(raw, part))).toEqual(['The plain form', 'The rich form']);
  });

  // @pitfall mime no-blank-line
  test.each([
    ['a damaged line', ['by mail.example.test with SMTP']],
    ['several damaged lines and folded ones', ['garbage', ' folded garbage', 'more; of=it', 'X_no_colon']],
    ['a line of dashes', ['-----']],
    ['a line of a mailbox file', ['>From nora@example.test Mon Mar  2 10:00:00 2026']],
    ['an unknown field behind a damaged line', ['garbage', 'Mailer-Zone: here']],
  ])('but not at %s, with fields behind', (_, damage) => {
    for (let at = 0; at < fields.length; at += 1) {
      const { email, body } = read(...fields.slice(0, at), ...damage, ...fields.slice(at), '', 'text');
      expect(body).toBe('text');
      expect(email).toMatchObject({ subject: 'Hi', from: [{ email: 'nora@example.test' }], sentAt: '2026-03-02T10:00:00+01:00' });
    }
    expect(read(...fields, ...damage, 'X-Mailer: a', '', 'text').body).toBe('text');
    expect(read(...fields, 'X-Mailer: a', ...damage, 'X-Mailer: b', '', 'text').body).toBe('text');
  });

  test('nor at damaged lines of a message in base64, which are no base64', () => {
    expect(read(...fields, 'Content-Transfer-Encoding: base64', 'the rest of a line', '', 'SGVsbG8=').body).toBe('Hello');
    expect(read(...fields, 'Content-Transfer-Encoding: base64', 'SGVsbG8=').body).toBe('Hello');
  });

  test('nor at a parameter that was not folded, which is read', () => {
    const { email, body } = read(...fields, 'Content-Type: text/html; ', 'charset="utf-8"', '', '<p>text');
    expect(email.bodyStructure).toMatchObject({ type: 'text/html', charset: 'utf-8' });
    expect(body).toBe('<p>text');
  });

  // @pitfall mime byte-order-mark
  test('nor at what programs write before the first field: a mark, a banner, a line of a mailbox file, an empty line', () => {
    for (const before of [
      '\xef\xbb\xbf',
      'A banner\r\n\xef\xbb\xbf',
      '\r\n\xef\xbb\xbf',
      'Received: by a\r\nX-A: b\r\n\xef\xbb\xbf',
      'Microsoft Mail Internet Headers Version 2.0\r\n',
      ' Aug 22 15:03:38 2008\r\n',
      '\r\n',
      '\r\n\r\n',
      '\n',
      'From nora@example.test Mon Mar  2 10:00:00 2026\r\n',
    ]) {
      const { email, body } = read(`${before}${fields[0]!}`, ...fields.slice(1), '', 'text');
      expect(body).toBe('text');
      expect(email).toMatchObject({ subject: 'Hi', from: [{ email: 'nora@example.test' }] });
    }
    expect(read('\xef\xbb\xbfContent-Type: text/html', '', '<p>x').email.bodyStructure.type).toBe('text/html');
  });

  test('text behind an empty line is no header, although it begins with a field', () => {
    expect(read('', 'Subject: Hi', 'text')).toMatchObject({ body: 'Subject: Hi\r\ntext', header: '' });
  });

  test('a mark in the middle of the header makes no field, which would replace the one before', () => {
    const { email } = read(...fields, '\xef\xbb\xbfFrom: other@example.test', '', 'text');
    expect(email.from).toEqual([{ name: 'Nora', email: 'nora@example.test' }]);
  });
});

describe('the header of a part ends where no header can go on', () => {
  const partOf = (...lines: string[]) => {
    const raw = message('Content-Type: multipart/mixed; boundary=b', '', '--b', ...lines, '--b--');
    const [part] = structureOf(raw).subParts!;
    return { part: part!, body: contentOf(raw, part) };
  };
  test.each([
    [['Hello there', 'and more', '', 'bye']],
    [['Forwarded message', 'From: Bob', 'Subject: x', '', 'text']],
    [['text without any empty line']],
    [['  indented text', 'and more']],
  ])('at %j', (text) => {
    expect(partOf('Content-Type: text/html', ...text)).toMatchObject({ part: { type: 'text/html' } });
    if (!text[0]!.startsWith(' ')) expect(partOf('Content-Type: text/html', ...text).body).toBe(text.join('\r\n'));
    expect(partOf(...text).body).toBe(text.join('\r\n'));
  });
  test('but not at a damaged line with fields of parts behind it', () => {
    expect(partOf('Content-Type: application/pdf;', 'the rest', 'Content-Disposition: attachment; filename=a.pdf', '', 'text')).toMatchObject({
      part: { type: 'application/pdf', name: 'a.pdf' },
      body: 'text',
    });
  });
  test('nor at a file name that was not folded', () => {
    expect(partOf('Content-Transfer-Encoding: base64', 'Content-Disposition: attachment;', 'filename="a.pdf"', '', 'SGVsbG8=')).toMatchObject({
      part: { name: 'a.pdf' },
      body: 'Hello',
    });
  });
});

describe('slips in the fields of parts', () => {
  // @pitfall mime content-type-slips
  test.each([
    'multipart/mixed boundary="gap"',
    'multipart/mixed, boundary=gap',
    'multipart/multipart/mixed; boundary="gap"',
    'Content-Type: multipart/mixed; boundary="gap"',
    '"multipart/mixed"; boundary="gap"',
    "multipart/mixed; boundary='gap'",
  ])('%j has parts', (type) => {
    const raw = message(
      `Content-Type: ${type}`,
      '',
      '--gap',
      '',
      'the words',
      '--gap',
      'Content-Type: application/pdf, name="plan.pdf"',
      'Content-Transfer-Encoding: base64;',
      '',
      'SGVsbG8=',
      '--gap--',
    );
    expect(structureOf(raw)).toMatchObject({ type: 'multipart/mixed', subParts: [{ type: 'text/plain' }, { name: 'plan.pdf', size: 5 }] });
    expect(structureOf(raw).subParts!.map((part) => contentOf(raw, part))).toEqual(['the words', 'Hello']);
  });
  test('a boundary that has single quotes in its delimiters keeps them', () => {
    const raw = message("Content-Type: multipart/mixed; boundary='b'", '', '--b', "--'b'", '', 'text', "--'b'--");
    expect(contentOf(raw, structureOf(raw).subParts?.[0])).toBe('text');
  });
  test.each(["'utf-8'", 'utf-8"', '"\'utf-8\'"', 'utf-8 (a comment) and more', 'utf-8,'])('the charset of %j is utf-8', (charset) => {
    const raw = message(`Content-Type: text/html; charset=${charset}`, '', 'x');
    expect(structureOf(raw)).toMatchObject({ type: 'text/html', charset: 'utf-8' });
  });
});
