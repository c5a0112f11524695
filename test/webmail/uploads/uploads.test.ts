import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { blobLimits, capability } from '../../../contract/jmap/core.ts';
import { jmapGate } from '../../../core/runtime/http/jmap-gate.ts';
import { serveUploads } from '../../../lambdas/uploads/serve-uploads.ts';
import { createRequests } from '../../../webmail/jmap/requests.ts';
import type { Session } from '../../../webmail/jmap/types.ts';
import { createUploads, type SendBody } from '../../../webmail/uploads/uploads.ts';
import { memoryLog } from '../../fakes/memory-log.ts';
import { jmapDeploymentPerTest, settings } from '../../lambdas/jmap/jmap-deployment.ts';
import { uploadRequest } from '../../support/blob-requests.ts';

const deployment = jmapDeploymentPerTest();
const accountId = 'acc_alice';
const maxSizeUpload = 1000;

type Fault = Response | Error | 'lost' | undefined;
type Given = {
  readonly faults?: Fault[];
  readonly joinFaults?: Fault[];
  readonly blob?: object | null;
  readonly tokens?: readonly string[];
  readonly maxConcurrentUpload?: number;
};

/** A page whose uploads reach the real handlers, unless the network has a fault for them. */
const start = async ({ faults = [], joinFaults = [], blob, tokens = ['alice'], maxConcurrentUpload = 4 }: Given = {}) => {
  const real = JSON.parse((await deployment.http('GET', '/.well-known/jmap')).body!) as Session;
  const core = { ...(real.capabilities[capability.core] as object), maxSizeUpload, maxConcurrentUpload };
  const account = real.accounts[accountId]!;
  const { [capability.blob]: realBlob, ...others } = account.accountCapabilities!;
  const accountCapabilities = blob === null ? others : { ...others, [capability.blob]: blob ?? realBlob };
  const session: Session = {
    ...real,
    capabilities: { ...real.capabilities, [capability.core]: core },
    accounts: { ...real.accounts, [accountId]: { ...account, accountCapabilities } },
  };
  const waited: number[] = [];
  const sent: string[] = [];
  let [renewed, running, most] = [0, 0, 0];
  const accessToken = async (refused?: string) => tokens[refused === undefined ? renewed : (renewed += 1)] ?? 'none';
  const wait = async (milliseconds: number) => {
    waited.push(milliseconds);
    await setImmediate();
  };
  const serve = serveUploads({
    gate: jmapGate(deployment.verify, settings.jmapUrl),
    principals: deployment.jmap.principals,
    objects: deployment.objects,
    clock: deployment.now,
    uploadedOctets: deployment.jmap.dependencies.uploadedOctets,
    jmapUrl: settings.jmapUrl,
    log: memoryLog(),
  });
  const send: SendBody = async (url, { headers, body, signal, onProgress }) => {
    most = Math.max(most, (running += 1));
    try {
      await setImmediate();
      signal.throwIfAborted();
      sent.push(`${headers['content-type']} ${body.size}`);
      onProgress(Math.floor(body.size / 2));
      const fault = faults.shift();
      if (fault instanceof Error) throw fault;
      if (fault instanceof Response) return fault;
      const octets = Buffer.from(await body.arrayBuffer());
      onProgress(body.size);
      const { pathname } = new URL(url);
      const answer = await serve(uploadRequest(pathname.slice('/upload/'.length), octets, headers, { path: pathname }));
      if (fault === 'lost') throw new TypeError('the answer was lost');
      return new Response(answer.body, { status: answer.statusCode, headers: answer.headers as Record<string, string> });
    } finally {
      running -= 1;
    }
  };
  const requests = createRequests({
    session: () => session,
    accessToken,
    wait,
    onConnection: () => undefined,
    fetch: async (_, { body }) => {
      const fault = joinFaults.shift();
      if (fault instanceof Error) throw fault;
      if (fault instanceof Response) return fault;
      const answer = await deployment.http('POST', '/jmap', { body });
      if (fault === 'lost') throw new TypeError('the answer was lost');
      return new Response(answer.body, { status: answer.statusCode! });
    },
  });
  return { uploads: createUploads({ session: () => session, accessToken, requests, send, wait }), sent, waited, most: () => most };
};

const stored = async (blobId: string) => (await deployment.objects.get(`uploads/${accountId}/${blobId.slice(1)}`))!.bytes;
const fileOf = (content: Buffer<ArrayBuffer>) => new Blob([content]);
const problem = (status: number, headers = {}) => new Response(JSON.stringify({ detail: 'why' }), { status, headers });
const broken = () => new TypeError('network');

