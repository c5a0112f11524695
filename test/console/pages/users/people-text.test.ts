import { decodePeopleFile } from '../../../../console/pages/users/people-text.ts';

const text = 'email\nzoë@firm.example';
const isLatin1 = false;

test.each([
  ['UTF-8', new TextEncoder().encode(text), { text, isLatin1 }],
  ['UTF-8 with a byte order mark', new TextEncoder().encode(`\ufeff${text}`), { text, isLatin1 }],
  ['UTF-16 with a byte order mark', new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le')), { text, isLatin1 }],
  ['UTF-16 without one', new Uint8Array(Buffer.from(text, 'utf16le')), { text, isLatin1 }],
  ['Windows-1252', new Uint8Array(Buffer.from(text, 'latin1')), { text, isLatin1: true }],
  ['nothing', new Uint8Array(), { text: '', isLatin1 }],
])('a file of people in %s is decoded', (_, file, decoded) => {
  expect(decodePeopleFile(file)).toEqual(decoded);
});
