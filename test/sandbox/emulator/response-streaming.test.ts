import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { apiUrl, eventually, getAtt, lambda, ref, withEmulator } from '../../support/test-emulator.ts';

const octets = 20_000_000;

/** Streams a response of 20 MB. It fails in the middle when the query says so, or writes nothing. */
const handler = `
const { Readable } = require('stream');
const { pipeline } = require('stream/promises');
function* pieces(count) { for (let i = 0; i < count; i++) yield Buffer.alloc(100000, i % 256); }
exports.handler = awslambda.streamifyResponse(async ({ queryStringParameters: query, ...event }, stream) => {
  const { kind } = query ?? {};
  if (kind === 'empty') return void stream.end();
  const headers = { 'content-type': 'text/plain', 'x-keys': Object.keys(event).filter((key) => key.startsWith('postrider')).join() };
  const response = awslambda.HttpResponseStream.from(stream, { statusCode: kind === 'none' ? 204 : 200, headers });
  if (kind === 'none') return void (response.write(''), response.end());
  if (kind !== 'fails') return pipeline(Readable.from(pieces(200)), response);
  for (const piece of pieces(20)) response.write(piece);
  if (kind === 'fails') throw new Error('a failure in the middle');
});`;

const fixture = withEmulator({ environment: { LAMBDA_ACCOUNT_CONCURRENCY: '1' } });
let url: string;
beforeAll(async () => {
  const uri = ['arn:aws:apigateway:us-east-1:lambda:path/2021-11-15/functions/', getAtt('Handler', 'Arn'), '/response-streaming-invocations'];
  const { api } = await fixture.deploy({
    Resources: {
      ...lambda('Handler', handler, { Timeout: 60 }),
      Api: { Type: 'AWS::ApiGateway::RestApi', Properties: { Name: 'trial' } },
      Method: {
        Type: 'AWS::ApiGateway::Method',
        Properties: {
          RestApiId: ref('Api'),
          ResourceId: getAtt('Api', 'RootResourceId'),
          HttpMethod: 'ANY',
          AuthorizationType: 'NONE',
          Integration: { Type: 'AWS_PROXY', IntegrationHttpMethod: 'POST', ResponseTransferMode: 'STREAM', Uri: { 'Fn::Join': ['', uri] } },
        },
      },
      Deployment: { Type: 'AWS::ApiGateway::Deployment', DependsOn: 'Method', Properties: { RestApiId: ref('Api') } },
      Stage: { Type: 'AWS::ApiGateway::Stage', Properties: { RestApiId: ref('Api'), DeploymentId: ref('Deployment'), StageName: 'live' } },
    },
    Outputs: { api: { Value: ref('Api') } },
  });
  url = apiUrl(fixture, api!, 'live/');
});

/** Begins a request when the Lambda, of which one runs at once, is free, and reads nothing of the response. */
const begin = (kind = ''): Promise<IncomingMessage> =>
  eventually(async () => {
    const [response] = (await once(get(`${url}?kind=${kind}`, { agent: false }), 'response')) as [IncomingMessage];
    if (response.statusCode !== 429) return response;
    response.destroy();
    return false;
  });
const lengthOf = async (response: IncomingMessage): Promise<number> => {
  let length = 0;
  for await (const piece of response as AsyncIterable<Buffer>) length += piece.length;
  return length;
};
/** Waits until the Lambda is free. */
const isFree = async () => void (await begin('none')).destroy();

describe('a streamed response', () => {
  test('has all octets, and the event has nothing that AWS has not', async () => {
    const response = await begin();
    expect([response.statusCode, response.headers['x-keys'], await lengthOf(response)]).toEqual([200, '', octets]);
  });

  test('holds the Lambda while its reader takes nothing, and until it has taken everything', async () => {
    const response = await begin();
    for (let count = 0; count < 5; count++) expect((await fetch(`${url}?kind=none`)).status).toBe(429);
    expect(await lengthOf(response)).toBe(octets);
    await isFree();
  });

  test('goes on to its end when the reader disconnects, and then holds nothing', async () => {
    (await begin()).destroy();
    await isFree();
  });

  test('is a broken connection when the Lambda fails in the middle', async () => {
    await expect(begin('fails').then(lengthOf)).rejects.toThrow(/aborted|ECONNRESET/);
    await isFree();
  });

  test('is 502 when the Lambda writes no status', async () => {
    expect((await begin('empty')).statusCode).toBe(502);
  });

  test('may have a status without content', async () => {
    const response = await begin('none');
    expect([response.statusCode, await lengthOf(response)]).toEqual([204, 0]);
  });
});
