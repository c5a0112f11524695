import * as fc from 'fast-check';
import PostalMime from 'postal-mime';
import { emailLimits, mailLimits } from '../../../../contract/jmap/core.ts';
import { bodyLists } from '../../../../core/mime/body/body-lists.ts';
import { bodyValue } from '../../../../core/mime/body/body-value.ts';
import { encodeOctets } from '../../../../core/mime/compose/compose-body.ts';
import { composeField, UnwritableValue, type ComposedField, type HeaderValue } from '../../../../core/mime/compose/compose-header-field.ts';
import { composeMessage, bodyStructureOf, type NewPart, type NewMessage } from '../../../../core/mime/compose/compose-message.ts';
import { decodeTransferEncoding } from '../../../../core/mime/encoding/transfer-encoding.ts';
import { parseHeaderFields } from '../../../../core/mime/header-fields.ts';
import { asAddresses, asDate, asGroupedAddresses, asMessageIds, asRaw, asText, asURLs } from '../../../../core/mime/header-forms.ts';
import { parseMessage } from '../../../../core/mime/parse-message.ts';
import type { BodyPart } from '../../../../core/mime/parsed-email.ts';
import { assertProperty } from '../../../support/assert-property.ts';

const numRuns = 60;

const forms = { asRaw, asText, asAddresses, asGroupedAddresses, asMessageIds, asDate, asURLs };

const boundaries = () => {
  let count = 0;
  return () => `test${++count}`;
};

const composed = (draft: NewMessage): Buffer => composeMessage(draft, boundaries());
const textPart = (text: string, type = 'text/plain'): NewPart => ({ type: { value: type }, fields: [], content: { text } });
const filePart = (octets: Buffer, more: Partial<NewPart> = {}): NewPart => ({
  type: { value: 'application/octet-stream' },
  fields: [],
  content: { octets },
  ...more,
});

const field = (name: string, header: HeaderValue): ComposedField => composeField(name, header)!;

/** A header field, parsed from the raw message. */
const readBack = (name: string, header: HeaderValue): unknown => {
  const fields = parseHeaderFields(Buffer.from(`${field(name, header).text}\r\nNext: x\r\n`));
  expect(fields.map((each) => each.name)).toEqual([name, 'Next']);
  return forms[header.form](fields[0]!);
};

const contentOf = (raw: Buffer, { range, encoding }: BodyPart) => decodeTransferEncoding(raw.subarray(range!.start, range!.end), encoding);
const valueOf = (raw: Buffer, part: BodyPart) => bodyValue(raw.subarray(part.range!.start, part.range!.end), part).value;

/** Any text of one line: every script, spaces at both ends, and characters that look like syntax. */
const syntax = fc.constantFrom(
  '=?utf-8?Q?x?=',
  '=?',
  '"',
  '\\',
  '<',
  '>',
  ',',
  ':',
  ';',
  '(',
  ')',
  '@',
  '  ',
  '\t',
  "'",
  '%41',
  '*',
  '=20',
  '\u00a0',
  '\u2028',
  '👩‍👩‍👧',
  'é',
  'ﬀ',
);
const oneLine = fc
  .oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme' }),
    fc.string(),
    fc.string({ unit: 'grapheme', minLength: 80, maxLength: 300 }),
    fc.array(fc.oneof(syntax, fc.string({ maxLength: 12 }), fc.string({ unit: 'grapheme', maxLength: 12 })), { maxLength: 30 }).map((words) => words.join(' ')),
  )
  .map((text) => text.replaceAll(/\p{Cc}/gu, '').normalize('NFC'));
const name = oneLine
  .map((text) =>
    text
      .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '')
      .trim()
      .normalize('NFC'),
  )
  .filter((text) => text !== '');
/** A name within the limit of octets for names in a record. */
const shortName = name
  .map((each) =>
    each
      .slice(0, 100)
      .replaceAll(/\p{Cs}/gu, '')
      .normalize('NFC')
      .trim(),
  )
  .filter((each) => each !== '');
const email = fc.oneof(
  fc.emailAddress(),
  fc.constantFrom('half', 'jürgen@exämple.test', '"a b"@example.test', 'a@x, b@y', 'a;b@c', 'x@[192.0.2.1]', '"a(b)"@c', 'a:b@c', 'ö@例え.テスト'),
);

const longestLine = (raw: Buffer | string): number =>
  Math.max(
    ...raw
      .toString('latin1')
      .split('\r\n')
      .map((line) => line.length),
  );

