import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable } from 'node:stream';
import { dynamodbClient } from '../core/storage/dynamodb-client.ts';
import { dynamodbTable } from '../core/storage/dynamodb-table.ts';
import type { Table } from '../core/storage/table.ts';
import { imageOf } from '../test/support/table-stream.ts';

/**
 * A table that is called through the SDK like DynamoDB by a Lambda (serialized, signed, parsed), but without a socket.
 * Responses are prepared once and reused for the same request, so that preparing them is not measured. The table must
 * not change.
 */
export const wireTable = (table: Table): Table => {
  const bodies = new Map<string, Buffer>();
  const preparedBody = new AsyncLocalStorage<Buffer>();
  const requestHandler = {
    handle: async () => ({
      response: {
        statusCode: 200, headers: { 'content-type': 'application/x-amz-json-1.0' }, body: Readable.from([preparedBody.getStore()]),
      },
    }),
    updateHttpClientConfig: () => undefined,
    httpHandlerConfigs: () => ({}),
  };
  const client = dynamodbClient({
    region: 'us-east-1', credentials: { accessKeyId: 'AKIA', secretAccessKey: 'secret' }, requestHandler: requestHandler as never,
  });
  const sdk = dynamodbTable('Mail', client);
  const respond = async <T>(request: string, prepare: () => Promise<object>, send: () => Promise<T>): Promise<T> => {
    const body = bodies.get(request) ?? Buffer.from(JSON.stringify(await prepare()));
    bodies.set(request, body);
    return preparedBody.run(body, send);
  };
  return {
    reference: sdk.reference,
    get: (key) => respond(`get ${key.pk} ${key.sk}`, async () => {
      const item = await table.get(key);
      return item ? { Item: imageOf(item) } : {};
    }, () => sdk.get(key)),
    batchGet: async (keys) => {
      const chunks = Array.from({ length: Math.ceil(keys.length / 100) }, (_, i) => keys.slice(i * 100, (i + 1) * 100));
      return (await Promise.all(chunks.map((chunk) => respond(`batch ${chunk[0]!.pk} ${chunk[0]!.sk} ${chunk.at(-1)!.sk}`, async () =>
        ({ Responses: { Mail: (await table.batchGet(chunk)).map(imageOf) }, UnprocessedKeys: {} }), () => sdk.batchGet(chunk))))).flat();
    },
    query: (query) => respond(`query ${JSON.stringify(query)}`, async () => {
      const items = await table.query(query);
      return { Items: items.map(imageOf), Count: items.length };
    }, () => sdk.query(query)),
    write: () => Promise.reject(new Error('the table must not change')),
  };
};
