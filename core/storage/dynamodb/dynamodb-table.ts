import { randomUUID } from 'node:crypto';
import { retryWithBackoff } from '../../runtime/backoff.ts';
import { directSender, lambdaTarget } from '../http/direct-request.ts';
import { refusalOf, WriteRefused, type Item, type Key, type Query, type Table, type Write } from '../table.ts';
import { directCalls } from './direct-dynamodb.ts';
import type { CallDynamodb, DynamodbRefusal, TransactItem } from './dynamodb-calls.ts';
import { alreadyWritten, expressions, keyCondition, keyOf } from './dynamodb-expressions.ts';

/**
 * Calls through the SDK, which is loaded on demand.
 * @param attempts the number of attempts that the direct client has already made.
 */
const lazySdkCalls = (attempts: number): CallDynamodb => {
  const loading = async () => {
    const { dynamodbClient, maxAttempts, sdkCalls } = await import('./dynamodb-client.ts');
    return sdkCalls(dynamodbClient({ maxAttempts: maxAttempts - attempts }));
  };
  let loaded: Promise<CallDynamodb> | undefined;
  return async (operation, input) => (await (loaded ??= loading()))(operation, input);
};

let shared: CallDynamodb | undefined;

/**
 * The calls that all tables of a Lambda share, so that they share connections: direct calls if the environment has keys
 * and endpoint, else calls of the SDK.
 */
const sharedDynamodbCalls = (): CallDynamodb => {
  const target = lambdaTarget('dynamodb');
  return (shared ??= target ? directCalls(directSender(target), lazySdkCalls(1)) : lazySdkCalls(0));
};

/** Maximum keys of a BatchGetItem, and maximum writes of a TransactWriteItems. */
const keysPerBatch = 100;
const writesPerTransaction = 100;

/** Pauses before unprocessed keys are read again, and before a transaction in progress is repeated. */
const backoff = { attempts: 8, firstPause: 50 } as const;

/** Thrown when DynamoDB throttled a BatchGetItem and returned only a part of the items. */
class UnprocessedKeys extends Error {
  override readonly name = 'UnprocessedKeys';
}

/** Whether DynamoDB threw this exception. */
const isNamed = (error: unknown, name: string): error is DynamodbRefusal => error instanceof Error && error.name === name;

/** The {@link Table} port over a DynamoDB table with the keys `pk` and `sk`. Every read is strongly consistent. */
export const dynamodbTable = (tableName: string, call: CallDynamodb = sharedDynamodbCalls()): Table => ({
  reference: { name: tableName },
  async get(key) {
    return (await call('GetItem', { TableName: tableName, Key: { pk: key.pk, sk: key.sk }, ConsistentRead: true })).Item;
  },
  async batchGet(keys) {
    const distinct = [...new Map(keys.map(({ pk, sk }) => [`${pk.length} ${pk}${sk}`, { pk, sk }])).values()];
    const chunks = Array.from({ length: Math.ceil(distinct.length / keysPerBatch) }, (_, i) => distinct.slice(i * keysPerBatch, (i + 1) * keysPerBatch));
    return (await Promise.all(chunks.map((chunk) => batchGet(call, tableName, chunk)))).flat();
  },
  query: (query) => queryPages(call, tableName, query),
  async write(writes) {
    const [first] = writes;
    if (!first) return;
    if (writes.length > writesPerTransaction) throw new RangeError(`${writes.length} writes do not fit one transaction`);
    if (writes.length > 1 || isNonIdempotent(first)) return writeTransaction(call, tableName, writes);
    return writeOne(call, tableName, first);
  },
});

/** Calls BatchGetItem, and repeats it for unprocessed keys. */
const batchGet = async (call: CallDynamodb, tableName: string, keys: Key[]): Promise<Item[]> => {
  const items: Item[] = [];
  let unread: readonly Key[] = keys;
  return retryWithBackoff(
    async () => {
      const answer = await call('BatchGetItem', { RequestItems: { [tableName]: { Keys: unread, ConsistentRead: true } } });
      items.push(...(answer.Responses?.[tableName] ?? []));
      unread = answer.UnprocessedKeys?.[tableName]?.Keys ?? [];
      if (unread.length > 0) throw new UnprocessedKeys(`DynamoDB left ${unread.length} keys unread`);
      return items;
    },
    { ...backoff, isRetryable: (error) => error instanceof UnprocessedKeys },
  );
};

