import { apiUrl, httpApi, ref, withEmulator } from '../../support/test-emulator.ts';

const handler = `
exports.handler = async (event) => {
  if (event.rawPath === '/fails') throw new Error('a cause that stays home');
  if (event.rawPath === '/long') return { statusCode: 200, body: 'x'.repeat(6 * 1024 * 1024 + 200) };
  return { statusCode: 200, headers: { 'content-type': 'text/plain' }, body: event.rawPath };
};`;

const fixture = withEmulator();
let url: string;
beforeAll(async () => {
  const cors = { AllowOrigins: ['https://console.example.test'], AllowMethods: ['POST'], AllowHeaders: ['authorization', 'content-type'], MaxAge: 600 };
  const { api } = await fixture.deploy({ Resources: httpApi(handler, { api: { CorsConfiguration: cors } }), Outputs: { api: { Value: ref('Api') } } });
  url = apiUrl(fixture, api!);
});

const preflight = (origin: string): Promise<Response> =>
  fetch(`${url}/status/Ping`, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
  });

describe('CORS of an HTTP API', () => {
  test('a preflight request from an allowed origin gets the headers of the template', async () => {
    const answer = await preflight('https://console.example.test');
    expect(answer.status).toBe(204);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'access-control-allow-origin': 'https://console.example.test',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'authorization,content-type',
      'access-control-max-age': '600',
    });
  });

  test('a preflight request from another origin gets no CORS headers', async () => {
    const answer = await preflight('https://elsewhere.example.test');
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('a response to an allowed origin has CORS headers', async () => {
    const answer = await fetch(`${url}/hello`, { headers: { origin: 'https://console.example.test' } });
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://console.example.test');
  });
});

describe('a Lambda behind an HTTP API', () => {
  test('a failed invocation is answered 500, without the error message', async () => {
    const answer = await fetch(`${url}/fails`);
    expect(answer.status).toBe(500);
    expect(await answer.json()).toEqual({ message: 'Internal Server Error' });
  });

  test('a request whose event is larger than 6 MB is answered 413', async () => {
    const send = (bytes: number) =>
      fetch(`${url}/upload`, { method: 'POST', body: Buffer.alloc(bytes, 'x'), headers: { 'content-type': 'application/octet-stream' } });
    expect((await send(4_700_000)).status).toBe(200);
    const answer = await send(4_750_000);
    expect(answer.status).toBe(413);
    expect(await answer.json()).toEqual({ message: 'Request Entity Too Large' });
  });

  test('a response of more than 6 MB is answered 500', async () => {
    expect((await fetch(`${url}/long`)).status).toBe(500);
  });

  test('an invocation that writes no log lines is not delayed', async () => {
    let fastest = Infinity;
    // On a busy machine most calls are slow for another reason.
    for (let call = 0; call < 300 && fastest >= 45; call += 1) {
      const begun = performance.now();
      await (await fetch(`${url}/quiet`)).text();
      fastest = Math.min(fastest, performance.now() - begun);
    }
    expect(fastest).toBeLessThan(45);
  });
});
