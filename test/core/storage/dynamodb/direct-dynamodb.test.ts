import { directCalls } from '../../../../core/storage/dynamodb/direct-dynamodb.ts';
import { dynamodbTable } from '../../../../core/storage/dynamodb/dynamodb-table.ts';
import type { SendDirectly } from '../../../../core/storage/http/direct-request.ts';
import { WriteRefused, type Write } from '../../../../core/storage/table.ts';

type Body = { readonly [field: string]: unknown };
type SdkCall = (operation: string, input: Body) => object;

/** A table whose direct attempts get responses from `direct`, and whose further attempts from `sdk`. */
const tableWith = (direct: (operation: string, body: Body) => { status: number; body: object; attempts?: number }, sdk: SdkCall = () => ({})) => {
  const sent: { operation: string; body: Body }[] = [];
  const repeated: { operation: string; input: Body }[] = [];
  const send: SendDirectly = async ({ headers, body }) => {
    const operation = headers['x-amz-target']!.split('.')[1]!;
    sent.push({ operation, body: JSON.parse(body!) as Body });
    const answer = direct(operation, sent.at(-1)!.body);
    return {
      status: answer.status,
      attempts: answer.attempts ?? 1,
      headers: {},
      body: Buffer.isBuffer(answer.body) ? answer.body : Buffer.from(JSON.stringify(answer.body)),
    };
  };
  const call = async (operation: string, input: Body) => {
    repeated.push({ operation, input });
    return sdk(operation, input);
  };
  return { table: dynamodbTable('Mail', directCalls(send, call)), sent, repeated };
};
const lost = () => {
  throw new Error('socket hang up');
};
const exception = (name: string, more = {}) => ({ status: 400, body: { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: name, ...more } });
const key = { pk: 'p', sk: 'a' };
const two: Write[] = [
  { put: { ...key, text: 'x' }, if: { absent: true } },
  { update: { pk: 'p', sk: 'b' }, add: { count: 1 } },
];
const outcomeOf = (writing: Promise<void>) =>
  writing.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('calls to DynamoDB that are sent directly', () => {
  test('need no SDK when they succeed', async () => {
    const { table, sent, repeated } = tableWith((operation) => ({
      status: 200,
      body: {
        GetItem: { Item: { pk: { S: 'p' }, sk: { S: 'a' }, map: { M: { n: { N: '1.5' }, list: { L: [{ BOOL: true }, { NULL: true }] } } } } },
        BatchGetItem: { Responses: { Mail: [{ pk: { S: 'p' }, sk: { S: 'a' }, bytes: { B: 'AP8=' } }] }, UnprocessedKeys: {} },
        TransactWriteItems: {},
        PutItem: {},
      }[operation]!,
    }));
    expect(await table.get(key)).toEqual({ ...key, map: { n: 1.5, list: [true, null] } });
    expect(await table.batchGet([key])).toEqual([{ ...key, bytes: Buffer.of(0, 255) }]);
    await table.write(two);
    await table.write([two[0]!]);
    expect(sent.map(({ operation }) => operation)).toEqual(['GetItem', 'BatchGetItem', 'TransactWriteItems', 'PutItem']);
    expect(sent[0]!.body).toEqual({ TableName: 'Mail', Key: { pk: { S: 'p' }, sk: { S: 'a' } }, ConsistentRead: true });
    expect(sent[2]!.body['TransactItems']).toEqual([
      {
        Put: {
          TableName: 'Mail',
          ConditionExpression: '(attribute_not_exists(#n0))',
          ExpressionAttributeNames: { '#n0': 'pk' },
          Item: { pk: { S: 'p' }, sk: { S: 'a' }, text: { S: 'x' } },
        },
      },
      {
        Update: {
          TableName: 'Mail',
          UpdateExpression: 'ADD #n0 :v0',
          ExpressionAttributeNames: { '#n0': 'count' },
          ExpressionAttributeValues: { ':v0': { N: '1' } },
          Key: { pk: { S: 'p' }, sk: { S: 'b' } },
        },
      },
    ]);
    expect(repeated).toEqual([]);
  });

  test('read a query of several pages', async () => {
    const { table, sent } = tableWith((_operation, body) => ({
      status: 200,
      body: body['ExclusiveStartKey']
        ? { Items: [{ pk: { S: 'p' }, sk: { S: 'b' } }] }
        : { Items: [{ pk: { S: 'p' }, sk: { S: 'a' } }], LastEvaluatedKey: { pk: { S: 'p' }, sk: { S: 'a' } } },
    }));
    expect(await table.query({ pk: 'p', after: '0' })).toEqual([key, { pk: 'p', sk: 'b' }]);
    expect(sent.map(({ body }) => body['ExclusiveStartKey'])).toEqual([undefined, { pk: { S: 'p' }, sk: { S: 'a' } }]);
    expect(sent[0]!.body['ExpressionAttributeValues']).toEqual({ ':pk': { S: 'p' }, ':after': { S: '0' } });
  });

  test.each<[string, () => { status: number; body: object }]>([
    ['no response', lost],
    ['a fault of DynamoDB', () => ({ status: 500, body: { __type: 'com.amazon.coral.service#InternalServerError' } })],
    ['throttling', () => exception('ProvisionedThroughputExceededException')],
    ['an error that no attempt helps', () => exception('ValidationException')],
    ['a response that is not of DynamoDB', () => ({ status: 400, body: Buffer.from('<html>') })],
  ])('are repeated by the SDK after %s, with the same input', async (_title, answer) => {
    const { table, sent, repeated } = tableWith(answer, (operation) => (operation === 'GetItem' ? { Item: key } : {}));
    expect(await table.get(key)).toEqual(key);
    await table.write(two);
    expect(repeated.map(({ operation }) => operation)).toEqual(['GetItem', 'TransactWriteItems']);
    expect(repeated[1]!.input['ClientRequestToken']).toBe(sent[1]!.body['ClientRequestToken']);
  });

  test('throw the SDK’s error', async () => {
    const failure = Object.assign(new Error('throttled'), { name: 'ProvisionedThroughputExceededException', $metadata: { attempts: 3 } });
    const { table } = tableWith(
      () => exception('ProvisionedThroughputExceededException'),
      () => {
        throw failure;
      },
    );
    await expect(table.get(key)).rejects.toBe(failure);
    expect(failure.$metadata.attempts).toBe(4);
  });

  test.each<[string, string[], readonly number[], boolean]>([
    ['a condition', ['None', 'ConditionalCheckFailed'], [1], false],
    ['another transaction', ['TransactionConflict', 'None'], [], true],
    ['throttling', ['ThrottlingError', 'None'], [], true],
  ])('refuse a transaction at once because of %s', async (_title, codes, failed, contended) => {
    const { table, repeated } = tableWith(() => exception('TransactionCanceledException', { CancellationReasons: codes.map((Code) => ({ Code })) }));
    expect(await outcomeOf(table.write(two))).toMatchObject({ name: 'WriteRefused', failed, contended });
    expect(repeated).toEqual([]);
  });

  test('immediately refuse a single write when its condition does not hold', async () => {
    const { table, repeated } = tableWith(() => exception('ConditionalCheckFailedException'));
    expect(await outcomeOf(table.write([two[0]!]))).toEqual(new WriteRefused([0], false));
    expect(repeated).toEqual([]);
  });

  test('report a single write as done when its response was lost and the SDK’s repetition is refused', async () => {
    const refused = () => {
      throw Object.assign(new Error('refused'), { name: 'ConditionalCheckFailedException', $metadata: { attempts: 1 } });
    };
    const item = { pk: { S: 'p' }, sk: { S: 'a' }, text: { S: 'x' } };
    const answer = (operation: string) => (operation === 'GetItem' ? { status: 200, body: { Item: item } } : lost());
    expect(await outcomeOf(tableWith(answer, refused).table.write([two[0]!]))).toBeUndefined();
    const theirs: Write = { put: { ...key, text: 'mine' }, if: { absent: true } };
    expect(await outcomeOf(tableWith(answer, refused).table.write([theirs]))).toBeInstanceOf(WriteRefused);
  });

  test('report a single write as done when its first attempt was on a closed connection', async () => {
    const item = { pk: { S: 'p' }, sk: { S: 'a' }, text: { S: 'x' } };
    const { table, repeated } = tableWith((operation) =>
      operation === 'GetItem' ? { status: 200, body: { Item: item } } : { ...exception('ConditionalCheckFailedException'), attempts: 2 },
    );
    expect(await outcomeOf(table.write([two[0]!]))).toBeUndefined();
    expect(await outcomeOf(table.write([{ put: { ...key, text: 'mine' }, if: { absent: true } }]))).toBeInstanceOf(WriteRefused);
    expect(repeated).toEqual([]);
  });

  test('repeat a BatchGetItem for the unprocessed keys', async () => {
    let calls = 0;
    const { table, sent } = tableWith((_operation, body) => {
      const { Keys: keys } = (body['RequestItems'] as { Mail: { Keys: object[] } }).Mail;
      return { status: 200, body: { Responses: { Mail: keys.slice(0, 1) }, UnprocessedKeys: ++calls === 1 ? { Mail: { Keys: keys.slice(1) } } : {} } };
    });
    expect(await table.batchGet([key, { pk: 'p', sk: 'b' }])).toEqual([key, { pk: 'p', sk: 'b' }]);
    expect(sent).toHaveLength(2);
  });

  test('refuse a number that DynamoDB would round', async () => {
    const { table, sent } = tableWith(lost);
    for (const number of [NaN, Infinity, 2 ** 53]) {
      await expect(table.write([{ put: { ...key, number } }])).rejects.toBeInstanceOf(RangeError);
    }
    expect(sent).toEqual([]);
  });
});
