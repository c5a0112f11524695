import { Readable } from 'node:stream';
import { dynamodbClient, sdkCalls } from '../../../../core/storage/dynamodb/dynamodb-client.ts';
import { dynamodbTable } from '../../../../core/storage/dynamodb/dynamodb-table.ts';
import { WriteRefused, type Write } from '../../../../core/storage/table.ts';

type Request = { readonly Keys: readonly { sk: { S: string } }[]; readonly ConsistentRead: boolean };
type Question = Record<string, unknown>;
type Answer = { readonly status?: number; readonly body: object };

/** Errors of DynamoDB on the wire: each call gets the next of these responses. */
const answering = (...answers: ((body: Question) => Answer)[]) => {
  const asked: Question[] = [];
  const requestHandler = {
    handle: async ({ body }: { body: string | Uint8Array }) => {
      const question = JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)) as Question;
      asked.push(question);
      const { status = 200, body: answer } = answers[asked.length - 1]!(question);
      return {
        response: { statusCode: status, headers: { 'content-type': 'application/x-amz-json-1.0' }, body: Readable.from([Buffer.from(JSON.stringify(answer))]) },
      };
    },
    updateHttpClientConfig: () => undefined,
    httpHandlerConfigs: () => ({}),
  };
  const client = dynamodbClient({ region: 'us-east-1', credentials: { accessKeyId: 'A', secretAccessKey: 'S' }, requestHandler: requestHandler as never });
  return { table: dynamodbTable('Mail', sdkCalls(client)), asked };
};
const refused =
  (...codes: string[]) =>
  () => ({
    status: 400,
    body: {
      __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
      message: 'canceled',
      CancellationReasons: codes.map((Code) => ({ Code })),
    },
  });
const failing = (type: string) => () => ({ status: 400, body: { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: type } });
const two: Write[] = [{ put: { pk: 'p', sk: 'a' } }, { put: { pk: 'p', sk: 'b' } }];
const outcomeOf = (writing: Promise<void>) =>
  writing.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('the table when DynamoDB answers in part or throttles', () => {
  it('repeats a BatchGetItem for the unprocessed keys only', async () => {
    const keysOf = (body: Question) => (body['RequestItems'] as Record<string, Request>)['Mail']!.Keys;
    const { table, asked } = answering(
      (body) => ({
        body: { Responses: { Mail: [{ pk: { S: 'p' }, sk: { S: 'a' } }] }, UnprocessedKeys: { Mail: { Keys: keysOf(body).slice(1), ConsistentRead: true } } },
      }),
      (body) => ({ body: { Responses: { Mail: keysOf(body).map((key) => key) }, UnprocessedKeys: {} } }),
    );
    const items = await table.batchGet(['a', 'b', 'c'].map((sk) => ({ pk: 'p', sk })));
    expect(items.map(({ sk }) => sk)).toEqual(['a', 'b', 'c']);
    expect(asked.map((body) => keysOf(body).map(({ sk }) => sk.S))).toEqual([
      ['a', 'b', 'c'],
      ['b', 'c'],
    ]);
    expect(asked.map((body) => (body['RequestItems'] as Record<string, Request>)['Mail']!.ConsistentRead)).toEqual([true, true]);
  });

  it.each<[string, string[], readonly number[], boolean]>([
    ['a condition', ['None', 'ConditionalCheckFailed'], [1], false],
    ['another transaction', ['TransactionConflict', 'None'], [], true],
    ['both', ['TransactionConflict', 'ConditionalCheckFailed'], [1], true],
    ['throttling', ['ThrottlingError', 'None'], [], true],
  ])('says what canceled a transaction: %s', async (_title, codes, failed, contended) => {
    const error = (await outcomeOf(answering(refused(...codes)).table.write(two))) as WriteRefused;
    expect(error).toBeInstanceOf(WriteRefused);
    expect([error.failed, error.contended]).toEqual([failed, contended]);
  });

  it('throws a validation error unchanged, not as WriteRefused', async () => {
    const error = await outcomeOf(answering(refused('ValidationError', 'None')).table.write(two));
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(WriteRefused);
  });

  it('repeats a transaction that is in progress with the same token', async () => {
    const { table, asked } = answering(failing('TransactionInProgressException'), failing('TransactionInProgressException'), () => ({ body: {} }));
    await table.write(two);
    expect(asked).toHaveLength(3);
    expect(new Set(asked.map((body) => body['ClientRequestToken'])).size).toBe(1);
  });

  it('reports a single write that met a transaction as contended', async () => {
    const conflict = failing('TransactionConflictException');
    const error = (await outcomeOf(answering(conflict, conflict, conflict, conflict).table.write([two[0]!]))) as WriteRefused;
    expect(error).toBeInstanceOf(WriteRefused);
    expect(error.contended).toBe(true);
  });
});