test('a text of any script survives as a folded field of ASCII', () => {
  assertProperty(
    fc.property(oneLine, (text) => {
      expect(readBack('Subject', { form: 'asText', value: text })).toBe(text);
      const written = field('Subject', { form: 'asText', value: text }).text;
      expect(written).toMatch(/^[\x20-\x7e\r\n\t]*$/);
      expect(longestLine(written)).toBeLessThanOrEqual(78);
    }),
    { numRuns },
  );
});

test('a tab in a text is kept or becomes a space', () => {
  expect(readBack('Subject', { form: 'asText', value: 'a\tb' })).toBe('a\tb');
  expect(readBack('Subject', { form: 'asText', value: 'ä\tö' })).toBe('ä ö');
});

test('addresses and groups survive with their names, and no address is added', () => {
  const address = fc.record({ name: fc.option(name), email });
  const group = fc.record({
    name,
    addresses: fc.array(
      address.filter((each) => !each.email.includes(';')),
      { maxLength: 3 },
    ),
  });
  assertProperty(
    fc.property(fc.array(address, { minLength: 1, maxLength: 5 }), (addresses) => {
      expect(readBack('To', { form: 'asAddresses', value: addresses })).toEqual(addresses);
    }),
    { numRuns },
  );
  expect(readBack('To', { form: 'asAddresses', value: [{ name: null, email: 'a(b)@c' }] })).toEqual([{ name: null, email: '"a(b)"@c' }]);
  assertProperty(
    fc.property(fc.array(group, { minLength: 1, maxLength: 3 }), (groups) => {
      expect(readBack('To', { form: 'asGroupedAddresses', value: groups })).toEqual(groups);
    }),
    { numRuns },
  );
});

test('message ids, URLs, dates and raw values survive', () => {
  assertProperty(
    fc.property(fc.array(fc.emailAddress(), { minLength: 1, maxLength: 30 }), (ids) => {
      expect(readBack('References', { form: 'asMessageIds', value: ids })).toEqual(ids);
    }),
    { numRuns },
  );
  assertProperty(
    fc.property(fc.array(fc.webUrl({ withQueryParameters: true }), { minLength: 1, maxLength: 5 }), (urls) => {
      expect(readBack('List-Unsubscribe', { form: 'asURLs', value: urls })).toEqual(urls);
    }),
    { numRuns },
  );
  assertProperty(
    fc.property(
      fc.date({ min: new Date('1900-01-02'), max: new Date('9999-12-30'), noInvalidDate: true }),
      fc.integer({ min: -1439, max: 1439 }),
      (date, minutes) => {
        const size = Math.abs(minutes);
        const zone = `${minutes < 0 ? '-' : '+'}${String(Math.floor(size / 60)).padStart(2, '0')}:${String(size % 60).padStart(2, '0')}`;
        const text = `${date.toISOString().slice(0, 19)}${minutes === 0 ? 'Z' : zone}`;
        expect(readBack('Date', { form: 'asDate', value: text })).toBe(text);
      },
    ),
    { numRuns },
  );
  assertProperty(
    fc.property(oneLine, (text) => {
      fc.pre(Buffer.byteLength(text) < 900);
      expect(readBack('X-Raw', { form: 'asRaw', value: text })).toBe(text);
    }),
    { numRuns },
  );
});

