import { lambdaTarget, type DirectTarget } from '../../../../core/storage/http/direct-request.ts';
import { directRangeReader } from '../../../../core/storage/s3/direct-s3.ts';

const ofLambda = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'AKIA', AWS_SECRET_ACCESS_KEY: 'secret' };
type Answer = { readonly status: number; readonly headers: Record<string, string>; readonly body: Buffer };

/** A reader of the bucket. `answer` responds to its requests, which are recorded. */
const readerOf = (bucket: string, variables: NodeJS.ProcessEnv, answer: () => Answer) => {
  const sent: { readonly origin: string; readonly path: string; readonly headers: object }[] = [];
  const read = directRangeReader(bucket, lambdaTarget('s3', { ...ofLambda, ...variables }), ({ endpoint }: DirectTarget) => async (request) => {
    sent.push({ origin: endpoint.origin, path: request.path, headers: request.headers });
    return { ...answer(), attempts: 1 };
  });
  return { read, sent };
};
const partial = (): Answer => ({ status: 206, headers: { 'content-range': 'bytes 2-4/10', 'content-type': 'text/plain' }, body: Buffer.from('234') });
const range = { start: 2, end: 5 };

describe('a range of an object that is read directly', () => {
  test('comes from the bucket’s own host, with the size and type of the object', async () => {
    const { read, sent } = readerOf('mail-bucket', {}, partial);
    expect(await read!('messages/acc_1/a b+(1)é', range)).toEqual({ bytes: Buffer.from('234'), size: 10, type: 'text/plain' });
    expect(sent).toEqual([
      {
        origin: 'https://mail-bucket.s3.eu-central-1.amazonaws.com',
        path: '/messages/acc_1/a%20b%2B%281%29%C3%A9',
        headers: { range: 'bytes=2-4', 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
      },
    ]);
  });

  test('comes from a path of the endpoint when the endpoint is an IP address', async () => {
    const { read, sent } = readerOf('mail', { AWS_ENDPOINT_URL: 'http://127.0.0.1:4808' }, partial);
    await read!('messages/acc_1/x', range);
    expect(sent).toMatchObject([{ origin: 'http://127.0.0.1:4808', path: '/mail/messages/acc_1/x' }]);
  });

  test.each<[string, () => Answer]>([
    ['no object', () => ({ status: 404, headers: {}, body: Buffer.from('<Error/>') })],
    ['a range past the end', () => ({ status: 416, headers: {}, body: Buffer.from('<Error/>') })],
    ['the whole object', () => ({ status: 200, headers: {}, body: Buffer.from('0123456789') })],
    ['a slow bucket', () => ({ status: 503, headers: {}, body: Buffer.alloc(0) })],
    [
      'no response',
      () => {
        throw new Error('socket hang up');
      },
    ],
  ])('is left to the SDK after %s', async (_title, answer) => {
    expect(await readerOf('mail', {}, answer).read!('messages/acc_1/x', range)).toBeUndefined();
  });

  test.each<[string, string, NodeJS.ProcessEnv]>([
    ['a bucket with a dot', 'mail.example.com', {}],
    ['an endpoint with a name', 'mail', { AWS_ENDPOINT_URL: 'https://s3.example.com' }],
    ['another partition', 'mail', { AWS_REGION: 'cn-north-1' }],
  ])('is left to the SDK for %s', (_title, bucket, variables) => {
    expect(readerOf(bucket, variables, partial).read).toBeUndefined();
  });
});
