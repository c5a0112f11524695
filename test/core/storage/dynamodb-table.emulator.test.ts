import { dynamodbClient } from '../../../core/storage/dynamodb-client.ts';
import { WriteRefused, type Write } from '../../../core/storage/table.ts';
import { tableSuite } from '../../port-suites/table-suite.ts';
import { withDynamodb } from '../../support/dynamodb.ts';

const dynamodb = withDynamodb();

describe('the table in DynamoDB', () => tableSuite(() => dynamodb.newTable()));

describe('a write whose response is lost', () => {
  /** Loses the answer of the first write that gets through, as a broken connection does; the SDK then tries again. */
  const losingOnce = () => {
    const forgetful = dynamodbClient();
    let lost = false;
    forgetful.middlewareStack.add((next) => async (request) => {
      const answer = await next(request);
      const target = (request.request as { headers: Record<string, string> }).headers['x-amz-target'] ?? '';
      if (lost || !/Put|Update|Delete|Transact/.test(target)) return answer;
      lost = true;
      throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError', code: 'ECONNRESET' });
    }, { step: 'deserialize', priority: 'low' });
    return forgetful;
  };
  const item = { pk: 'p', sk: 'a', name: 'n', nested: { b: 1, a: [1] } };

  it.each<[string, Write[], object | undefined]>([
    ['a put of what was absent', [{ put: item, if: { absent: true } }], item],
    ['an update of what had another value', [{ update: item, set: { name: 'x' }, if: { lacks: 'name' } }], { pk: 'p', sk: 'a', name: 'x' }],
    ['an addition', [{ update: item, add: { count: 1 } }], { pk: 'p', sk: 'a', count: 1 }],
    ['a transaction', [{ put: item, if: { absent: true } }, { update: { pk: 'p', sk: 'b' }, add: { count: 1 } }], item],
  ])('is not done twice and not called refused: %s', async (_title, writes, stored) => {
    const forgetful = losingOnce();
    const table = await dynamodb.newTable(forgetful);
    await table.write(writes);
    expect(await table.get(item)).toEqual(stored);
    if (writes.length > 1) expect((await table.get({ pk: 'p', sk: 'b' }))?.['count']).toBe(1);
    forgetful.destroy();
  });

  it('is not made twice and not reported as refused, also in another table', async () => {
    const forgetful = losingOnce();
    const [table, other] = [await dynamodb.newTable(forgetful), await dynamodb.newTable()];
    await table.write([{ put: item, if: { absent: true }, inTable: other.reference }]);
    expect([await table.get(item), await other.get(item)]).toEqual([undefined, item]);
    forgetful.destroy();
  });

  it('is reported as refused when another writer’s item is stored', async () => {
    const forgetful = losingOnce();
    const table = await dynamodb.newTable(forgetful);
    await table.write([{ put: { pk: 'p', sk: 'other' } }]);
    await table.write([{ put: { ...item, name: 'theirs' } }]);
    await expect(table.write([{ put: item, if: { absent: true } }])).rejects.toBeInstanceOf(WriteRefused);
    forgetful.destroy();
  });
});