test('an empty list of addresses is no field, and values that would end a field are refused', () => {
  expect(composeField('To', { form: 'asAddresses', value: [] })).toBeUndefined();
  const refused: readonly HeaderValue[] = [
    { form: 'asText', value: 'a\r\nBcc: x@example.test' },
    { form: 'asText', value: 'a\nb' },
    { form: 'asText', value: 'a\0b' },
    { form: 'asText', value: 'a\rb' },
    { form: 'asRaw', value: ' a\r\nBcc: x' },
    { form: 'asRaw', value: ' a\r\n\r\nbody' },
    { form: 'asRaw', value: ' a\r\n \r\n b' },
    { form: 'asRaw', value: ' a\r\n' },
    { form: 'asRaw', value: ` ${'x'.repeat(998)}` },
    { form: 'asAddresses', value: [{ name: 'a\r\nBcc: x', email: 'a@b' }] },
    { form: 'asAddresses', value: [{ name: null, email: 'a@b>\r\nBcc: x' }] },
    { form: 'asAddresses', value: [{ name: null, email: 'a@b>, <c@d' }] },
    { form: 'asAddresses', value: [{ name: null, email: '' }] },
    { form: 'asAddresses', value: [{ name: 'x', email: `${'x'.repeat(1000)}@b` }] },
    { form: 'asGroupedAddresses', value: [{ name: 'g', addresses: [{ name: null, email: 'a;b@c' }] }] },
    { form: 'asGroupedAddresses', value: [{ name: ' ', addresses: [] }] },
    { form: 'asMessageIds', value: ['a b@c'] },
    { form: 'asMessageIds', value: ['a>\r\n'] },
    { form: 'asMessageIds', value: [''] },
    { form: 'asURLs', value: ['https://example.test/>'] },
    { form: 'asURLs', value: ['https://example.test/ö'] },
    { form: 'asDate', value: '1899-12-31T00:00:00Z' },
    { form: 'asDate', value: '2026-02-30T00:00:00Z' },
  ];
  expect(
    refused.filter((header) => {
      try {
        return composeField('X-Test', header);
      } catch (error) {
        return !(error instanceof UnwritableValue);
      }
    }),
  ).toEqual([]);
  for (const name of ['', 'A B', 'A:B', 'Ü', 'a\r\nb', 'x'.repeat(200)]) {
    expect(() => composeField(name, { form: 'asText', value: 'x' })).toThrow(UnwritableValue);
  }
});

test('a raw value keeps its folding, and only lines of more than 998 octets are folded', () => {
  expect(field('References', { form: 'asRaw', value: ' <a@b>\r\n\t<c@d>' }).text).toBe('References: <a@b>\r\n\t<c@d>');
  expect(field('References', { form: 'asRaw', value: ' <a@b>\n <c@d>' }).text).toBe('References: <a@b>\r\n <c@d>');
  const long = Array.from({ length: 400 }, (_, index) => `word${index}`).join(' ');
  const { text } = field('X-Long', { form: 'asRaw', value: ` ${long}` });
  // A first word without a blank before it would begin a field on a line of its own.
  expect(field('X', { form: 'asRaw', value: `Bcc:${'x'.repeat(80)} ${long}` }).text).toMatch(/^X:Bcc:x{80}\r\n word0 /);
  expect(longestLine(text)).toBeLessThanOrEqual(78);
  expect(asText(parseHeaderFields(Buffer.from(text))[0]!)).toBe(long);
});

test('a word that begins with a blank beyond ASCII is encoded', () => {
  for (const blank of ['\u00A0', '\u2003', '\uFEFF']) {
    const { text } = field('Subject', { form: 'asText', value: `one ${blank}two` });
    expect(text).toMatch(/^[ -~]+$/);
    expect(field('To', { form: 'asAddresses', value: [{ name: `one ${blank}two`, email: 'a@b.example' }] }).text).toMatch(/^[ -~]+$/);
  }
});

test('the text of a body survives, in lines of at most 998 octets of ASCII', () => {
  const line = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme', maxLength: 200 }),
    fc.string({ minLength: 990, maxLength: 1010 }),
    fc.constantFrom('', ' ', 'a ', 'a\t', '-- ', '--=_test1', '--=_test1--', '.', 'From me', 'a\rb', '>From', 'Bcc: x@example.test'),
  );
  assertProperty(
    fc.property(fc.array(line, { maxLength: 8 }), fc.constantFrom('text/plain', 'text/html', 'application/json'), fc.boolean(), (lines, type, isMixed) => {
      const text = lines.join('\n').replaceAll('\r\n', '\n');
      const root = isMixed ? bodyStructureOf({ text: textPart(text, type), attachments: [filePart(Buffer.from('file'))] }) : textPart(text, type);
      const raw = composed({ fields: [], root });
      const { bodyStructure } = parseMessage(raw).email;
      const part = isMixed ? bodyStructure.subParts![0]! : bodyStructure;
      expect(valueOf(raw, part)).toBe(text);
      expect(part.type).toBe(type);
      if (isMixed) expect(bodyStructure.subParts).toHaveLength(2);
      expect(longestLine(raw)).toBeLessThanOrEqual(998);
      expect(raw.every((octet) => octet < 128)).toBe(true);
    }),
    { numRuns },
  );
});

test('a text is 7bit if possible, quoted-printable when it is mostly ASCII, and base64 otherwise', () => {
  const encodingOf = (text: string) => /Content-Transfer-Encoding: (\S+)/.exec(composed({ fields: [], root: textPart(text) }).toString())?.[1];
  expect(encodingOf('plain\nflowed \ntext')).toBeUndefined();
  expect(encodingOf('x'.repeat(998))).toBeUndefined();
  expect(encodingOf('x'.repeat(999))).toBe('quoted-printable');
  expect(encodingOf('a mostly plain text — with a dash')).toBe('quoted-printable');
  expect(encodingOf('日本語のテキスト')).toBe('base64');
});

