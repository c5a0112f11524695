import { CloudWatchClient, GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { WebSocket, type ClientOptions } from 'ws';
import { apiUrl, eventually, ref, webSocketApi, withEmulator } from '../../support/test-emulator.ts';

const handler = `
exports.handler = async (event) => {
  const { routeKey, connectionId } = event.requestContext;
  if (routeKey === '$connect') {
    const token = event.queryStringParameters?.access_token;
    if (token === 'broken') throw new Error('a cause that stays home');
    return token === 'good' ? { statusCode: 200, headers: { 'Sec-WebSocket-Protocol': 'jmap' } } : { statusCode: 401 };
  }
  if (routeKey === '$disconnect') return { statusCode: 200 };
  const message = JSON.parse(event.body);
  console.log('took ' + message.say);
  if (message.fail) throw new Error('a cause that stays home');
  if (message.wait) await new Promise((resolve) => setTimeout(resolve, message.wait));
  return { statusCode: 200, body: message.long ? 'x'.repeat(message.long) : JSON.stringify({ said: message.say, route: routeKey }) };
};`;

const routes = { $connect: false, $disconnect: false, $default: true, silent: false };

const template = { Resources: webSocketApi(handler, routes), Outputs: { api: { Value: ref('Api') }, handler: { Value: ref('Handler') } } };

const fixture = withEmulator();
let url: string;
let functionName: string;
let apiId: string;
const sockets: WebSocket[] = [];

beforeAll(async () => {
  const outputs = await fixture.deploy(template);
  url = apiUrl(fixture, outputs['api']!, 'live').replace('http', 'ws');
  functionName = outputs['handler']!;
  apiId = outputs['api']!;
});
afterAll(() => {
  for (const socket of sockets) socket.terminate();
});

const open = (token: string, options: ClientOptions = {}): Promise<WebSocket> =>
  new Promise((done, fail) => {
    const socket = new WebSocket(`${url}?access_token=${token}`, ['jmap'], options);
    sockets.push(socket);
    socket.once('open', () => done(socket));
    socket.once('unexpected-response', (_, response) => {
      response.resume();
      fail(new Error(`status ${response.statusCode}`));
    });
    socket.once('error', fail);
  });

const nextMessage = (socket: WebSocket): Promise<string> =>
  new Promise((done) => {
    socket.once('message', (data: Buffer) => done(data.toString()));
  });

const ask = (socket: WebSocket, message: object): Promise<string> => {
  const answer = nextMessage(socket);
  socket.send(JSON.stringify(message));
  return answer;
};

describe('the WebSocket handshake', () => {
  test('returns the subprotocol that the Lambda selected', async () => {
    expect((await open('good')).protocol).toBe('jmap');
  });

  test('returns the Lambda’s status when it refuses', async () => {
    await expect(open('wrong')).rejects.toThrow('status 401');
  });

  test('returns 502 when the Lambda fails', async () => {
    await expect(open('broken')).rejects.toThrow('status 502');
  });
});

describe('WebSocket messages', () => {
  test('are answered on a route with a route response', async () => {
    const socket = await open('good');
    expect(JSON.parse(await ask(socket, { say: 'hello' }))).toEqual({ said: 'hello', route: '$default' });
  });

  test('are not answered on a route without a route response', async () => {
    const socket = await open('good');
    socket.send(JSON.stringify({ route: 'silent', say: 'nothing' }));
    expect(JSON.parse(await ask(socket, { say: 'something' }))).toEqual({ said: 'something', route: '$default' });
  });

  test('get an internal server error without the cause when the Lambda fails', async () => {
    const socket = await open('good');
    expect(JSON.parse(await ask(socket, { fail: true }))).toEqual({
      message: 'Internal server error',
      connectionId: expect.any(String),
      requestId: expect.any(String),
    });
  });

  test('get an internal server error when the response is longer than 128 KB', async () => {
    const socket = await open('good');
    expect(await ask(socket, { long: 128 * 1024 })).toHaveLength(128 * 1024);
    expect(JSON.parse(await ask(socket, { long: 128 * 1024 + 1 }))).toMatchObject({ message: 'Internal server error' });
  });

  test('of one client are not delayed by another client’s', async () => {
    const [slow, quick] = [await open('good'), await open('good')];
    const order: string[] = [];
    await Promise.all([ask(slow, { say: 'slow', wait: 1500 }).then(() => order.push('slow')), ask(quick, { say: 'quick' }).then(() => order.push('quick'))]);
    expect(order).toEqual(['quick', 'slow']);
  });

  test('of one client are processed concurrently', async () => {
    const socket = await open('good');
    const said: unknown[] = [];
    const both = new Promise<void>((done) => {
      socket.on('message', (data: Buffer) => {
        said.push((JSON.parse(data.toString()) as { said: unknown }).said);
        if (said.length === 2) done();
      });
    });
    socket.send(JSON.stringify({ say: 'slow', wait: 1500 }));
    socket.send(JSON.stringify({ say: 'quick' }));
    await both;
    expect(said).toEqual(['quick', 'slow']);
  });

  test('are logged to the Lambda’s log group', async () => {
    const socket = await open('good');
    await ask(socket, { say: 'something to be found' });
    const logs = new CloudWatchLogsClient(fixture.clientConfig);
    await eventually(async () => {
      const found = await logs.send(new FilterLogEventsCommand({ logGroupName: `/aws/lambda/${functionName}` })).catch(() => undefined);
      return found?.events?.some((event) => event.message?.includes('took something to be found'));
    }, 3000);
  });

  test('are measured in both directions for the API and for its stage', async () => {
    const socket = await open('good');
    const metrics = ['ConnectCount', 'MessageCount', 'ExecutionError'];
    const sums = async (dimensions: { Name: string; Value: string }[]): Promise<number[]> => {
      const { MetricDataResults: results = [] } = await new CloudWatchClient(fixture.clientConfig).send(
        new GetMetricDataCommand({
          StartTime: new Date(Date.now() - 3_600_000),
          EndTime: new Date(Date.now() + 60_000),
          MetricDataQueries: metrics.map((MetricName, index) => ({
            Id: `m${index}`,
            MetricStat: { Metric: { Namespace: 'AWS/ApiGateway', MetricName, Dimensions: dimensions }, Period: 3600, Stat: 'Sum' },
          })),
        }),
      );
      return results.map(({ Values: values = [] }) => values.reduce((sum, value) => sum + value, 0));
    };
    const ofStage = [
      { Name: 'ApiId', Value: apiId },
      { Name: 'Stage', Value: 'live' },
    ];
    const before = await sums(ofStage);
    await open('good');
    await ask(socket, { say: 'hello' });
    socket.send(JSON.stringify({ route: 'silent', say: 'nothing' }));
    await ask(socket, { fail: true });
    const after = await sums(ofStage);
    expect(after.map((sum, index) => sum - before[index]!)).toEqual([1, 5, 1]);
    expect(await sums(ofStage.slice(0, 1))).toEqual(after);
  });
});