const queryPages = async (call: CallDynamodb, tableName: string, query: Query): Promise<Item[]> => {
  const items: Item[] = [];
  const { descending, limit } = query;
  if (limit === 0) return items;
  let from: Key | undefined;
  for (;;) {
    const answer = await call('Query', {
      TableName: tableName,
      ConsistentRead: true,
      ...keyCondition(query),
      ...(descending && { ScanIndexForward: false }),
      ...(limit !== undefined && { Limit: limit - items.length }),
      ...(from && { ExclusiveStartKey: from }),
    });
    items.push(...(answer.Items ?? []));
    from = answer.LastEvaluatedKey;
    if (!from || (limit !== undefined && items.length >= limit)) return items;
  }
};

/**
 * Whether a single write must be a transaction: ADD is not idempotent, and the client request token of a transaction
 * makes the SDK's retries harmless. A condition check is only possible in a transaction.
 */
const isNonIdempotent = (write: Write): boolean => 'check' in write || ('update' in write && write.add !== undefined);

const writeOne = async (call: CallDynamodb, tableName: string, write: Write): Promise<void> => {
  const parameters = { TableName: write.inTable?.name ?? tableName, ...expressions(write), ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const };
  try {
    if ('put' in write) await call('PutItem', { ...parameters, Item: write.put });
    else if ('delete' in write) await call('DeleteItem', { ...parameters, Key: keyOf(write) });
    else await call('UpdateItem', { ...parameters, Key: keyOf(write) });
  } catch (error) {
    if (isNamed(error, 'TransactionConflictException')) throw new WriteRefused([], true);
    if (!isNamed(error, 'ConditionalCheckFailedException')) throw error;
    const repeated = (error.$metadata?.attempts ?? 1) > 1;
    if (repeated && alreadyWritten(write, await stored(call, tableName, write))) return;
    throw refusalOf([write], [0], false);
  }
};

const stored = async (call: CallDynamodb, tableName: string, write: Write): Promise<Item | undefined> =>
  (await call('GetItem', { TableName: write.inTable?.name ?? tableName, Key: keyOf(write), ConsistentRead: true })).Item;

const writeTransaction = async (call: CallDynamodb, tableName: string, writes: readonly Write[]): Promise<void> => {
  const transaction = {
    ClientRequestToken: randomUUID(),
    TransactItems: writes.map((write): TransactItem => {
      const parameters = { TableName: write.inTable?.name ?? tableName, ...expressions(write) };
      if ('put' in write) return { Put: { ...parameters, Item: write.put } };
      if ('delete' in write) return { Delete: { ...parameters, Key: keyOf(write) } };
      if ('check' in write) return { ConditionCheck: { ...parameters, ConditionExpression: parameters.ConditionExpression, Key: keyOf(write) } };
      return { Update: { ...parameters, UpdateExpression: parameters.UpdateExpression, Key: keyOf(write) } };
    }),
  };
  const isRetryable = (error: unknown) => isNamed(error, 'TransactionInProgressException');
  await retryWithBackoff(() => call('TransactWriteItems', transaction), { ...backoff, isRetryable }).catch((error: unknown) => {
    throw canceled(error, writes);
  });
};

/** Maps a canceled transaction to its refusal. Other errors are returned unchanged. */
const canceled = (error: unknown, writes: readonly Write[]): unknown => {
  if (!isNamed(error, 'TransactionCanceledException')) return error;
  const codes = (error.CancellationReasons ?? []).map((reason) => reason.Code);
  const failed = codes.flatMap((code, index) => (code === 'ConditionalCheckFailed' ? [index] : []));
  const contended = codes.some((code) => code === 'TransactionConflict' || code === 'ThrottlingError' || code === 'ProvisionedThroughputExceeded');
  return failed.length > 0 || contended ? refusalOf(writes, failed, contended) : error;
};