test('format=flowed and its trailing spaces are unchanged', () => {
  const text = 'a paragraph \nthat flows\n-- \nsignature';
  const flowed = new Map([
    ['format', 'flowed'],
    ['delsp', 'yes'],
    ['charset', 'iso-8859-1'],
  ]);
  const raw = composed({ fields: [], root: { ...textPart(text), type: { value: 'text/plain', parameters: flowed } } });
  expect(raw.toString()).toContain('Content-Type: text/plain; charset=utf-8; format=flowed; delsp=yes\r\n');
  expect(raw.toString()).toContain('\r\n\r\na paragraph \r\nthat flows\r\n-- \r\nsignature');
});

test('attachments keep their octets and odd names, and an independent reader agrees', async () => {
  const file = fc.record({ octets: fc.uint8Array({ maxLength: 2000 }), name: shortName });
  await assertProperty(
    fc.asyncProperty(oneLine, shortName, fc.array(file, { minLength: 1, maxLength: 4 }), async (subject, from, files) => {
      const raw = composed({
        fields: [
          field('Subject', { form: 'asText', value: subject }),
          field('From', { form: 'asAddresses', value: [{ name: from, email: 'a@example.test' }] }),
        ],
        root: bodyStructureOf({
          text: textPart('Hällo'),
          html: textPart('<p>Hällo</p>', 'text/html'),
          attachments: files.map((each) => filePart(Buffer.from(each.octets), { name: each.name })),
        }),
      });
      const { email: parsed } = parseMessage(raw);
      const { textBody, htmlBody, attachments } = bodyLists(parsed.bodyStructure);
      expect([parsed.subject, parsed.from]).toEqual([subject, [{ name: from, email: 'a@example.test' }]]);
      expect([textBody, htmlBody].map(([part]) => valueOf(raw, part!))).toEqual(['Hällo', '<p>Hällo</p>']);
      expect(attachments.map((part) => part.name)).toEqual(files.map((each) => each.name));
      expect(attachments.map((part) => contentOf(raw, part))).toEqual(files.map((each) => Buffer.from(each.octets)));
      expect(attachments.map((part) => part.disposition)).toEqual(files.map(() => 'attachment'));

      // The other reader decodes encoded words in values of RFC 2231 too, where they are plain text.
      if (files.some((each) => each.name.includes('=?'))) return;
      const other = await PostalMime.parse(raw);
      expect(other.subject?.normalize('NFC').trim() ?? '').toBe(subject.trim());
      expect(other.from).toMatchObject({ name: from, address: 'a@example.test' });
      expect([other.text, other.html].map((text) => text?.trimEnd())).toEqual(['Hällo', '<p>Hällo</p>']);
      expect(other.attachments.map(({ filename, content }) => [filename, Buffer.from(content as ArrayBuffer)])).toEqual(
        files.map((each) => [each.name, Buffer.from(each.octets)]),
      );
    }),
    { numRuns: Math.ceil(numRuns / 4) },
  );
});

test('a bodyStructure is written as requested, with the properties of its parts', () => {
  const root: NewPart = {
    type: { value: 'multipart/mixed' },
    fields: [],
    language: ['en', 'de-AT'],
    content: {
      subParts: [
        {
          type: {
            value: 'multipart/related',
            parameters: new Map([
              ['start', '<h@x>'],
              ['boundary', 'theirs'],
            ]),
          },
          fields: [],
          content: {
            subParts: [
              { ...textPart('<img src="cid:i@x">', 'text/html'), cid: 'h@x' },
              filePart(Buffer.from([1, 2, 3]), {
                type: { value: 'image/png' },
                cid: 'i@x',
                disposition: { value: 'inline' },
                location: 'https://example.test/ä.png',
              }),
            ],
          },
        },
        filePart(Buffer.from('Subject: in\r\n\r\nit'), { type: { value: 'message/rfc822' }, name: 'a "quoted" name.eml' }),
        filePart(Buffer.from('ä', 'latin1'), {
          type: { value: 'text/csv' },
          charset: 'iso-8859-1',
          fields: [field('Content-Description', { form: 'asText', value: 'Units of Ünal' })],
        }),
      ],
    },
  };
  const raw = composed({ fields: [field('Subject', { form: 'asText', value: 'Tree' })], root });
  const { bodyStructure } = parseMessage(raw).email;
  expect(bodyStructure).toMatchObject({
    type: 'multipart/mixed',
    language: ['en', 'de-AT'],
    subParts: [
      {
        type: 'multipart/related',
        subParts: [
          { type: 'text/html', cid: 'h@x', charset: 'utf-8' },
          { type: 'image/png', cid: 'i@x', disposition: 'inline', location: 'https://example.test/ä.png', encoding: 'base64', size: 3 },
        ],
      },
      { type: 'message/rfc822', encoding: 'identity', name: 'a "quoted" name.eml' },
      { type: 'text/csv', charset: 'iso-8859-1', encoding: 'base64' },
    ],
  });
  expect(raw.toString()).not.toContain('theirs');
  expect(raw.toString().match(/^MIME-Version: 1\.0$/gm)).toHaveLength(1);
  expect(raw.toString()).toContain('Content-Description: Units of =?utf-8?B?w5xuYWw=?=\r\n');
});

