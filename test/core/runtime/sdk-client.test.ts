import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { errorLogFields } from '../../../core/runtime/error-log-fields.ts';
import { loggedFields } from '../../../core/runtime/log.ts';
import { namingErrors } from '../../../core/runtime/sdk-client.ts';
import { directCalls } from '../../../core/storage/dynamodb/direct-dynamodb.ts';
import { dynamodbClient, sdkCalls } from '../../../core/storage/dynamodb/dynamodb-client.ts';
import { sdkObjects } from '../../../core/storage/s3/sdk-objects.ts';

describe('the log fields of an error from AWS', () => {
  let server: Server;
  let settings: object;
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });
  const answer = async (listener: RequestListener) => {
    server = createServer(listener);
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    settings = {
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      region: 'eu-west-1',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      maxAttempts: 2,
      requestHandler: { requestTimeout: 50, throwOnRequestTimeout: true },
      forcePathStyle: true,
    };
  };
  const fieldsOf = (call: Promise<unknown>) =>
    call.then(
      () => {
        throw new Error('no error');
      },
      (error: unknown) => loggedFields(errorLogFields(error)).logged,
    );
  const silent: RequestListener = () => {};

  test.each<[string, RequestListener, () => Promise<unknown>, object]>([
    [
      'an upload without a response',
      silent,
      () => sdkObjects('bucket', namingErrors(new S3Client(settings))).put('key', Buffer.from('x'), 'text/plain'),
      { error_name: 'TimeoutError', error_call: 'S3 PutObject, attempt 2, ETIMEDOUT' },
    ],
    [
      'an item without a response, which was first asked for without the SDK',
      silent,
      () =>
        directCalls(() => Promise.reject(new Error('no response in time')), sdkCalls(dynamodbClient(settings)))('GetItem', {
          TableName: 't',
          ConsistentRead: true,
          Key: { pk: 'a', sk: 'b' },
        }),
      { error_name: 'TimeoutError', error_call: 'DynamoDB GetItem, attempt 3, ETIMEDOUT' },
    ],
    [
      'a lost connection',
      ({ socket }) => {
        socket.destroy();
      },
      () => namingErrors(new S3Client(settings)).send(new GetObjectCommand({ Bucket: 'b', Key: 'k' })),
      { error_name: 'TimeoutError', error_call: 'S3 GetObject, attempt 2, ECONNRESET' },
    ],
    [
      'a refusal, whose message may have an address',
      (_, response) => {
        response.writeHead(400, { 'x-amzn-errortype': 'MessageRejected' }).end('{"message":"ada@example.com is not verified"}');
      },
      () => namingErrors(new SESv2Client(settings)).send(new SendEmailCommand({ FromEmailAddress: 'ada@example.com', Content: {} })),
      { error_name: 'MessageRejected', error_call: 'SESv2 SendEmail, attempt 1' },
    ],
  ])('name the service, the operation and the attempt of %s', async (_title, listener, call, expected) => {
    await answer(listener);
    const fields = await fieldsOf(call());
    expect(fields).toMatchObject(expected);
    expect(JSON.stringify(fields)).not.toContain('ada@');
  });
});
