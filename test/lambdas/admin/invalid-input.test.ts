import { maxBodySize } from '../../../contract/rpc/rpc.ts';
import { adminApiPerTest } from '../../support/admin-api.ts';
import { validRequests } from '../../support/valid-admin-requests.ts';

const api = adminApiPerTest();

const expectInvalidArgument = async (path: string, request: unknown, word: string) => {
  const before = JSON.stringify(await api.directory.query({ pk: 'user' }));
  const { status, body } = await api.call(path, request);
  expect({ status, code: body.code, request }).toEqual({ status: 400, code: 'invalid_argument', request });
  expect(body.message).toContain(word);
  expect(body.message).not.toMatch(/zod|\bexpected\b|\breceived\b|\bundefined\b|invalid input/i);
  expect(JSON.stringify(await api.directory.query({ pk: 'user' }))).toBe(before);
};

describe.each(validRequests)('$path', ({ path, properties, required, request }) => {
  test('accepts the valid request that the other tests vary', async () => {
    const { status, body } = await api.call(path, request);
    expect([200, 404, 501, 400]).toContain(status);
    if (status === 400) expect(body.code).not.toBe('invalid_argument');
  });

  test('rejects broken JSON, an empty body, bytes that are not UTF-8, and JSON that is not an object', async () => {
    for (const body of ['', '{', '{"a":}', 'null', '[]', '"text"', '1', '['.repeat(50_000), '{"a":1,}']) {
      const response = await api.send(path, body, { token: 'admin' });
      expect({ status: response.status, code: response.body.code }).toEqual({ status: 400, code: 'invalid_argument' });
    }
    const notUtf8 = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]).toString('base64');
    const response = await api.send(path, notUtf8, { token: 'admin', base64: true });
    expect(response.status).toBe(400);
  });

  test('rejects a body that is too large', async () => {
    const response = await api.send(path, `{"padding":"${'x'.repeat(maxBodySize)}"}`, { token: 'admin' });
    expect(response).toMatchObject({ status: 400, body: { code: 'invalid_argument', message: `the body is larger than ${maxBodySize} octets` } });
  });

  test('rejects an unknown key', () => expectInvalidArgument(path, { ...request, unknown_field: 1 }, 'unknown_field'));

  test('rejects a request without a required field', async () => {
    for (const name of required) {
      const { [name]: _, ...rest } = request;
      await expectInvalidArgument(path, rest, `${name} is required`);
    }
  });

  test('rejects values of every wrong type', async () => {
    for (const [name, schema] of Object.entries(properties)) {
      const wrong = [null, 1.5, 'no such value \u0000', true, [[]], { a: { b: 1 } }].filter((value) => {
        if (schema.type === 'boolean') return value !== true;
        return true;
      });
      for (const value of wrong) await expectInvalidArgument(path, { ...request, [name]: value }, name);
    }
  });

  test('rejects numbers outside their limits', async () => {
    for (const [name, { type, minimum = 0, maximum = 0 }] of Object.entries(properties)) {
      if (type !== 'integer') continue;
      for (const value of [minimum - 1, maximum + 1, String(maximum + 1), -1, 1e300]) {
        // 0 is unset there (docs/specification.md#messages).
        if (value === 0 && path.startsWith('/monitoring/')) continue;
        await expectInvalidArgument(path, { ...request, [name]: value }, name);
      }
    }
  });

  test('rejects text and lists that are too long', async () => {
    for (const [name, { type, maxLength, maxItems }] of Object.entries(properties)) {
      if (type === 'string' && maxLength !== undefined) {
        await expectInvalidArgument(path, { ...request, [name]: 'x'.repeat(maxLength + 1) }, name);
      }
      if (type === 'array' && maxItems !== undefined) {
        await expectInvalidArgument(path, { ...request, [name]: Array.from({ length: maxItems + 1 }, () => 'x') }, name);
      }
    }
  });

  test('rejects forged page tokens', async () => {
    if (!('page_token' in properties)) return;
    for (const page_token of ['x', 'AAAA', 'A'.repeat(512), 'not/base64+url', ' ']) {
      await expectInvalidArgument(path, { ...request, page_token }, 'page_token');
    }
  });
});
