import {
  BatchWriteItemCommand,
  CreateTableCommand,
  DeleteItemCommand,
  DynamoDBClient,
  PutItemCommand,
  QueryCommand,
  type QueryCommandInput,
} from '@aws-sdk/client-dynamodb';
import { withEmulator } from '../../support/test-emulator.ts';

const count = 2000;
const sortKey = (number: number): string => String(number).padStart(8, '0');

const fixture = withEmulator();
let dynamodb: DynamoDBClient;
beforeAll(async () => {
  dynamodb = new DynamoDBClient(fixture.clientConfig);
  await dynamodb.send(
    new CreateTableCommand({
      TableName: 'log',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
    }),
  );
  for (let start = 0; start < count; start += 25) {
    const items = Array.from({ length: 25 }, (_, index) => ({ PutRequest: { Item: { pk: { S: 'a' }, sk: { S: sortKey(start + index) } } } }));
    await dynamodb.send(new BatchWriteItemCommand({ RequestItems: { log: items } }));
  }
});

const query = async (condition: string, values: Record<string, string>): Promise<string[]> => {
  const input: QueryCommandInput = {
    TableName: 'log',
    KeyConditionExpression: condition,
    ExpressionAttributeNames: { '#pk': 'pk' },
    ExpressionAttributeValues: Object.fromEntries(Object.entries({ ':pk': 'a', ...values }).map(([name, value]) => [name, { S: value }])),
  };
  return (await dynamodb.send(new QueryCommand(input))).Items!.map((item) => item['sk']!.S!);
};

const fastest = async (work: () => Promise<unknown>): Promise<number> => {
  let best = Infinity;
  for (let run = 0; run < 5; run += 1) {
    const begun = performance.now();
    await work();
    best = Math.min(best, performance.now() - begun);
  }
  return best;
};

describe('a Query', () => {
  test('returns the items that match, for every comparison', async () => {
    const last = [1997, 1998, 1999].map(sortKey);
    for (const repeated of [1, 2]) {
      expect([repeated, await query('#pk = :pk AND sk > :sk', { ':sk': sortKey(1996) })]).toEqual([repeated, last]);
      expect(await query('#pk = :pk and sk >= :sk', { ':sk': sortKey(1997) })).toEqual(last);
      expect(await query('#pk = :pk AND sk < :sk', { ':sk': sortKey(2) })).toEqual([0, 1].map(sortKey));
      expect(await query('#pk = :pk AND sk <= :sk', { ':sk': sortKey(1) })).toEqual([0, 1].map(sortKey));
      expect(await query('#pk = :pk AND sk = :sk', { ':sk': sortKey(7) })).toEqual([sortKey(7)]);
      expect(await query('#pk = :pk AND begins_with(sk, :sk)', { ':sk': '0000199' })).toHaveLength(10);
      expect(await query('#pk = :pk AND sk BETWEEN :from AND :to', { ':from': sortKey(3), ':to': sortKey(4) })).toEqual([3, 4].map(sortKey));
    }
  });

  test('returns items that were written after an earlier query, and none that were deleted', async () => {
    const key = (sk: string, pk = 'a') => ({ pk: { S: pk }, sk: { S: sk } });
    const newest = () => query('#pk = :pk AND sk > :sk', { ':sk': sortKey(1997) });
    expect(await newest()).toEqual([1998, 1999].map(sortKey));
    for (const sk of [`${sortKey(1998)}b`, `${sortKey(1998)}a`, 'HEAD', sortKey(1999)]) {
      await dynamodb.send(new PutItemCommand({ TableName: 'log', Item: key(sk) }));
    }
    await dynamodb.send(new PutItemCommand({ TableName: 'log', Item: key(sortKey(1998), 'b') }));
    expect(await newest()).toEqual([sortKey(1998), `${sortKey(1998)}a`, `${sortKey(1998)}b`, sortKey(1999), 'HEAD']);
    for (const sk of [`${sortKey(1998)}b`, `${sortKey(1998)}a`, 'HEAD', 'none']) {
      await dynamodb.send(new DeleteItemCommand({ TableName: 'log', Key: key(sk) }));
    }
    expect(await newest()).toEqual([1998, 1999].map(sortKey));
    expect(await query('#pk = :pk AND sk > :sk', { ':pk': 'b', ':sk': '0' })).toEqual([sortKey(1998)]);
    await dynamodb.send(new DeleteItemCommand({ TableName: 'log', Key: key(sortKey(1998), 'b') }));
    expect(await query('#pk = :pk AND sk > :sk', { ':pk': 'b', ':sk': '0' })).toEqual([]);
  });

  test('returns the items in either direction, up to a limit, and continues after them', async () => {
    const input = {
      TableName: 'log',
      KeyConditionExpression: 'pk = :pk AND sk >= :sk',
      Limit: 2,
      ExpressionAttributeValues: { ':pk': { S: 'a' }, ':sk': { S: sortKey(1995) } },
    };
    for (const [forward, pages] of [
      [true, [[1995, 1996], [1997, 1998], [1999]]],
      [false, [[1999, 1998], [1997, 1996], [1995]]],
    ] as const) {
      let start: QueryCommandInput['ExclusiveStartKey'];
      for (const page of pages) {
        const { Items: items, LastEvaluatedKey } = await dynamodb.send(new QueryCommand({ ...input, ScanIndexForward: forward, ExclusiveStartKey: start }));
        expect(items!.map(({ sk }) => sk!.S)).toEqual(page.map(sortKey));
        start = LastEvaluatedKey;
      }
    }
  });

  test('for few items of a large partition is fast', async () => {
    const parsedForEach = await fastest(() => query('#pk = :pk AND sk BETWEEN :from AND :to', { ':from': sortKey(1998), ':to': sortKey(1999) }));
    const compared = await fastest(() => query('#pk = :pk AND sk > :sk', { ':sk': sortKey(1997) }));
    expect(compared).toBeLessThan(parsedForEach / 4);
  });
});
