import { AsyncLocalStorage } from 'node:async_hooks';
import { directCalls } from '../../../core/storage/dynamodb/direct-dynamodb.ts';
import { dynamodbTable } from '../../../core/storage/dynamodb/dynamodb-table.ts';
import { imageOf } from '../../../core/storage/dynamodb/item-image.ts';
import { requestSigner } from '../../../core/storage/http/request-signature.ts';
import type { Table } from '../../../core/storage/table.ts';

/**
 * A table that is called like DynamoDB by a Lambda (serialized, signed, parsed), but without a socket. Responses are
 * prepared once and reused for the same request, so that preparing them is not measured. The table must not change.
 */
export const wireTable = (table: Table): Table => {
  const bodies = new Map<string, Buffer>();
  const preparedBody = new AsyncLocalStorage<Buffer>();
  const sign = requestSigner('dynamodb', 'us-east-1', () => ({ accessKeyId: 'AKIA', secretAccessKey: 'secret' }));
  const wired = dynamodbTable(
    'Mail',
    directCalls(
      async ({ method, path, headers, body = '' }) => {
        sign({ method, path, headers, host: 'dynamodb.us-east-1.amazonaws.com', body }, new Date());
        return { status: 200, headers: {}, body: preparedBody.getStore()!, attempts: 1 };
      },
      () => Promise.reject(new Error('a direct call succeeds')),
    ),
  );
  const respond = async <T>(request: string, prepare: () => Promise<object>, send: () => Promise<T>): Promise<T> => {
    const body = bodies.get(request) ?? Buffer.from(JSON.stringify(await prepare()));
    bodies.set(request, body);
    return preparedBody.run(body, send);
  };
  return {
    reference: wired.reference,
    get: (key) =>
      respond(
        `get ${key.pk} ${key.sk}`,
        async () => {
          const item = await table.get(key);
          return item ? { Item: imageOf(item) } : {};
        },
        () => wired.get(key),
      ),
    batchGet: async (keys) => {
      const chunks = Array.from({ length: Math.ceil(keys.length / 100) }, (_, i) => keys.slice(i * 100, (i + 1) * 100));
      return (
        await Promise.all(
          chunks.map((chunk) =>
            respond(
              `batch ${chunk[0]!.pk} ${chunk[0]!.sk} ${chunk.at(-1)!.sk}`,
              async () => ({ Responses: { Mail: (await table.batchGet(chunk)).map(imageOf) }, UnprocessedKeys: {} }),
              () => wired.batchGet(chunk),
            ),
          ),
        )
      ).flat();
    },
    query: (query) =>
      respond(
        `query ${JSON.stringify(query)}`,
        async () => {
          const items = await table.query(query);
          return { Items: items.map(imageOf), Count: items.length };
        },
        () => wired.query(query),
      ),
    write: () => Promise.reject(new Error('the table must not change')),
  };
};