test.each([
  [0, ['application/pdf 0']],
  [1, ['application/pdf 1']],
  [maxSizeUpload, ['application/pdf 1000']],
  [maxSizeUpload + 1, ['application/octet-stream 1000', 'application/octet-stream 1']],
  [12_345, [...Array.from({ length: 12 }, () => 'application/octet-stream 1000'), 'application/octet-stream 345']],
])('a file of %i octets is a blob with the same octets', async (size, pieces) => {
  const { uploads, sent, most } = await start();
  const content = randomBytes(size);
  const heard: string[] = [];
  const uploaded = await uploads.upload({
    accountId,
    file: fileOf(content),
    type: 'application/pdf',
    onProgress: (octets, all) => heard.push(`${octets}/${all}`),
  });
  expect(uploaded).toMatchObject({ type: 'application/pdf', size });
  expect((await stored(uploaded.blobId)).equals(content)).toBe(true);
  expect(sent).toEqual(pieces);
  expect([heard[0], heard.at(-1)]).toEqual([`0/${size}`, `${size}/${size}`]);
  expect(most()).toBe(Math.min(4, pieces.length));
});

test('equal pieces are joined', async () => {
  const { uploads } = await start();
  const { blobId } = await uploads.upload({ accountId, file: fileOf(Buffer.alloc(3500)), type: '' });
  expect((await stored(blobId)).equals(Buffer.alloc(3500))).toBe(true);
});

test.each([
  ['text/plain; charset=utf-8', 'text/plain'],
  ['IMAGE/PNG', 'image/png'],
  ['', 'application/octet-stream'],
  ['text/plain\r\nx: y', 'application/octet-stream'],
  ['pdf', 'application/octet-stream'],
])('a file of the type %j gets a type that is safe in a header: %s', async (given, type) => {
  const { uploads } = await start();
  for (const size of [10, 1500]) expect(await uploads.upload({ accountId, file: new Blob(['x'.repeat(size)]), type: given })).toMatchObject({ type });
});

test.each<[string, number, object | null, string]>([
  ['without Blob/upload', maxSizeUpload + 1, null, '1 kB'],
  ['above maxSizeBlobSet', 1501, { ...blobLimits, maxSizeBlobSet: 1500 }, '1.5 kB'],
  ['with more pieces than maxDataSources', 3001, { maxSizeBlobSet: null, maxDataSources: 3 }, '3 kB'],
  ['with more pieces than every server allows', 64_001, { maxSizeBlobSet: null, maxDataSources: null }, '64 kB'],
])('a file %s is refused with the limit before anything is sent', async (_, size, blob, limit) => {
  const { uploads, sent } = await start({ blob });
  await expect(uploads.upload({ accountId, file: new Blob(['x'.repeat(size)]), type: '' })).rejects.toThrow(`larger than ${limit},`);
  expect(sent).toEqual([]);
});

test.each<[string, Given, number[]]>([
  ['a connection that breaks', { faults: [broken(), broken(), broken()] }, [1000, 2000, 4000]],
  ['a connection that breaks often', { faults: Array.from({ length: 8 }, broken) }, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]],
  ['an answer that is lost', { faults: ['lost'] }, [1000]],
  ['busy servers', { faults: [502, 503, 504, 429].map((status) => problem(status)) }, [1000, 2000, 4000, 8000]],
  ['a server that says when', { faults: [problem(429, { 'retry-after': '7' }), problem(503, { 'retry-after': 'soon' })] }, [7000, 2000]],
  ['a token that ended', { tokens: ['ended', 'alice'] }, []],
])('an upload survives %s', async (_, given, waits) => {
  const { uploads, waited } = await start(given);
  const content = randomBytes(500);
  const { blobId } = await uploads.upload({ accountId, file: fileOf(content), type: '' });
  expect((await stored(blobId)).equals(content)).toBe(true);
  expect(waited).toEqual(waits);
});

test.each<[string, Given, number]>([
  ['pieces that fail', { faults: [undefined, broken(), problem(503), undefined, 'lost'] }, 8],
  ['joins that fail', { joinFaults: [broken(), 'lost', problem(503), problem(504)] }, 5],
])('only what failed is sent again: %s', async (_, given, count) => {
  const { uploads, sent } = await start(given);
  const content = randomBytes(4500);
  const heard: number[] = [];
  const { blobId } = await uploads.upload({ accountId, file: fileOf(content), type: '', onProgress: (octets) => heard.push(octets) });
  expect((await stored(blobId)).equals(content)).toBe(true);
  expect(sent).toHaveLength(count);
  expect(heard).toEqual(heard.toSorted((one, other) => one - other));
  expect(heard.at(-1)).toBe(4500);
});

