import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DeployedApi } from '../../../../sandbox/services/gateway/deployed-apis.ts';
import { emulatorUpstream } from '../../../../sandbox/services/gateway/emulator-upstream.ts';
import { httpApiProxy, type Changes } from '../../../../sandbox/services/gateway/http-api-proxy.ts';

const servers: Server[] = [];
const listen = async (listener: RequestListener): Promise<string> => {
  const server = createServer({ keepAliveTimeout: 60_000 }, listener);
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};
afterAll(() => {
  for (const server of servers) server.close().closeAllConnections();
});

/** A gateway in front of a Lambda that returns an event stream at `/events`, and JSON anywhere else. */
const gatewayWith = async (
  longPolls: DeployedApi['longPolls'],
  bodies: readonly string[],
  changes: Partial<Changes> = {},
  rest?: DeployedApi['rest'],
): Promise<string> => {
  const upstream = emulatorUpstream(
    await listen((request, response) => {
      const isStream = request.url!.endsWith('/events');
      response
        .writeHead(200, {
          'x-port': request.socket.remotePort,
          'x-url': request.url!,
          'content-type': isStream ? 'text/event-stream' : 'application/json',
          'www-authenticate': 'Bearer',
        })
        .end(isStream ? 'id: 1\n\n' : '{}');
    }),
  );
  const api: DeployedApi = { id: 'api', stage: '$default', routeKeys: ['$default', ...longPolls.keys()], longPolls, ...(rest && { rest }) };
  return listen(
    httpApiProxy(
      upstream,
      () => api,
      () => ({ renamed: [], encodesPercent: false, splitsSemicolons: false, ...changes }),
      async () => bodies,
    ),
  );
};

describe('the gateway', () => {
  test('closes the connection after an event stream, and after nothing else', async () => {
    const url = await gatewayWith(new Map(), []);
    expect((await fetch(`${url}/events`)).headers.get('connection')).toBe('close');
    expect((await fetch(`${url}/json`)).headers.get('connection')).toBe('keep-alive');
  });

  test.each([
    [undefined, 1],
    ['streamed', 3],
  ] as const)('has for three requests in turn to an API that is %s this many connections: %d', async (rest, count) => {
    const url = await gatewayWith(new Map(), [], {}, rest);
    const ports = new Set<string | null>();
    for (let request = 0; request < 3; request++) {
      const response = await fetch(`${url}/json`);
      ports.add(response.headers.get('x-port'));
      await response.text();
    }
    expect(ports.size).toBe(count);
  });

  test.each([
    ['passes', [], 'www-authenticate'],
    ['renames', ['www-authenticate'], 'x-amzn-remapped-www-authenticate'],
  ])('%s WWW-Authenticate of a Lambda as it is told', async (_, renamed, name) => {
    const { headers } = await fetch(`${await gatewayWith(new Map(), [], { renamed })}/json`);
    expect([...headers.keys()].filter((each) => each.includes('authenticate'))).toEqual([name]);
    expect(headers.get(name)).toBe('Bearer');
  });

  test.each<[Partial<Changes>, string]>([
    [{}, '?a=100%25%3Bb=c&d='],
    [{ encodesPercent: true }, '?a=100%2525%3Bb=c&d='],
    [{ splitsSemicolons: true }, '?a=100%25&b=c&d='],
    [{ encodesPercent: true, splitsSemicolons: true }, '?a=100%2525&b=c&d='],
  ])('changes the query of a request as it is told: %j', async (changes, query) => {
    const { headers } = await fetch(`${await gatewayWith(new Map(), [], changes)}/json?a=100%25%3Bb=c&d=`);
    expect(headers.get('x-url')).toBe(`/_aws/execute-api/api/$default/json${query}`);
  });

  test('closes it after a long poll that ends as an event stream', async () => {
    const headers = { 'content-type': 'text/event-stream' };
    const url = await gatewayWith(
      new Map([
        [
          'GET /wait',
          { queueUrl: 'https://sqs.test/queue', roleArn: 'arn:aws:iam::000000000000:role/wait', waitTimeSeconds: 20, maxNumberOfMessages: 1, headers },
        ],
      ]),
      ['changed'],
    );
    const response = await fetch(`${url}/wait`);
    expect([response.status, Object.fromEntries(response.headers), await response.json()]).toMatchObject([
      200,
      { ...headers, connection: 'close' },
      { ReceiveMessageResponse: { ReceiveMessageResult: { messages: [{ Body: 'changed' }] } } },
    ]);
  });
});
