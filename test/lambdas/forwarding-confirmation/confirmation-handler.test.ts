import { forwardingsIn } from '../../../core/directory/forwarding/forwardings.ts';
import type { HttpRequest } from '../../../core/runtime/http/http.ts';
import { confirmationHandler } from '../../../lambdas/forwarding-confirmation/confirmation-handler.ts';
import { memoryLog } from '../../fakes/memory-log.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { perTest } from '../../support/per-test.ts';

const accountId = `acc_${'a'.repeat(26)}`;
const outside = 'friend@elsewhere.test';
const day = 86_400_000;

const world = async () => {
  const directory = memoryTable();
  const forwardings = forwardingsIn(directory);
  const log = memoryLog();
  let time = Date.parse('2026-12-24T12:00:00Z');
  const clock = () => new Date(time);
  const account = { pk: 'account', sk: accountId, name: 'Ada <b>Lovelace</b>', email: 'ada@example.com' };
  await directory.write([{ put: account }]);
  const stored = (await forwardings.put(accountId, { addresses: [{ email: outside }], keep_copy: true }, clock()))!;
  const { token, write } = forwardings.newLink(stored, { email: outside }, clock());
  await directory.write([write]);
  let mayForwardOutside = true;
  const handle = (request: HttpRequest) => confirmationHandler({ directory, forwardings, mayForwardOutside, clock, log })(request);
  const request = (method: string, more: { query?: string; type?: string; body?: string; isBase64Encoded?: boolean; origin?: string } = {}) =>
    handle({
      routeKey: 'ANY /forwarding',
      rawPath: '/forwarding',
      rawQueryString: more.query ?? '',
      headers: {
        ...(more.type !== undefined && { 'content-type': more.type }),
        ...(more.origin !== undefined && { origin: more.origin, 'access-control-request-method': 'GET' }),
      },
      body: more.body,
      isBase64Encoded: more.isBase64Encoded ?? false,
      requestContext: { http: { method } },
    } as unknown as HttpRequest);
  const form = 'application/x-www-form-urlencoded';
  return {
    directory,
    forwardings,
    log,
    token,
    request,
    open: (given = token) => request('GET', { query: `token=${encodeURIComponent(given)}` }),
    post: (given = token) => request('POST', { type: form, body: `token=${encodeURIComponent(given)}` }),
    confirmedAt: async () => (await forwardings.find(accountId))?.addresses[0]?.confirmed_at,
    forbidOutside: () => {
      mayForwardOutside = false;
    },
    later: (milliseconds: number) => {
      time += milliseconds;
    },
  };
};