test.each<[string, Given, RegExp]>([
  ['a refusal', { faults: [problem(403)] }, /^why$/],
  ['a bad request', { faults: [problem(400)] }, /^why$/],
  ['too much', { faults: [undefined, undefined, problem(413, { 'retry-after': '100' })] }, /^why$/],
  ['a refusal without words', { faults: [new Response('<html>', { status: 500 })] }, /500/],
  ['a token of another kind', { tokens: ['reader'] }, /MAIL_WRITE/],
  ['two tokens that are refused', { tokens: ['no', 'no'] }, /./],
  ['an answer of something else', { faults: [new Response('<html>Sign in to the Wi-Fi')] }, /no answer/],
  ['an answer about fewer octets', { faults: [new Response('{"blobId":"b","size":3}')] }, /fewer octets/],
  ['an exceeded limit of the join', { blob: { maxSizeBlobSet: null, maxDataSources: 9 }, joinFaults: [overQuota()] }, /^all is used$/],
])('an upload ends for good with the reason: %s', async (_, given, reason) => {
  const { uploads, waited } = await start(given);
  await expect(uploads.upload({ accountId, file: fileOf(randomBytes(4500)), type: '' })).rejects.toThrow(reason);
  expect(waited).toEqual([]);
  // Its turns are free again.
  await uploads.upload({ accountId, file: new Blob(['x']), type: '' }).catch(() => undefined);
});

function overQuota(): Response {
  const result = { created: null, notCreated: { file: { type: 'overQuota', description: 'all is used' } } };
  return new Response(JSON.stringify({ methodResponses: [['Blob/upload', result, 'c1']] }));
}

test('a file that can’t be read any more is not tried again', async () => {
  const { uploads } = await start({ faults: [broken()] });
  const file = new Blob(['gone']);
  jest.spyOn(file, 'slice').mockReturnValue({ arrayBuffer: () => Promise.reject(new DOMException('', 'NotReadableError')) } as never);
  await expect(uploads.upload({ accountId, file, type: '' })).rejects.toThrow(/changed or removed/);
});

describe('all uploads of a page', () => {
  test('keep together to maxConcurrentUpload', async () => {
    const { uploads, most, sent } = await start({ maxConcurrentUpload: 2 });
    await Promise.all([2500, 10, 3500, 0].map((size) => uploads.upload({ accountId, file: fileOf(randomBytes(size)), type: '' })));
    expect(most()).toBe(2);
    expect(sent).toHaveLength(9);
  });

  test('are canceled at once, also while they wait, and free their turns', async () => {
    const { uploads, sent } = await start({ maxConcurrentUpload: 1, faults: Array.from({ length: 100 }, broken) });
    const canceler = new AbortController();
    const before = new AbortController();
    before.abort(new Error('before'));
    const heard: number[] = [];
    const [first, second] = [1, 2].map((size) =>
      uploads.upload({ accountId, file: fileOf(randomBytes(size * 1500)), type: '', signal: canceler.signal, onProgress: (octets) => heard.push(octets) }),
    );
    const third = uploads.upload({ accountId, file: new Blob(['third']), type: '' });
    await expect(uploads.upload({ accountId, file: new Blob(['x']), type: '', signal: before.signal })).rejects.toThrow('before');
    canceler.abort(new Error('canceled'));
    await expect(first).rejects.toThrow('canceled');
    await expect(second).rejects.toThrow('canceled');
    const until = heard.length;
    expect(await third).toMatchObject({ size: 5 });
    expect(heard).toHaveLength(until);
    expect(sent.every((each) => each.endsWith(' 5'))).toBe(true);
  });

  test('are canceled though the network does not answer', async () => {
    const { uploads } = await start({ faults: [new Response(new ReadableStream(), { status: 403 })] });
    const canceler = new AbortController();
    const uploading = uploads.upload({ accountId, file: new Blob(['x']), type: '', signal: canceler.signal });
    for (let turn = 0; turn < 5; turn += 1) await setImmediate();
    canceler.abort(new Error('canceled'));
    await expect(uploading).rejects.toThrow('canceled');
  });
});
