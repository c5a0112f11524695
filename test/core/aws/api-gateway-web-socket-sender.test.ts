import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { apiGatewayWebSocketSender, maxCalls } from '../../../core/aws/api-gateway-web-socket-sender.ts';

/** Calls `use` with a sender whose API Gateway is this server. */
const withApiGateway = async <T>(serve: RequestListener, use: (sender: ReturnType<typeof apiGatewayWebSocketSender>) => Promise<T>): Promise<T> => {
  const server = createServer(serve).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await use(apiGatewayWebSocketSender(`http://127.0.0.1:${(server.address() as AddressInfo).port}/live`));
  } finally {
    server.closeAllConnections();
    server.close();
  }
};

const credentials = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', AWS_REGION: 'us-east-1' };
const before = { ...process.env };
beforeAll(() => {
  Object.assign(process.env, credentials);
});
afterAll(() => {
  process.env = before;
});

const fail =
  (status: number, type: string): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { 'x-amzn-errortype': type }).end('{}');
  };

describe('a post to a WebSocket', () => {
  test.each([
    [429, 'LimitExceededException'],
    [500, 'InternalServerError'],
    [503, 'ServiceUnavailableException'],
  ])('that API Gateway refuses with %i is repeated, then sent', async (status, type) => {
    let calls = 0;
    const outcome = await withApiGateway(
      (request, response) => (++calls < 3 ? fail(status, type)(request, response) : response.writeHead(200).end()),
      (sender) => sender.post('c1', 'text'),
    );
    expect([outcome, calls]).toEqual(['sent', 3]);
  });

  test('that API Gateway refuses repeatedly is an error, not a silent client', async () => {
    await expect(withApiGateway(fail(429, 'LimitExceededException'), (sender) => sender.post('c1', 'text'))).rejects.toThrow();
  });

  test('to a closed connection fails as gone, without a retry', async () => {
    let calls = 0;
    const gone: RequestListener = (request, response) => {
      calls += 1;
      fail(410, 'GoneException')(request, response);
    };
    expect(await withApiGateway(gone, (sender) => sender.post('c1', 'text'))).toBe('gone');
    expect(calls).toBe(1);
  });

  test('waits for its turn among 500 posts, and the wait does not count as silence of the client', async () => {
    let underWay = 0;
    let most = 0;
    const slow: RequestListener = (_request, response) => {
      most = Math.max(most, ++underWay);
      // The last hundred waits for 2.4 seconds, longer than the timeout. A shorter pause would need more calls, which keep the process busy.
      setTimeout(() => {
        underWay -= 1;
        response.writeHead(200).end();
      }, 600);
    };
    const outcomes = await withApiGateway(slow, (sender) => Promise.all(Array.from({ length: 500 }, (_, index) => sender.post(`c${index}`, 'text'))));
    expect(new Set(outcomes)).toEqual(new Set(['sent']));
    expect(most).toBe(maxCalls);
  });

  test('without a response is silent, and delays no other post', async () => {
    const ended: string[] = [];
    const outcomes = await withApiGateway(
      (request, response) => {
        if (request.url!.includes('quick')) response.writeHead(200).end();
      },
      (sender) => Promise.all([sender.post('slow', 'text').finally(() => ended.push('slow')), sender.post('quick', 'text').finally(() => ended.push('quick'))]),
    );
    expect(outcomes).toEqual(['silent', 'sent']);
    expect(ended).toEqual(['quick', 'slow']);
  });
});
