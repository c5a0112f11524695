import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable } from 'node:stream';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { dynamodbTable } from '../lambdas/store/dynamodb-table.ts';
import type { Item, Table, Value } from '../lambdas/store/table.ts';

/** CPU time of this process, in microseconds. */
export const cpu = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

const marshalled = (value: Value): object => {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value === null) return { NULL: true };
  if (value instanceof Uint8Array) return { B: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return { L: (value as Value[]).map(marshalled) };
  return { M: marshalledItem(value as Record<string, Value | undefined>) };
};
const marshalledItem = (item: Record<string, Value | undefined>): object =>
  Object.fromEntries(Object.entries(item).flatMap(([name, value]) => (value === undefined ? [] : [[name, marshalled(value)]])));

/**
 * A table reached by the SDK as a Lambda reaches DynamoDB (serialised, signed, parsed), but for the socket: the answers are prepared beside,
 * and what that takes of the CPU is told, to be left out of the account.
 */
export const wireTable = (table: Table): { readonly table: Table; readonly preparing: () => number } => {
  let spent = 0;
  const prepared = new AsyncLocalStorage<Buffer>();
  const requestHandler = {
    handle: async () => ({ response: { statusCode: 200, headers: { 'content-type': 'application/x-amz-json-1.0' }, body: Readable.from([prepared.getStore()]) } }),
    updateHttpClientConfig: () => undefined,
    httpHandlerConfigs: () => ({}),
  };
  const client = DynamoDBDocumentClient.from(
    new DynamoDBClient({ region: 'us-east-1', credentials: { accessKeyId: 'AKIA', secretAccessKey: 'secret' }, requestHandler: requestHandler as never }),
    { marshallOptions: { removeUndefinedValues: true } },
  );
  const sdk = dynamodbTable('Mail', client);
  const answered = async <T, R>(read: Promise<T>, encode: (answer: T) => object, send: () => Promise<R>): Promise<R> => {
    const answer = await read;
    const began = cpu();
    const body = Buffer.from(JSON.stringify(encode(answer)));
    spent += cpu() - began;
    return prepared.run(body, send);
  };
  return {
    preparing: () => spent,
    table: {
      get: (key) => answered(table.get(key), (item) => (item ? { Item: marshalledItem(item) } : {}), () => sdk.get(key)),
      batchGet: (keys) => answered(table.batchGet(keys), (items: Item[]) => ({ Responses: { Mail: items.map(marshalledItem) }, UnprocessedKeys: {} }), () => sdk.batchGet(keys)),
      query: (query) => answered(table.query(query), (items: Item[]) => ({ Items: items.map(marshalledItem), Count: items.length }), () => sdk.query(query)),
      write: (writes) => answered(table.write(writes), () => ({}), () => sdk.write(writes)),
    },
  };
};
