import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync, brotliCompressSync, gzipSync } from 'node:zlib';
import { ConsoleConfig } from '../../../contract/deployment/console.ts';
import type { HttpRequest, HttpResponse } from '../../../core/runtime/http/http.ts';
import { serveSite } from '../../../core/runtime/http/serve-site.ts';
import { siteFilesIn } from '../../../core/runtime/http/site-files.ts';
import { consoleSite } from '../../../lambdas/console/console-site.ts';

const config: ConsoleConfig = {
  mailDomain: 'example.com',
  region: 'eu-central-1',
  adminApiUrl: 'https://api.example.com',
  jmapUrl: 'https://jmap.example.com',
  authUrl: 'https://auth.example.com',
  issuer: 'https://idp.example.com/pool',
  clientId: 'client',
  cliClientId: 'cli',
  mfa: 'required',
};
const script = 'console.log("postrider");'.repeat(100);

let folder: string;
let handler: (request: HttpRequest) => Promise<HttpResponse>;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'console-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Postrider</title>');
  writeFileSync(join(folder, 'assets', 'index-abc.js'), script);
  writeFileSync(join(folder, 'assets', 'index-abc.js.br'), brotliCompressSync(script));
  writeFileSync(join(folder, 'assets', 'index-abc.js.gz'), gzipSync(script));
  handler = serveSite(consoleSite(siteFilesIn(folder), config));
});
afterAll(() => rmSync(folder, { recursive: true }));

const get = (rawPath: string, headers: Record<string, string> = {}, method = 'GET'): Promise<HttpResponse> =>
  handler({ rawPath, headers, requestContext: { http: { method } } } as unknown as HttpRequest);
const bytesOf = ({ body = '', isBase64Encoded }: HttpResponse): Buffer => Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');

describe('the files of the console', () => {
  test('are cached for ever when their name has a hash, and the page never without a check', async () => {
    expect((await get('/assets/index-abc.js')).headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
    });
    expect((await get('/')).headers).toMatchObject({ 'cache-control': 'no-cache', 'content-type': 'text/html; charset=utf-8' });
  });

  test.each([
    ['br, gzip', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['br;q=0, gzip', 'gzip', gunzipSync],
  ] as const)('are sent compressed to a browser that accepts %s', async (accepted, encoding, decompress) => {
    const response = await get('/assets/index-abc.js', { 'accept-encoding': accepted });
    expect(response.headers).toMatchObject({ 'content-encoding': encoding, vary: 'accept-encoding' });
    expect(decompress(bytesOf(response)).toString()).toBe(script);
  });

  test('are sent uncompressed to a browser that accepts no encoding', async () => {
    const response = await get('/assets/index-abc.js');
    expect(response.headers).not.toHaveProperty('content-encoding');
    expect(bytesOf(response).toString()).toBe(script);
  });

  test('are 304 for the entity tag that the browser has', async () => {
    const { headers } = await get('/assets/index-abc.js');
    expect(await get('/assets/index-abc.js', { 'if-none-match': String(headers?.['etag']) })).toMatchObject({ statusCode: 304 });
    expect(await get('/assets/index-abc.js', { 'if-none-match': '"another"' })).toMatchObject({ statusCode: 200 });
  });

  test('have a different entity tag in each encoding, which matches only that encoding', async () => {
    const read = (encoding: string, tag?: string) =>
      get('/assets/index-abc.js', { 'accept-encoding': encoding, ...(tag !== undefined && { 'if-none-match': tag }) });
    const encodings = ['br', 'gzip', 'identity'];
    const tags = await Promise.all(encodings.map(async (encoding) => String((await read(encoding)).headers?.['etag'])));
    expect(new Set(tags).size).toBe(3);
    const statuses = await Promise.all(encodings.map((encoding) => Promise.all(tags.map(async (tag) => (await read(encoding, tag)).statusCode))));
    expect(statuses).toEqual([
      [304, 200, 200],
      [200, 304, 200],
      [200, 200, 304],
    ]);
    expect(await read('gzip', tags.join(', '))).toMatchObject({ statusCode: 304, headers: { etag: tags[1], vary: 'accept-encoding' } });
  });

  test.each(['W/<tag>', '*', '"other",<tag>'])('are 304 for If-None-Match: %s', async (field) => {
    const tag = String((await get('/')).headers?.['etag']);
    expect(await get('/', { 'if-none-match': field.replace('<tag>', tag) })).toMatchObject({ statusCode: 304 });
  });

  test('have no body in a response to HEAD', async () => {
    const response = await get('/', {}, 'HEAD');
    expect(response).toMatchObject({ statusCode: 200 });
    expect(response.body).toBeUndefined();
  });

  test.each(['/domains', '/domains/dom_1', '/callback', '/users/invite'])('are the page for the path %s of the console', async (path) => {
    expect(bytesOf(await get(path)).toString()).toContain('<title>Postrider</title>');
  });

  test.each(['/assets/index-old.js', '/robots.txt', '/assets/index-abc.js.br', '/../secret.js', '/.env'])('%s is 404', async (path) => {
    expect(await get(path)).toMatchObject({ statusCode: 404 });
  });

  test('are read only: other methods are 405', async () => {
    expect(await get('/', {}, 'POST')).toMatchObject({ statusCode: 405, headers: { allow: 'GET, HEAD' } });
  });
});

describe('every response of the console', () => {
  test.each(['/', '/assets/index-abc.js', '/config.json', '/nothing.js'])('to %s forbids foreign scripts, frames and guessed types', async (path) => {
    const { headers } = await get(path);
    const policy = String(headers?.['content-security-policy']);
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("connect-src 'self' https://auth.example.com;");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'strict-transport-security': 'max-age=63072000; includeSubDomains',
      'referrer-policy': 'no-referrer',
    });
  });
});

describe('/config.json', () => {
  test('has the URLs of the deployment, is not cached and contains no secret', async () => {
    const response = await get('/config.json');
    expect(response.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
    expect(JSON.parse(String(response.body))).toEqual(config);
    expect(ConsoleConfig.parse(JSON.parse(String(response.body)))).toEqual(config);
  });
});

test('a folder without a page is refused when the Lambda starts', () => {
  const empty = mkdtempSync(join(tmpdir(), 'console-'));
  expect(() => siteFilesIn(empty)).toThrow('the site is not built');
  rmSync(empty, { recursive: true });
});
