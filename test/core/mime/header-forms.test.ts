import type { HeaderField } from '../../../core/mime/header-fields.ts';
import { asAddresses, asDate, asGroupedAddresses, asMessageIds, asRaw, asText, asURLs } from '../../../core/mime/header-forms.ts';

const field = (value: string | Buffer): HeaderField => ({ name: 'X', value: Buffer.from(value) });

describe('asRaw', () => {
  // @requirement 8621 §4.1.2.1 raw-form
  test('keeps folding and blanks, removes NUL, and replaces invalid UTF-8 by U+FFFD', () => {
    expect(asRaw(field(' one\r\n two\0'))).toBe(' one\r\n two');
    expect(asRaw(field(Buffer.from([0x20, 0xfc, 0x41])))).toBe(' \uFFFDA');
  });
});

describe('asText', () => {
  // @requirement 8621 §4.1.2.2 text-form
  test('unfolds, decodes encoded words and composes characters', () => {
    expect(asText(field(' =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=\r\n =?utf-8?B?IGF1cw==?= Rom'))).toBe('Grüße aus Rom');
    expect(asText(field(' Gru\u0308ße'))).toBe('Grüße');
  });
  test('decodes a character that is split between two encoded words', () => {
    expect(asText(field(' =?utf-8?B?4oI=?= =?utf-8?Q?=AC?='))).not.toBe('');
    expect(asText(field(' =?utf-8?Q?=E2=82?= =?utf-8?Q?=AC?='))).toBe('€');
  });
  test('decodes raw octets as UTF-8, else as Windows-1252', () => {
    expect(asText(field(' Grüße'))).toBe('Grüße');
    expect(asText(field(Buffer.from(' Gr\xfc\xdfe', 'latin1')))).toBe('Grüße');
  });
  // @requirement 8621 §4.1.2.2 text-form-encoded-words
  // @pitfall get unknown-charset
  test('keeps encoded words with an unknown charset or encoding', () => {
    expect(asText(field(' =?x-nonsense?Q?abc?= =?utf-8?Z?abc?= =?utf-8?Q?abc'))).toContain('abc');
  });
  test('removes NUL, also an encoded one', () => expect(asText(field(' a\0b =?utf-8?Q?c=00d?='))).toBe('ab cd'));
});

describe('asAddresses and asGroupedAddresses', () => {
  const example = field('"  James Smythe" <james@example.com>, Friends:\r\n  jane@example.com, =?UTF-8?Q?John_Sm=C3=AEth?=\r\n   <john@example.com>;');

  // @requirement 8621 §4.1.2.3 addresses-form
  test('parse the example of RFC 8621 §4.1.2.3', () => {
    expect(asAddresses(example)).toEqual([
      { name: 'James Smythe', email: 'james@example.com' },
      { name: null, email: 'jane@example.com' },
      { name: 'John Smîth', email: 'john@example.com' },
    ]);
  });
  // @requirement 8621 §4.1.2.4 grouped-addresses-form
  test('parse the example of RFC 8621 §4.1.2.4', () => {
    expect(asGroupedAddresses(example)).toEqual([
      { name: null, addresses: [{ name: 'James Smythe', email: 'james@example.com' }] },
      {
        name: 'Friends',
        addresses: [
          { name: null, email: 'jane@example.com' },
          { name: 'John Smîth', email: 'john@example.com' },
        ],
      },
    ]);
  });
  test('parse quoted commas, comments and empty groups', () => {
    expect(asAddresses(field(' "Doe, Jane" <jane@example.com>, bob@example.com (Bob)'))).toEqual([
      { name: 'Doe, Jane', email: 'jane@example.com' },
      { name: 'Bob', email: 'bob@example.com' },
    ]);
    expect(asGroupedAddresses(field(' undisclosed-recipients:;'))).toEqual([{ name: 'undisclosed-recipients', addresses: [] }]);
    expect(asAddresses(field(' undisclosed-recipients:;'))).toEqual([]);
  });
  test('do not find an address inside an encoded word', () => {
    expect(asAddresses(field(' =?utf-8?B?ZXZpbEBleGFtcGxlLmNvbQ==?= <real@example.com>'))).toEqual([{ name: 'evil@example.com', email: 'real@example.com' }]);
  });
  // @requirement 8621 §4.1.2.3 addresses-best-effort
  test('keep text that is not an address', () => expect(asAddresses(field(' root'))).toEqual([{ name: null, email: 'root' }]));
  test('accept addresses with characters beyond ASCII', () =>
    expect(asAddresses(field(' Jörg <jörg@exämple.test>'))).toEqual([{ name: 'Jörg', email: 'jörg@exämple.test' }]));
  test('are empty for an empty field', () => expect(asAddresses(field(' '))).toEqual([]));
});