test.each([
  ['message/rfc822', 'Subject: a\r\n\r\nb\r\n', undefined],
  ['message/rfc822', 'Subject: ä\r\n\r\nb', '8bit'],
  ['message/rfc822', 'Subject: a\n\nb', 'binary'],
  ['message/rfc822', `a: ${'x'.repeat(999)}\r\n`, 'binary'],
  ['message/partial', 'a: \0', 'binary'],
  ['message/global', 'Subject: ä\r\n\r\nb', 'base64'],
  ['application/pdf', '%PDF', 'base64'],
])('a %s is written in the encoding that it may have: case %#', (type, octets, encoding) => {
  const raw = composed({ fields: [], root: filePart(Buffer.from(octets), { type: { value: type } }) });
  expect(/^Content-Transfer-Encoding: (.*)\r$/m.exec(raw.toString())?.[1]).toBe(encoding);
  expect(contentOf(raw, parseMessage(raw).email.bodyStructure).toString()).toBe(octets);
});

test('an attached message in a text property is never quoted-printable', () => {
  const encodingOf = (text: string) => parseMessage(composed({ fields: [], root: textPart(text, 'message/rfc822') })).email.bodyStructure.encoding;
  expect([encodingOf('Subject: a\n\nb'), encodingOf('Subject: a\n\nä')]).toEqual(['identity', 'identity']);
});

test('attachments of the largest size fit into the largest message', () => {
  const { octets } = encodeOctets(Buffer.alloc(mailLimits.maxSizeAttachmentsPerEmail), 'image/png');
  expect(octets.length + 2_000_000).toBeLessThan(emailLimits.maxSizeEmail);
});

test('lists become multipart/mixed, alternative and related, without levels of a single part', () => {
  const typesOf = ({ type, content }: NewPart): unknown => ('subParts' in content ? [type.value, content.subParts.map(typesOf)] : type.value);
  const [text, html, file] = [textPart('t'), textPart('h', 'text/html'), filePart(Buffer.from('f'))];
  const image = { ...file, type: { value: 'image/png' }, cid: 'i' };
  expect(typesOf(bodyStructureOf({ attachments: [] }))).toBe('text/plain');
  expect(typesOf(bodyStructureOf({ html, attachments: [] }))).toBe('text/html');
  expect(typesOf(bodyStructureOf({ text, html, attachments: [] }))).toEqual(['multipart/alternative', ['text/plain', 'text/html']]);
  expect(typesOf(bodyStructureOf({ html, attachments: [image] }))).toEqual(['multipart/related', ['text/html', 'image/png']]);
  expect(typesOf(bodyStructureOf({ text, attachments: [image] }))).toEqual(['multipart/mixed', ['text/plain', 'image/png']]);
  expect(typesOf(bodyStructureOf({ attachments: [file] }))).toEqual(['multipart/mixed', ['application/octet-stream']]);
  expect(typesOf(bodyStructureOf({ text, html, attachments: [image, file] }))).toEqual([
    'multipart/mixed',
    [['multipart/alternative', ['text/plain', ['multipart/related', ['text/html', 'image/png']]]], 'application/octet-stream'],
  ]);
  const attached = { ...image, disposition: { value: 'attachment' } };
  expect(typesOf(bodyStructureOf({ html, attachments: [attached] }))).toEqual(['multipart/mixed', ['text/html', 'image/png']]);
});
