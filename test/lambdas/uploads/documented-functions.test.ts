import { randomBytes } from 'node:crypto';
import type { HttpResponse } from '../../../core/runtime/http/http.ts';
import { jmapGate } from '../../../core/runtime/http/jmap-gate.ts';
import { serveUploads } from '../../../lambdas/uploads/serve-uploads.ts';
import { memoryLog } from '../../fakes/memory-log.ts';
import { uploadRequest } from '../../support/blob-requests.ts';
import { documentedSaveDraft, documentedUpload } from '../../support/documented-functions.ts';
import { jmapDeploymentPerTest, settings, type Json } from '../jmap/jmap-deployment.ts';

const deployment = jmapDeploymentPerTest();
let requests: string[];
beforeEach(() => {
  requests = [];
});

/** Passes a request to the Lambda of its path, as API Gateway does. */
const fetchFrom = async (url: string, { method, headers, body }: { method: string; headers: Record<string, string>; body: Uint8Array | string }) => {
  const { pathname } = new URL(url);
  requests.push(`${method} ${pathname}`);
  const { jmap, objects, verify, now } = deployment;
  const uploads = serveUploads({
    gate: jmapGate(verify, settings.jmapUrl),
    principals: jmap.principals,
    objects,
    clock: now,
    uploadedOctets: jmap.dependencies.uploadedOctets,
    jmapUrl: settings.jmapUrl,
    log: memoryLog(),
  });
  const response: HttpResponse =
    pathname === '/jmap'
      ? await deployment.http(method, pathname, { token: headers['authorization']!.slice('Bearer '.length), body: body as string })
      : await uploads(uploadRequest(pathname.slice('/upload/'.length), Buffer.from(body), headers, { path: pathname }));
  return { status: response.statusCode, json: async () => JSON.parse(response.body!) as Json };
};

describe('the upload of large content in docs/clients.md', () => {
  const upload = async (content: Buffer, token = 'alice') => {
    const session = JSON.parse((await deployment.http('GET', '/.well-known/jmap', { token })).body!) as Json;
    return documentedUpload(fetchFrom as unknown as typeof fetch)(session, token, 'acc_alice', content, 'application/pdf');
  };

  test('uploads 30 MB in pieces and joins them to one blob', async () => {
    const content = randomBytes(30_000_000);
    const { id, type, size } = await upload(content);
    expect({ type, size }).toEqual({ type: 'application/pdf', size: 30_000_000 });
    expect((await deployment.objects.get(`uploads/acc_alice/${id.slice(1)}`))!.bytes.equals(content)).toBe(true);
    expect(requests).toEqual([...Array.from({ length: 7 }, () => 'POST /upload/acc_alice'), 'POST /jmap']);
  });

  test('joins no pieces to an empty blob', async () => {
    expect(await upload(Buffer.alloc(0))).toMatchObject({ size: 0 });
  });

  test('throws the server’s error for content above maxSizeBlobSet, and for a token without MAIL_WRITE', async () => {
    await expect(upload(Buffer.alloc(40_000_001))).rejects.toThrow(/maxSizeBlobSet/);
    await expect(upload(Buffer.alloc(1), 'reader')).rejects.toThrow(/MAIL_WRITE/);
  });
});

describe('the draft with an attachment in docs/clients.md', () => {
  const session = async () => JSON.parse((await deployment.http('GET', '/.well-known/jmap')).body!) as Json;
  const draft = {
    from: [{ name: 'Alice', email: 'alice@example.test' }],
    to: [{ name: 'Bøb', email: 'bob@example.test' }],
    subject: 'Grüße',
    text: 'Hello\nBob',
    file: { content: Buffer.from('a,b\n'), type: 'text/csv', name: 'Übersicht.csv' },
  };
  const save = async (given: typeof draft) => documentedSaveDraft(fetchFrom as unknown as typeof fetch)(await session(), 'alice', 'acc_alice', given);

  test('saves the draft', async () => {
    const { id } = await save(draft);
    const { list } = await deployment.call('Email/get', { ids: [id], fetchTextBodyValues: true });
    expect(list[0]).toMatchObject({
      from: draft.from,
      to: draft.to,
      subject: 'Grüße',
      keywords: { $draft: true, $seen: true },
      hasAttachment: true,
      attachments: [{ type: 'text/csv', name: 'Übersicht.csv', size: 4 }],
    });
    expect(Object.values(list[0].bodyValues as Json)).toMatchObject([{ value: 'Hello\nBob' }]);
  });

  test('throws the server’s error for a line break in the subject', async () => {
    await expect(save({ ...draft, subject: 'a\nBcc: b@example.test' })).rejects.toThrow(/subject: .*line break/);
  });
});
