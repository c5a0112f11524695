import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isTransient } from '../../../../core/runtime/aws-errors.ts';
import type { Objects } from '../../../../core/storage/objects.ts';
import { attempts, clientTimeouts, s3Client, sdkObjects } from '../../../../core/storage/s3/sdk-objects.ts';

let server: Server | undefined;
afterEach(() => {
  server?.close();
  server?.closeAllConnections();
  server = undefined;
});

/** The adapter with a server that replaces S3, and with a short timeout. */
const objectsOver = async (listener: RequestListener): Promise<Objects> => {
  server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return sdkObjects(
    'mail',
    s3Client({
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      forcePathStyle: true,
      region: 'us-east-1',
      maxAttempts: 1,
      credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
      requestHandler: { socketTimeout: 100 },
    }),
  );
};
const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a bucket that does not answer', () => {
  test('fails each call with a transient error', async () => {
    const objects = await objectsOver((request) => void request.resume());
    const calls = [objects.size('k'), objects.get('k'), objects.put('k', Buffer.from('x')), objects.copy('k', 'l'), objects.list('k'), objects.remove(['k'])];
    const failures = await Promise.all(calls.map(failureOf));
    expect(failures.map(isTransient)).toEqual(calls.map(() => true));
  });

  test('fails with a transient error when it stops in the middle of a read', async () => {
    const objects = await objectsOver((_, response) => void response.writeHead(200, { 'content-length': '10' }).write('01234'));
    expect(isTransient(await failureOf(objects.get('k')))).toBe(true);
  });

  test('takes less time than a Lambda may run: three attempts of five seconds', async () => {
    expect({ attempts, ...clientTimeouts }).toEqual({ attempts: 3, connectionTimeout: 1000, socketTimeout: 5000 });
    expect(await s3Client({ region: 'us-east-1' }).config.maxAttempts()).toBe(attempts);
  });
});