describe('asMessageIds', () => {
  // @requirement 8621 §4.1.2.5 message-ids-form
  test('gives the texts in angle brackets, also when they are folded', () => {
    expect(asMessageIds(field(' <a@b> (comment)\r\n <c@\r\n d>,<e@f>'))).toEqual(['a@b', 'c@d', 'e@f']);
    expect(asMessageIds(field(' Your message of Monday <a@b>'))).toEqual(['a@b']);
  });
  test('skips comments, also those with brackets', () => {
    expect(asMessageIds(field(' <a@b> (in reply to <x@y>) <c@d>'))).toEqual(['a@b', 'c@d']);
  });
  test.each([
    ['a@b ', ['a@b']],
    ['a@b; c@d,e@f', ['a@b', 'c@d', 'e@f']],
    ['<a@b> c@d', ['a@b', 'c@d']],
    ['ann@x wrote on Monday <a@b>', ['a@b']],
    ['<a@b <c@d>', ['a@b', 'c@d']],
    ['<<a@b>>', ['a@b']],
    ['<a@b', ['a@b']],
    ['a@b>', ['a@b']],
    ['<a@b, c@d', ['a@b', 'c@d']],
    ['=?utf-8?q?=3Ca=40b=3E?=\r\n =?utf-8?q?=3Cc=40d=3E?=', ['a@b', 'c@d']],
  ])('reads ids that lack brackets or are encoded: %j', (value, ids) => expect(asMessageIds(field(` ${value}`))).toEqual(ids));
  test('leaves out an id that the limit of a field cuts', () => {
    const ids = asMessageIds(field(` ${'<one@example.com> '.repeat(20_000)}`))!;
    expect([ids.length > 10_000, new Set(ids)]).toEqual([true, new Set(['one@example.com'])]);
  });
  test('reads a field of any number of words', () => {
    expect(asMessageIds(field(` ${'a '.repeat(129_000)}<one@example.com>`))).toEqual(['one@example.com']);
  });
  test('is null without any id', () => {
    expect(asMessageIds(field(' '))).toBeNull();
    expect(asMessageIds(field(' <> <'))).toBeNull();
  });
});

// @requirement 8621 §4.1.2.7 urls-form
test('asURLs gives the URLs of a List-* field, or null', () => {
  expect(asURLs(field(' <https://example.com/leave?a=1>,\r\n <mailto:leave@example.com> (by mail)'))).toEqual([
    'https://example.com/leave?a=1',
    'mailto:leave@example.com',
  ]);
  expect(asURLs(field(' <https://example.com/(a)> (not <https://example.com/b>)'))).toEqual(['https://example.com/(a)']);
  expect(asURLs(field(' NO'))).toBeNull();
  expect(asURLs(field(' mailto:leave@example.com, https://example.com/b'))).toEqual(['mailto:leave@example.com', 'https://example.com/b']);
  expect(asURLs(field(' =?utf-8?q?=3Chttps=3A=2F=2Fexample=2Ecom=2Fu=3Fx=3D1=3E?='))).toEqual(['https://example.com/u?x=1']);
});

// @requirement 8621 §4.1.2.6 date-form
test('asDate keeps the UTC offset, or is null', () => {
  expect(asDate(field(' Sat, 21 Nov 2026 08:38:00\r\n +0100'))).toBe('2026-11-21T08:38:00+01:00');
  expect(asDate(field(' soon'))).toBeNull();
  expect(asDate(field(' =?utf-8?q?Sat=2C_21_Nov_2026_08=3A38=3A00_+0100?='))).toBe('2026-11-21T08:38:00+01:00');
});
