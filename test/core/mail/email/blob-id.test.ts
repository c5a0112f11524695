import { emailIdOf, messageBlobId, messageKey, partBlobId, parseBlobId, uploadBlobId, uploadKey } from '../../../../core/mail/email/blob-id.ts';

const key = messageKey('acc_1', 'ses-message');
const part = (encoding?: 'identity' | 'base64' | 'quoted-printable') => ({
  range: { start: 40, end: 4_000_000 },
  encoding,
  headers: { start: 0, end: 38 },
  size: 1,
  type: 'text/plain',
});

// @requirement 8620 §1.2 id-characters
test('blob ids and Email ids are JMAP Ids', () => {
  for (const id of [emailIdOf(key), messageBlobId(key), uploadBlobId(uploadKey(Buffer.from('x'))), partBlobId(messageBlobId(key), part('base64'))])
    expect(id).toMatch(/^[A-Za-z0-9_-]{1,255}$/);
});

test('a message has the same key every time, and a different one in another account', () => {
  expect(messageKey('acc_1', 'ses-message')).toBe(key);
  expect(messageKey('acc_2', 'ses-message')).not.toBe(key);
});

test('parseBlobId returns the reference that the blob id encodes', () => {
  expect(parseBlobId(messageBlobId(key))).toEqual({ kind: 'message', key });
  const upload = uploadKey(Buffer.from('content'));
  expect(parseBlobId(uploadBlobId(upload))).toEqual({ kind: 'upload', key: upload });
  for (const encoding of ['identity', 'base64', 'quoted-printable'] as const) {
    expect(parseBlobId(partBlobId(messageBlobId(key), part(encoding))!)).toEqual({ kind: 'part', key, start: 40, end: 4_000_000, encoding });
  }
});

test('a part with an unknown encoding has the encoding identity', () => {
  expect(parseBlobId(partBlobId(messageBlobId(key), part())!)).toMatchObject({ encoding: 'identity' });
});

test('a multipart has no blob id', () => {
  expect(partBlobId(messageBlobId(key), { headers: { start: 0, end: 0 }, size: 0, type: 'multipart/mixed', subParts: [] })).toBeUndefined();
});

test.each([
  '',
  'B',
  `B${key}x`,
  `B${key}/`,
  `X${key}`,
  `P${key}`,
  `P${key}_0_1`,
  `P${key}_0_1_z`,
  `P${key}_2_1_i`,
  `P${key}_-1_1_i`,
  `P${key}_0_1_i `,
  'B../../../../../../etc/pw',
])('%j is not a blob id', (text) => {
  expect(parseBlobId(text)).toBeUndefined();
});
