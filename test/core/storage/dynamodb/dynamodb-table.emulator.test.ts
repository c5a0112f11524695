import { directCalls } from '../../../../core/storage/dynamodb/direct-dynamodb.ts';
import type { CallDynamodb } from '../../../../core/storage/dynamodb/dynamodb-calls.ts';
import { dynamodbClient, sdkCalls } from '../../../../core/storage/dynamodb/dynamodb-client.ts';
import { WriteRefused, type Write } from '../../../../core/storage/table.ts';
import { tableSuite } from '../../../port-suites/table-suite.ts';
import { withDynamodb, type EmulatorCalls } from '../../../support/dynamodb.ts';

const dynamodb = withDynamodb();

describe('the table in DynamoDB', () => tableSuite(() => dynamodb.newTable()));

describe('the table in DynamoDB by the SDK only', () => tableSuite(() => dynamodb.newTable(({ sdk }) => sdk)));

const isWrite = (target = ''): boolean => /Put|Update|Delete|Transact/.test(target);

/** Calls through the SDK. The response to the first successful write is lost. */
const sdkLosingOnce = (): CallDynamodb => {
  const forgetful = dynamodbClient();
  let lost = false;
  forgetful.middlewareStack.add(
    (next) => async (request) => {
      const answer = await next(request);
      if (lost || !isWrite((request.request as { headers: Record<string, string> }).headers['x-amz-target'])) return answer;
      lost = true;
      throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError', code: 'ECONNRESET' });
    },
    { step: 'deserialize', priority: 'low' },
  );
  return sdkCalls(forgetful);
};

/** Direct calls. The response to the first successful write is lost. */
const directLosingOnce = ({ sendDirectly, sdk }: EmulatorCalls): CallDynamodb => {
  let lost = false;
  return directCalls(async (request) => {
    const answer = await sendDirectly(request);
    if (lost || !isWrite(request.headers['x-amz-target'])) return answer;
    lost = true;
    throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
  }, sdk);
};

describe.each([
  ['of the SDK', sdkLosingOnce],
  ['of a direct call', directLosingOnce],
])('a write whose response is lost, %s', (_caller, losingOnce) => {
  const item = { pk: 'p', sk: 'a', name: 'n', nested: { b: 1, a: [1] } };

  it.each<[string, Write[], object | undefined]>([
    ['a put of what was absent', [{ put: item, if: { absent: true } }], item],
    ['an update of what had another value', [{ update: item, set: { name: 'x' }, if: { lacks: 'name' } }], { pk: 'p', sk: 'a', name: 'x' }],
    ['an addition', [{ update: item, add: { count: 1 } }], { pk: 'p', sk: 'a', count: 1 }],
    [
      'a transaction',
      [
        { put: item, if: { absent: true } },
        { update: { pk: 'p', sk: 'b' }, add: { count: 1 } },
      ],
      item,
    ],
  ])('is not done twice and not called refused: %s', async (_title, writes, stored) => {
    const table = await dynamodb.newTable(losingOnce);
    await table.write(writes);
    expect(await table.get(item)).toEqual(stored);
    if (writes.length > 1) expect((await table.get({ pk: 'p', sk: 'b' }))?.['count']).toBe(1);
  });

  it('is made once and not reported as refused, also in another table', async () => {
    const [table, other] = [await dynamodb.newTable(losingOnce), await dynamodb.newTable()];
    await table.write([{ put: item, if: { absent: true }, inTable: other.reference }]);
    expect([await table.get(item), await other.get(item)]).toEqual([undefined, item]);
  });

  it('is reported as refused when another writer’s item is stored', async () => {
    const table = await dynamodb.newTable(losingOnce);
    await table.write([{ put: { pk: 'p', sk: 'other' } }]);
    await table.write([{ put: { ...item, name: 'theirs' } }]);
    await expect(table.write([{ put: item, if: { absent: true } }])).rejects.toBeInstanceOf(WriteRefused);
  });
});
