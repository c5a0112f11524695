import { parseHeaderFields, lastField, type HeaderField } from '../../../core/mime/header-fields.ts';
import { asAddresses, asDate, asGroupedAddresses, asMessageIds, asRaw, asText, asURLs } from '../../../core/mime/header-forms.ts';

const field = (value: string | Buffer): HeaderField => ({ name: 'X', value: Buffer.from(value) });

describe('the fields of a header block', () => {
  test('come in order, with what follows the colon as it stands', () => {
    const fields = parseHeaderFields(Buffer.from('A: one\r\nb:two\r\n  folded\r\nA:\tthree\n\r\n'));
    expect(fields.map(({ name, value }) => [name, value.toString()])).toEqual([['A', ' one'], ['b', 'two\r\n  folded'], ['A', '\tthree']]);
    expect(lastField(fields, 'a')?.value.toString()).toBe('\tthree');
  });

  test('survive lines that are none', () => {
    const fields = parseHeaderFields(Buffer.from('From someone Mon Jan 1\nA: one\nno colon here\n continued\nB : two'));
    expect(fields.map(({ name }) => name)).toEqual(['A', 'B']);
    expect(asText(fields[0]!)).toBe('one');
  });
});

describe('asRaw', () => {
  test('keeps folding and blanks, drops NUL, and shows what is not UTF-8 as U+FFFD', () => {
    expect(asRaw(field(' one\r\n two\0'))).toBe(' one\r\n two');
    expect(asRaw(field(Buffer.from([0x20, 0xfc, 0x41])))).toBe(' \uFFFDA');
  });
});

describe('asText', () => {
  test('is unfolded, decoded and composed', () => {
    expect(asText(field(' =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=\r\n =?utf-8?B?IGF1cw==?= Rom'))).toBe('Grüße aus Rom');
    expect(asText(field(' Gru\u0308ße'))).toBe('Grüße');
  });
  test('decodes a character that is split between two encoded words', () => {
    expect(asText(field(' =?utf-8?B?4oI=?= =?utf-8?Q?=AC?='))).not.toBe('');
    expect(asText(field(' =?utf-8?Q?=E2=82?= =?utf-8?Q?=AC?='))).toBe('€');
  });
  test('takes raw UTF-8, and raw octets of nothing in particular as Latin', () => {
    expect(asText(field(' Grüße'))).toBe('Grüße');
    expect(asText(field(Buffer.from(' Gr\xfc\xdfe', 'latin1')))).toBe('Grüße');
  });
  test('survives encoded words of no charset or of none that is known', () => {
    expect(asText(field(' =?x-nonsense?Q?abc?= =?utf-8?Z?abc?= =?utf-8?Q?abc'))).toContain('abc');
  });
  test('has no NUL, not even an encoded one', () => expect(asText(field(' a\0b =?utf-8?Q?c=00d?='))).toBe('ab cd'));
});

describe('asAddresses and asGroupedAddresses', () => {
  const example = field('"  James Smythe" <james@example.com>, Friends:\r\n  jane@example.com, =?UTF-8?Q?John_Sm=C3=AEth?=\r\n   <john@example.com>;');

  test('read the example of RFC 8621 §4.1.2.3', () => {
    expect(asAddresses(example)).toEqual([
      { name: 'James Smythe', email: 'james@example.com' }, { name: null, email: 'jane@example.com' }, { name: 'John Smîth', email: 'john@example.com' },
    ]);
  });
  test('read the example of RFC 8621 §4.1.2.4', () => {
    expect(asGroupedAddresses(example)).toEqual([
      { name: null, addresses: [{ name: 'James Smythe', email: 'james@example.com' }] },
      { name: 'Friends', addresses: [{ name: null, email: 'jane@example.com' }, { name: 'John Smîth', email: 'john@example.com' }] },
    ]);
  });
  test('know commas within quotes, comments, and groups of nobody', () => {
    expect(asAddresses(field(' "Doe, Jane" <jane@example.com>, bob@example.com (Bob)'))).toEqual([{ name: 'Doe, Jane', email: 'jane@example.com' }, { name: 'Bob', email: 'bob@example.com' }]);
    expect(asGroupedAddresses(field(' undisclosed-recipients:;'))).toEqual([{ name: 'undisclosed-recipients', addresses: [] }]);
    expect(asAddresses(field(' undisclosed-recipients:;'))).toEqual([]);
  });
  test('make no address of an encoded word', () => {
    expect(asAddresses(field(' =?utf-8?B?ZXZpbEBleGFtcGxlLmNvbQ==?= <real@example.com>'))).toEqual([{ name: 'evil@example.com', email: 'real@example.com' }]);
  });
  test('keep what is no address', () => expect(asAddresses(field(' root'))).toEqual([{ name: null, email: 'root' }]));
  test('take addresses beyond ASCII', () => expect(asAddresses(field(' Jörg <jörg@exämple.test>'))).toEqual([{ name: 'Jörg', email: 'jörg@exämple.test' }]));
  test('of nothing are none', () => expect(asAddresses(field(' '))).toEqual([]));
});

describe('asMessageIds', () => {
  test('are what is between angle brackets, wherever the line was folded', () => {
    expect(asMessageIds(field(' <a@b> (comment)\r\n <c@\r\n d>,<e@f>'))).toEqual(['a@b', 'c@d', 'e@f']);
    expect(asMessageIds(field(' Your message of Monday <a@b>'))).toEqual(['a@b']);
  });
  test('may lack their brackets if there is one', () => expect(asMessageIds(field(' a@b '))).toEqual(['a@b']));
  test('are null when there is none', () => {
    expect(asMessageIds(field(' '))).toBeNull();
    expect(asMessageIds(field(' <> <'))).toBeNull();
  });
});

test('asURLs are those of a List field', () => {
  expect(asURLs(field(' <https://example.com/leave?a=1>,\r\n <mailto:leave@example.com> (by mail)'))).toEqual(['https://example.com/leave?a=1', 'mailto:leave@example.com']);
  expect(asURLs(field(' NO'))).toBeNull();
});

test('asDate keeps the offset', () => {
  expect(asDate(field(' Sat, 21 Nov 2026 08:38:00\r\n +0100'))).toBe('2026-11-21T08:38:00+01:00');
  expect(asDate(field(' soon'))).toBeNull();
});
