import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HttpRequest, HttpResponse } from '../../../core/runtime/http/http.ts';
import { serveSite } from '../../../core/runtime/http/serve-site.ts';
import { siteFilesIn } from '../../../core/runtime/http/site-files.ts';
import { webmailSite } from '../../../lambdas/webmail/webmail-site.ts';

let folder: string;
let handler: (request: HttpRequest) => Promise<HttpResponse>;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'webmail-'));
  for (const name of ['index.html', 'message.html', 'message-images.html', 'unsubscribe.html'])
    writeFileSync(join(folder, name), '<!doctype html><title>Mail</title>');
  handler = serveSite(
    webmailSite(siteFilesIn(folder), {
      jmapUrl: 'https://jmap.example.com',
      uploadUrl: 'https://blobs.example.com/upload',
      downloadUrl: 'https://blobs.example.com/download',
      webSocketUrl: 'wss://ws.example.com/jmap',
      authUrl: 'https://auth.example.com',
      clientId: 'webmail',
    }),
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

const get = (rawPath: string): Promise<HttpResponse> =>
  handler({ rawPath, headers: {}, requestContext: { http: { method: 'GET' } } } as unknown as HttpRequest);
const directivesOf = async (path: string): Promise<ReadonlyMap<string, string>> => {
  const { headers } = await get(path);
  const directives = String(headers?.['content-security-policy']).split('; ');
  return new Map(directives.map((each) => [each.split(' ', 1)[0]!, each.slice(each.indexOf(' ') + 1)]));
};

test.each(['/', '/mailbox/inbox', '/config.json', '/nothing.js'])('%s runs scripts of the web mail alone, and calls only the deployment', async (path) => {
  const policy = await directivesOf(path);
  expect([policy.get('script-src'), policy.get('style-src'), policy.get('require-trusted-types-for')]).toEqual(["'self'", "'self'", "'script'"]);
  expect(policy.get('connect-src')).toBe("'self' https://jmap.example.com https://blobs.example.com wss://ws.example.com https://auth.example.com");
  expect(policy.get('frame-ancestors')).toBe("'none'");
});

test.each([
  ['/message.html', 'data: blob:'],
  ['/message-images.html', 'data: blob: https:'],
])('a mail in %s runs no script, and loads images of %s', async (path, images) => {
  const policy = await directivesOf(path);
  expect([policy.get('default-src'), policy.get('img-src'), policy.get('form-action'), policy.get('frame-ancestors')]).toEqual([
    "'none'",
    images,
    "'none'",
    "'self'",
  ]);
  expect(policy.has('script-src')).toBe(false);
  expect(policy.get('sandbox')).not.toContain('allow-scripts');
  // The page prints it.
  expect(policy.get('sandbox')).toContain('allow-modals');
  expect((await get(path)).headers).toMatchObject({ 'x-frame-options': 'SAMEORIGIN', 'referrer-policy': 'no-referrer' });
});

test('the document that sends requests to unsubscribe calls https alone, has an opaque origin, and is framed by the web mail alone', async () => {
  const policy = await directivesOf('/unsubscribe.html');
  expect(Object.fromEntries(policy)).toEqual({
    'default-src': "'none'",
    'script-src': "'self'",
    'connect-src': 'https:',
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'self'",
    sandbox: 'allow-scripts',
  });
});

test('the settings name the session and the sign-in with the scopes of mail alone', async () => {
  expect(JSON.parse(String((await get('/config.json')).body))).toMatchObject({
    sessionUrl: 'https://jmap.example.com/.well-known/jmap',
    signIn: { clientId: 'webmail', scope: 'jmapApi/MAIL_READ jmapApi/MAIL_WRITE jmapApi/MAIL_SEND' },
  });
});