describe('the page at which an address is confirmed', () => {
  const it = perTest(world);

  test('names the account and the address as text, and changes nothing when it is opened', async () => {
    const { statusCode, headers, body } = await it.open();
    expect(statusCode).toBe(200);
    expect(body).toContain('Ada &lt;b&gt;Lovelace&lt;/b&gt; &lt;ada@example.com&gt;');
    expect(body).toContain(outside);
    expect(body).toContain(`<input type="hidden" name="token" value="${it.token}">`);
    expect(body).not.toMatch(/<script|<img|<link|https?:/);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    });
    expect(await it.confirmedAt()).toBeUndefined();
  });

  test('confirms nothing once the deployment forwards nothing to the outside', async () => {
    it.forbidOutside();
    expect([(await it.open()).statusCode, (await it.post()).statusCode, await it.confirmedAt()]).toEqual([403, 403, undefined]);
  });

  test('answers HEAD as GET, without a body', async () => {
    const { headers } = await it.open();
    expect(await it.request('HEAD', { query: `token=${it.token}` })).toEqual({ statusCode: 200, headers });
    expect(await it.confirmedAt()).toBeUndefined();
  });

  test('confirms by its form, more than once, and says so', async () => {
    for (const _time of [1, 2]) {
      const { statusCode, headers, body } = await it.post();
      expect([statusCode, body]).toEqual([200, expect.stringContaining('<h1>Mail is forwarded to you</h1>')]);
      expect(headers?.['content-security-policy']).toContain("form-action 'none'");
    }
    expect(await it.confirmedAt()).toBe('2026-12-24T12:00:00.000Z');
    expect((await it.open()).body).toContain('<h1>Mail is forwarded to you</h1>');
  });

  test('reads a form in base64 with parameters in its type', async () => {
    const body = Buffer.from(`token=${it.token}`).toString('base64');
    const response = await it.request('POST', { type: 'Application/X-www-form-urlencoded; charset=utf-8', body, isBase64Encoded: true });
    expect([response.statusCode, await it.confirmedAt()]).toEqual([200, expect.any(String)]);
  });

  test.each<[string, (token: string) => string]>([
    ['no token', () => ''],
    ['another token of the account', (token) => `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`],
    ['the account alone', () => `${accountId}.`],
    ['another account', (token) => token.replace('acc_a', 'acc_b')],
    ['HTML', () => '"><script>alert(1)</script>'],
    ['a long text', (token) => token + 'A'.repeat(5000)],
  ])('says 404 for %s, repeats nothing of it, and confirms nothing', async (_what, tokenOf) => {
    const token = tokenOf(it.token);
    const opened = await it.open(token);
    expect([opened.statusCode, opened.body]).toEqual([404, expect.stringContaining('To get another one, ask')]);
    if (token !== '') expect(opened.body).not.toContain(token);
    expect([404, 400]).toContain((await it.post(token)).statusCode);
    expect(await it.confirmedAt()).toBeUndefined();
  });

  test('says 404 for a link that is too old, that another one replaced, or whose address or account is gone', async () => {
    const both = async () => [(await it.open()).statusCode, (await it.post()).statusCode];
    it.later(7 * day);
    expect(await both()).toEqual([404, 404]);
    it.later(-7 * day);
    expect((await it.open()).statusCode).toBe(200);
    const stored = (await it.forwardings.find(accountId))!;
    await it.directory.write([it.forwardings.newLink(stored, { email: outside }, new Date('2026-12-24T13:00:00Z')).write]);
    expect(await both()).toEqual([404, 404]);
    expect(await it.confirmedAt()).toBeUndefined();
  });

  test.each([
    ['the account', { pk: 'account', sk: accountId }],
    ['the forwarding', { pk: 'forwarding', sk: accountId }],
  ])('says 404 when %s does not exist any more', async (_what, key) => {
    await it.directory.write([{ delete: key }]);
    expect([(await it.open()).statusCode, (await it.post()).statusCode, await it.confirmedAt()]).toEqual([404, 404, undefined]);
  });

  test.each<[string, { type?: string; body?: string }]>([
    ['no body', { type: 'application/x-www-form-urlencoded' }],
    ['a form without a token', { type: 'application/x-www-form-urlencoded', body: 'other=1' }],
    ['JSON', { type: 'application/json', body: '{"token":"a"}' }],
    ['no type', { body: 'token=a' }],
    ['a large form', { type: 'application/x-www-form-urlencoded', body: `token=${'a'.repeat(2000)}` }],
  ])('says 400 for %s', async (_what, more) => {
    expect(await it.request('POST', more)).toMatchObject({ statusCode: 400, headers: { 'content-type': 'text/html; charset=utf-8' } });
  });

  test('refuses a post whose token is only in the URL', async () => {
    const response = await it.request('POST', { query: `token=${it.token}`, type: 'application/x-www-form-urlencoded', body: '' });
    expect([response.statusCode, await it.confirmedAt()]).toEqual([400, undefined]);
  });

  test('has no other methods', async () => {
    expect(await it.request('PUT')).toMatchObject({ statusCode: 405, headers: { allow: 'GET, HEAD, POST, OPTIONS' } });
    expect(await it.request('OPTIONS')).toEqual({ statusCode: 204, headers: { allow: 'GET, HEAD, POST, OPTIONS' } });
    expect(await it.request('OPTIONS', { origin: 'https://other.test' })).toEqual({ statusCode: 204 });
  });

  test('logs no token when the directory fails', async () => {
    const failing = confirmationHandler({
      directory: it.directory,
      forwardings: { ...it.forwardings, findByToken: () => Promise.reject(new Error('refused')) },
      mayForwardOutside: true,
      clock: () => new Date(),
      log: it.log,
    });
    const request = { routeKey: 'ANY /forwarding', rawQueryString: `token=${it.token}`, headers: {}, requestContext: { http: { method: 'GET' } } };
    expect((await failing(request as unknown as HttpRequest)).statusCode).toBe(500);
    expect(JSON.stringify(it.log)).not.toContain(it.token.split('.')[1]);
  });
});
