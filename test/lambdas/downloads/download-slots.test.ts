import { downloadLimits, downloadSeconds } from '../../../contract/jmap/blob.ts';
import { downloadSlots } from '../../../lambdas/downloads/download-slots.ts';
import { memoryLog } from '../../fakes/memory-log.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { blobsDeployment } from '../../support/blobs-deployment.ts';
import { perTest } from '../../support/per-test.ts';
import { roundTripMeter } from '../../support/round-trip-meter.ts';

const { atOnce, countedOctets } = downloadLimits;
const deployment = perTest(() => blobsDeployment());

const stored = async (accountId: string, octets: number) => {
  const key = 'L'.repeat(22);
  await deployment.objects.put(`uploads/${accountId}/${key}`, Buffer.alloc(octets));
  return { accountId, blobId: `U${key}` };
};
const begin = (who: string, query: Record<string, string>, headers?: Record<string, string>) => deployment.beginDownload(who, query, headers);
const fill = (who: string, query: Record<string, string>) => Promise.all(Array.from({ length: atOnce }, () => begin(who, query)));

describe('downloads of a person at the same time', () => {
  test('are four, and the next one is 429 with Retry-After and what to do, until one of them has ended', async () => {
    const blob = await stored('acc_alice', countedOctets);
    const running = await fill('alice', blob);
    expect(running.map(({ statusCode }) => statusCode)).toEqual(Array(atOnce).fill(200));
    const refused = await begin('alice', blob);
    expect(refused).toMatchObject({
      statusCode: 429,
      headers: { 'retry-after': '10', 'access-control-allow-origin': '*', 'content-type': 'application/problem+json' },
    });
    expect(JSON.parse(refused.body!)).toMatchObject({
      type: 'about:blank',
      detail: 'You have 4 downloads of 1 MB or more at the same time. Begin this one when one of them has ended.',
    });
    await running[2]!.release!();
    expect((await begin('alice', blob)).statusCode).toBe(200);
    expect((await begin('alice', blob)).statusCode).toBe(429);
  });

  test('count for the person, not for the shared account', async () => {
    const [shared, other] = [await stored('acc_alice', countedOctets), await stored('acc_bob', countedOctets)];
    await fill('alice', shared);
    expect((await begin('reader', shared)).statusCode).toBe(200);
    await fill('member', shared);
    expect((await begin('member', other)).statusCode).toBe(429);
  });

  test('do not count small ones, nor HEAD, ranges and conditions that need little', async () => {
    const blob = await stored('acc_alice', countedOctets);
    await fill('alice', blob);
    const { headers } = await deployment.beginDownload('alice', blob, {}, 'HEAD');
    const statuses = await Promise.all([
      begin('alice', blob, { range: 'bytes=0-999' }),
      begin('alice', blob, { range: `bytes=${countedOctets}-` }),
      begin('alice', blob, { 'if-none-match': String(headers!['etag']) }),
      begin('alice', await stored('acc_alice', countedOctets - 1)),
    ]);
    expect(statuses.map(({ statusCode }) => statusCode)).toEqual([206, 416, 304, 200]);
  });

  test('of a Lambda that was lost end when the reader would have been cut off', async () => {
    const blob = await stored('acc_alice', 10_000_000);
    await fill('alice', blob);
    deployment.later(downloadSeconds(10_000_000));
    expect((await begin('alice', blob)).statusCode).toBe(429);
    deployment.later(1);
    expect((await begin('alice', blob)).statusCode).toBe(200);
  });

  test('hold nothing after a failure of the bucket, or for a blob that is gone', async () => {
    const blob = await stored('acc_alice', countedOctets);
    const get = jest.spyOn(deployment.objects, 'get').mockRejectedValue(new Error('the bucket fails'));
    for (let count = 0; count <= atOnce; count++) expect((await begin('alice', blob)).statusCode).toBe(500);
    get.mockResolvedValue(undefined);
    for (let count = 0; count <= atOnce; count++) expect((await deployment.download('alice', blob)).statusCode).toBe(404);
    get.mockRestore();
    expect((await begin('alice', blob)).statusCode).toBe(200);
  });

  test('have an item that expires', async () => {
    await fill('alice', await stored('acc_alice', countedOctets));
    const [item] = await deployment.mailTable.query({ pk: 'downloads#alice' });
    expect(item!['expiresAt']).toBeGreaterThan(deployment.now().getTime() / 1000 + downloadSeconds(40_000_000));
  });

  test('cost one write each at their begin and end, and a refused one as many reads as writes', async () => {
    const blob = await stored('acc_alice', countedOctets);
    const meter = roundTripMeter();
    meter.watch(deployment.mailTable);
    const tripsOf = async (act: () => Promise<unknown>): Promise<number> => {
      const before = meter.roundTrips.count;
      await act();
      return meter.roundTrips.count - before;
    };
    let first: Awaited<ReturnType<typeof begin>> | undefined;
    expect(
      await tripsOf(async () => {
        first = await begin('alice', blob);
      }),
    ).toBe(1);
    expect(await tripsOf(() => first!.release!())).toBe(1);
    await fill('alice', blob);
    expect(await tripsOf(() => begin('alice', blob))).toBe(2);
  });
});

describe('slots', () => {
  const now = () => new Date('2026-11-21T08:38:00Z');

  test('are given to exactly four of many that begin at once', async () => {
    const slots = downloadSlots(memoryTable(), now, memoryLog());
    const taken = await Promise.all(Array.from({ length: 20 }, () => slots.take('alice', countedOctets)));
    expect(taken.filter((slot) => slot !== undefined)).toHaveLength(atOnce);
  });

  test('that another download has by now are not freed by one that lasted longer than its time', async () => {
    const table = memoryTable();
    let time = now();
    const slots = downloadSlots(table, () => time, memoryLog());
    const late = await Promise.all(Array.from({ length: atOnce }, () => slots.take('alice', countedOctets)));
    time = new Date(time.getTime() + 3_600_000);
    for (let count = 0; count < atOnce; count++) expect(await slots.take('alice', countedOctets)).toBeDefined();
    await Promise.all(late.map((slot) => slot!.release()));
    expect(await slots.take('alice', countedOctets)).toBeUndefined();
  });

  test('that cannot be freed are logged without a name, and end with their time', async () => {
    const [table, log] = [memoryTable(), memoryLog()];
    const slots = downloadSlots(table, now, log);
    const slot = await slots.take('alice', countedOctets);
    table.write = async () => {
      throw new Error('DynamoDB is away');
    };
    await slot!.release();
    expect(log.records).toMatchObject([{ level: 'warn', message: 'the slot of a download could not be freed' }]);
    expect(JSON.stringify(log.records)).not.toContain('alice');
  });
});
