import { randomBytes } from 'node:crypto';
import { documentedSaveDraft, documentedUpload } from '../support/documented-functions.ts';
import { accessTokenOf } from './access-tokens.ts';
import { describeWith, sandboxUser } from './deployment.ts';
import { bearer, eventually, httpRequest } from './http-requests.ts';
import { jmapClient, openMailbox, type JmapClient } from './jmap-client.ts';
import { sendMail, uniqueSubject } from './send-by-smtp.ts';

type Uploaded = { readonly accountId: string; readonly blobId: string; readonly type: string; readonly size: number };

describeWith('users')('blobs of an account', () => {
  const content = randomBytes(70_000);
  let alice: JmapClient;
  let bob: JmapClient;
  let uploaded: Uploaded;

  beforeAll(async () => {
    alice = await jmapClient(await accessTokenOf('alice'));
    bob = await jmapClient(await accessTokenOf('bob'));
    uploaded = (await alice.upload(content, 'image/png')).json as Uploaded;
  });

  test('an upload is described (RFC 8620 §6.1)', async () => {
    expect(await alice.upload(content, 'image/png')).toMatchObject({
      status: 200,
      json: { accountId: alice.accountId, blobId: uploaded.blobId, type: 'image/png', size: content.length },
    });
  });

  test('a download returns the same octets, with the requested type and name', async () => {
    const answer = await alice.download(uploaded.blobId, 'application/pdf', 'Grüße.pdf');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/pdf');
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment;/);
    expect(answer.headers.get('content-disposition')).toContain("filename*=UTF-8''Gr%C3%BC%C3%9Fe.pdf");
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(Buffer.from(await answer.arrayBuffer()).equals(content)).toBe(true);
  });

  test('a file name with % and ; and a type with parameters arrive, whatever the API does to the query', async () => {
    const answer = await alice.download(uploaded.blobId, 'text/plain; charset="utf-8"', '100% ;|é=;x.pdf');
    expect([answer.headers.get('content-type'), answer.headers.get('content-disposition')]).toEqual([
      'text/plain; charset="utf-8"',
      expect.stringContaining("filename*=UTF-8''100%25%20%3B%7C%C3%A9%3D%3Bx.pdf"),
    ]);
  });

  test('HEAD, Range and If-None-Match of a download follow HTTP, and web clients can read the responses', async () => {
    const head = await alice.requestDownload(uploaded.blobId, 'HEAD');
    const etag = head.headers.get('etag')!;
    expect({ status: head.status, ranges: head.headers.get('accept-ranges') }).toEqual({ status: 200, ranges: 'bytes' });
    const first = await alice.requestDownload(uploaded.blobId, 'GET', { range: 'bytes=0-0' });
    expect({ status: first.status, range: first.headers.get('content-range') }).toEqual({ status: 206, range: 'bytes 0-0/70000' });
    expect(Buffer.from(await first.arrayBuffer()).equals(content.subarray(0, 1))).toBe(true);
    const range = await alice.requestDownload(uploaded.blobId, 'GET', { range: 'bytes=69990-', 'if-range': etag, origin: 'https://mail.example' });
    expect({ status: range.status, range: range.headers.get('content-range') }).toEqual({ status: 206, range: 'bytes 69990-69999/70000' });
    expect(Buffer.from(await range.arrayBuffer()).equals(content.subarray(-10))).toBe(true);
    expect(range.headers.get('access-control-expose-headers')).toMatch(/content-range.*etag/i);
    expect((await alice.requestDownload(uploaded.blobId, 'GET', { 'if-none-match': etag })).status).toBe(304);
    expect((await alice.requestDownload(uploaded.blobId, 'GET', { range: 'bytes=70000-' })).status).toBe(416);
  });

  test('a second upload of the same content has the same blob id', async () => {
    expect((await alice.upload(content, 'image/png')).json).toMatchObject({ blobId: uploaded.blobId });
  });

  test('a user of another account cannot download the blob', async () => {
    expect((await bob.download(uploaded.blobId)).status).toBe(404);
    expect((await bob.download(uploaded.blobId, 'text/plain', 'x', alice.accountId)).status).toBe(404);
  });

  test.each(['B', 'P', 'U', 'Bnothing', '../secret', `U${'A'.repeat(22)}`, `P${'A'.repeat(22)}_0_9_i`])(
    'a download of the invalid blob id %s responds with 404',
    async (blobId) => {
      expect((await alice.download(blobId)).status).toBe(404);
    },
  );

  test('an upload into another user’s account is refused', async () => {
    const url = bob.session.uploadUrl.replace('{accountId}', alice.accountId);
    const answer = await httpRequest(url, { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain', ...bearer(await accessTokenOf('bob')) } });
    expect(answer.status).toBe(404);
  });

  test('an upload above maxSizeUpload is refused', async () => {
    const limit = alice.session.capabilities['urn:ietf:params:jmap:core']!['maxSizeUpload'] as number;
    const answer = await alice.upload(randomBytes(limit + 1), 'application/octet-stream');
    expect(answer).toMatchObject({ status: expect.any(Number), json: { type: 'urn:ietf:params:jmap:error:limit', limit: 'maxSizeUpload' } });
    expect(answer.status).toBeGreaterThanOrEqual(400);
  });

  test.each<[string, string, Buffer]>([
    ['a CSV in Latin-1', 'text/csv; charset=iso-8859-1', Buffer.from('Stra\xdfe;M\xfcnchen\r\n', 'latin1')],
    ['a text in UTF-16', 'text/plain; charset=utf-16', Buffer.from('\uFEFFGrüße', 'utf16le')],
    ['XML that is not well-formed', 'text/xml', Buffer.from('<a><b>\xff</a>', 'latin1')],
    ['JSON that is not UTF-8', 'application/json', Buffer.from([0x22, 0xc3, 0x28, 0x22])],
    ['a text with the replacement character', 'text/plain', Buffer.from('a\uFFFDb')],
  ])('an upload of %s keeps its octets', async (_, type, text) => {
    const answer = await alice.upload(text, type);
    expect(answer).toMatchObject({ status: 200, json: { type, size: text.length } });
    const download = await alice.download((answer.json as Uploaded).blobId);
    expect(Buffer.from(await download.arrayBuffer()).equals(text)).toBe(true);
  });

  test('a web client of another origin can upload, and can read a refusal', async () => {
    const url = alice.session.uploadUrl.replace('{accountId}', alice.accountId);
    const origin = { origin: 'https://mail.example' };
    const preflight = await fetch(url, {
      method: 'OPTIONS',
      headers: { ...origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization,content-type' },
    });
    expect(preflight.ok).toBe(true);
    expect(preflight.headers.get('access-control-allow-headers')).toMatch(/authorization/);
    const refused = await fetch(url, { method: 'POST', body: 'x', headers: { ...origin, 'content-type': 'text/plain' } });
    expect({ status: refused.status, origin: refused.headers.get('access-control-allow-origin') }).toEqual({ status: 401, origin: '*' });
    expect(refused.headers.get('access-control-expose-headers')).toMatch(/www-authenticate/i);
  });

  test('an upload of exactly maxSizeUpload is accepted', async () => {
    const limit = alice.session.capabilities['urn:ietf:params:jmap:core']!['maxSizeUpload'] as number;
    expect(await alice.upload(randomBytes(limit), 'application/octet-stream')).toMatchObject({ status: 200, json: { size: limit } });
  });

  test('uploads of 30 MB in total are joined by the code of docs/clients.md, and can be downloaded from the same host, whole and in ranges', async () => {
    const large = randomBytes(30_000_000);
    const { id, size } = await documentedUpload(fetch)(alice.session, await accessTokenOf('alice'), alice.accountId, large, 'application/zip');
    expect(size).toBe(large.length);
    const download = async (expected: Buffer, headers: Record<string, string> = {}) => {
      const answer = await alice.requestDownload(id, 'GET', headers);
      return { status: answer.status, redirected: answer.redirected, isEqual: Buffer.from(await answer.arrayBuffer()).equals(expected) };
    };
    expect(await download(large)).toEqual({ status: 200, redirected: false, isEqual: true });
    const range = large.subarray(5_000_000, 15_000_001);
    expect(await download(range, { range: 'bytes=5000000-15000000' })).toEqual({ status: 206, redirected: false, isEqual: true });
  });

  test('the code of docs/clients.md saves a draft with an attachment, which downloads', async () => {
    const { id, size } = await documentedSaveDraft(fetch)(alice.session, await accessTokenOf('alice'), alice.accountId, {
      from: [{ name: 'Alice', email: 'alice@example.test' }],
      to: [],
      subject: uniqueSubject('Draft'),
      text: 'See the file.',
      file: { content, type: 'image/png', name: 'Übersicht.png' },
    });
    const { emails } = await openMailbox(alice, 'drafts', ['id', 'size', 'attachments', 'preview']);
    const draft = emails.find((email) => email['id'] === id)!;
    expect(draft).toMatchObject({ size, preview: 'See the file.', attachments: [{ type: 'image/png', name: 'Übersicht.png', size: content.length }] });
    const [{ blobId }] = draft['attachments'] as [{ blobId: string }];
    expect(Buffer.from(await (await alice.download(blobId, 'image/png', 'x.png')).arrayBuffer()).equals(content)).toBe(true);
  });

  test('the blob of an Email is the raw message', async () => {
    await sendMail([sandboxUser('alice').email], { subject: uniqueSubject('Blob'), text: 'Hello' });
    const email = await eventually(async () => {
      const { emails } = await openMailbox(alice, 'inbox', ['blobId', 'size', 'subject']);
      expect(emails).not.toEqual([]);
      return emails.at(-1)!;
    });
    const answer = await alice.download(email['blobId'] as string, 'message/rfc822', 'message.eml');
    const raw = Buffer.from(await answer.arrayBuffer());
    expect(raw.length).toBe(email['size']);
    expect(raw.toString('latin1')).toMatch(/^Subject: /im);
    expect((await bob.download(email['blobId'] as string)).status).toBe(404);
  });
});
