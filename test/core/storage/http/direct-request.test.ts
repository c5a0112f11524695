import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { directSender, lambdaTarget } from '../../../../core/storage/http/direct-request.ts';

const ofLambda = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'AKIA', AWS_SECRET_ACCESS_KEY: 'secret', AWS_SESSION_TOKEN: 'token' };

describe('lambdaTarget', () => {
  test('is the regional endpoint with the keys of the Lambda’s role', () => {
    const target = lambdaTarget('dynamodb', ofLambda)!;
    expect(target.endpoint.href).toBe('https://dynamodb.eu-central-1.amazonaws.com/');
    expect(target.credentials()).toEqual({ accessKeyId: 'AKIA', secretAccessKey: 'secret', sessionToken: 'token' });
  });

  test.each([
    ['the endpoint of the service', { AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:4808', AWS_ENDPOINT_URL: 'http://127.0.0.1:1' }],
    ['the endpoint of all services', { AWS_ENDPOINT_URL: 'http://127.0.0.1:4808' }],
  ])('follows %s', (_title, variables) => {
    expect(lambdaTarget('s3', { ...ofLambda, ...variables })?.endpoint.href).toBe('http://127.0.0.1:4808/');
  });

  test.each<[string, NodeJS.ProcessEnv]>([
    ['another partition', { AWS_REGION: 'cn-north-1' }],
    ['GovCloud', { AWS_REGION: 'us-gov-west-1' }],
    ['no region', { AWS_REGION: '' }],
    ['keys from elsewhere', { AWS_ACCESS_KEY_ID: '' }],
    ['a profile', { AWS_PROFILE: 'admin' }],
    ['FIPS', { AWS_USE_FIPS_ENDPOINT: 'true' }],
    ['an endpoint with a path', { AWS_ENDPOINT_URL: 'http://127.0.0.1/dynamodb' }],
  ])('leaves the call to the SDK with %s', (_title, variables) => {
    expect(lambdaTarget('dynamodb', { ...ofLambda, ...variables })).toBeUndefined();
  });
});

describe('directSender', () => {
  let server: Server;
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });
  const senderTo = async (listener: RequestListener) => {
    server = createServer(listener);
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const { port } = server.address() as AddressInfo;
    return directSender(lambdaTarget('dynamodb', { ...ofLambda, AWS_ENDPOINT_URL: `http://127.0.0.1:${port}` })!);
  };

  test('sends a signed request and returns the response of any status, over one connection', async () => {
    const requests: { readonly port: number | undefined; readonly headers: object; readonly body: string }[] = [];
    const send = await senderTo((request, response) => {
      void (async () => {
        requests.push({ port: request.socket.remotePort, headers: request.headers, body: await text(request) });
        response.writeHead(requests.length === 1 ? 200 : 400, { 'x-amzn-requestid': 'abc', 'content-length': 2 }).end('ü');
      })();
    });
    const request = { method: 'POST', path: '/', headers: { 'x-amz-target': 'DynamoDB_20120810.GetItem' }, body: '{"é":1}' } as const;
    const answers = [await send(request), await send(request)];
    expect(answers.map(({ status, body }) => [status, body.toString()])).toEqual([
      [200, 'ü'],
      [400, 'ü'],
    ]);
    expect(answers[0]!.headers['x-amzn-requestid']).toBe('abc');
    expect(requests[0]!.body).toBe('{"é":1}');
    expect(requests[0]!.headers).toMatchObject({
      authorization: expect.stringMatching(/^AWS4-HMAC-SHA256 Credential=AKIA\/\d{8}\/eu-central-1\/dynamodb\/aws4_request, /),
      'content-length': '8',
      'x-amz-security-token': 'token',
      'x-amz-target': 'DynamoDB_20120810.GetItem',
    });
    expect(requests[1]!.port).toBe(requests[0]!.port);
  });

  test('sends a request again when the service had closed the kept connection', async () => {
    const served = new Map<unknown, number>();
    const send = await senderTo((request, response) => {
      served.set(request.socket, (served.get(request.socket) ?? 0) + 1);
      if (served.get(request.socket) === 2) request.socket.destroy();
      else response.writeHead(200, { 'content-length': 0 }).end();
    });
    const request = { method: 'POST', path: '/', headers: {}, body: '{}' } as const;
    expect([(await send(request)).attempts, (await send(request)).attempts]).toEqual([1, 2]);
    expect(served.size).toBe(2);
  });

  test.each<[string, RequestListener]>([
    [
      'without a response',
      (request) => {
        request.socket.destroy();
      },
    ],
    [
      'within a response',
      (request, response) => {
        response.writeHead(200, { 'content-length': 100 });
        response.write('begin', () => request.socket.destroy());
      },
    ],
  ])('throws when the connection ends %s', async (_title, listener) => {
    const send = await senderTo(listener);
    await expect(send({ method: 'GET', path: '/', headers: {} })).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  test.each([
    ['path', { path: '/a\r\nx: y', headers: {} }],
    ['header', { path: '/', headers: { range: 'bytes=0-9\nx: y' } }],
  ])('refuses a line break in a %s', async (_title, request) => {
    let requests = 0;
    const send = await senderTo((_request, response) => {
      requests++;
      response.writeHead(200, { 'content-length': 0 }).end();
    });
    await expect(send({ method: 'GET', ...request } as never)).rejects.toThrow('the path or a header of the request has a line break');
    expect(requests).toBe(0);
  });
});
