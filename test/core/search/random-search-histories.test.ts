import * as fc from 'fast-check';
import { textSorts } from '../../../core/account-index/columns/text-sorts.ts';
import { purgeInterval } from '../../../core/search/indexing/index-emails.ts';
import type { Objects } from '../../../core/storage/objects.ts';
import { WriteRefused, type Table } from '../../../core/storage/table.ts';
import { assertProperty } from '../../support/assert-property.ts';
import { conditionArbitrary, words } from '../../support/search-documents.ts';
import { searchedMail, type SearchedMail } from '../../support/searched-mail.ts';

/** A random event in the life of an account. */
type Event =
  | { readonly do: 'deliver'; readonly count: number; readonly picks: readonly number[] }
  | { readonly do: 'destroy'; readonly pick: number; readonly count: number }
  | { readonly do: 'index'; readonly isCold: boolean }
  | { readonly do: 'crash'; readonly after: number; readonly where: 'objects' | 'table' }
  | { readonly do: 'race' | 'remove retired' | 'wait' }
  | { readonly do: 'damage'; readonly pick: number };

const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('deliver' as const),
      count: fc.integer({ min: 1, max: 5 }),
      picks: fc.array(fc.nat(1000), { minLength: 1, maxLength: 12 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('destroy' as const), pick: fc.nat(1000), count: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('index' as const), isCold: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('crash' as const), after: fc.nat(6), where: fc.constantFrom('objects' as const, 'table' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('race' as const, 'remove retired' as const, 'wait' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('damage' as const), pick: fc.nat(1000) }) },
);

/** The mail with a limited number of calls. After them every call fails, as when the Lambda is stopped. */
const stoppedAfter = (mail: SearchedMail, calls: number, where: 'objects' | 'table'): { readonly table: Table; readonly objects: Objects } => {
  let left = calls;
  const counted =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      if (left-- <= 0) throw new Error('the Lambda is stopped');
      return call(...args);
    };
  const { table, objects } = mail;
  if (where === 'objects') {
    const get = counted((...args: Parameters<Objects['get']>) => objects.get(...args));
    const put = counted((...args: Parameters<Objects['put']>) => objects.put(...args));
    return { table, objects: { ...objects, get, put } };
  }
  const write = async (writes: Parameters<Table['write']>[0]): Promise<void> => {
    if (left-- === 0) throw new WriteRefused([], true);
    await table.write(writes);
    if (left < -2) throw new Error('the Lambda is stopped');
  };
  return { objects, table: { ...table, write, batchGet: counted((keys: Parameters<Table['batchGet']>[0]) => table.batchGet(keys)) } };
};

const apply = async (mail: SearchedMail, happening: Event, next: () => number): Promise<void> => {
  switch (happening.do) {
    case 'deliver':
      for (let i = 0; i < happening.count; i++) {
        const word = (at: number) => words[(happening.picks[at % happening.picks.length]! + i) % words.length]!;
        await mail.deliver(next(), {
          subject: `${word(0)} ${word(1)}`,
          body: happening.picks.map((_, at) => word(at)).join(' '),
          from: `${word(2)} <${word(3)}@example.net>`,
          listId: i % 2 === 0 ? `${word(4)} ${word(5)}` : '',
        });
      }
      return;
    case 'destroy': {
      const ids = await mail.ids();
      const chosen = ids.slice(happening.pick % (ids.length + 1)).slice(0, happening.count);
      if (chosen.length > 0) await mail.destroy(...chosen);
      return;
    }
    case 'index':
      return mail.index({ isCold: happening.isCold });
    case 'crash':
      return mail.index({ reach: stoppedAfter(mail, happening.after, happening.where) });
    case 'race': {
      await Promise.allSettled([mail.indexEmails()(mail.account), mail.indexEmails()(mail.account)]);
      return;
    }
    case 'remove retired': {
      await mail.removeRetired();
      return;
    }
    case 'wait':
      return mail.wait(purgeInterval);
    case 'damage': {
      const keys = mail.searchKeys();
      const key = keys[happening.pick % Math.max(1, keys.length)];
      if (key !== undefined) await mail.objects.put(key, Buffer.from('damaged'));
    }
  }
};

const bounds = { logBytes: 800, remaining: 3 };

describe('random histories of a searched account', () => {
  test('search finds the same Emails as a scan of all messages, after any deliveries, destructions, crashes, races and damage', () =>
    assertProperty(
      fc.asyncProperty(
        fc.array(event, { minLength: 4, maxLength: 25, size: 'max' }),
        fc.array(conditionArbitrary, { minLength: 1, maxLength: 3 }),
        async (events, conditions) => {
          const mail = await searchedMail({ bounds });
          let number = 0;
          const warm = mail.newSearch();
          for (const [index, happening] of events.entries()) {
            await apply(mail, happening, () => ++number);
            const condition = conditions[index % conditions.length]!;
            const expected = await mail.scan(condition);
            expect(await mail.find(condition, warm)).toEqual(expected);
            const sort = { property: textSorts[index % 3]!, isAscending: index % 2 === 0, collation: [undefined, 'i;ascii-casemap'][(index % 5) % 2] };
            expect(await mail.sorted(warm, sort)).toEqual(await mail.sortedScan(sort));
            if (index % 3 === 0) expect(await mail.find(condition, mail.newSearch())).toEqual(expected);
          }
          // The indexer repairs what was damaged or left: then no words of destroyed Emails, and no unused objects, remain.
          for (let round = 0; round < 3; round++) {
            mail.wait(purgeInterval + 3_600_000);
            await mail.deliver(++number, { body: 'of '.repeat(400) });
            await mail.removeRetired();
            await mail.index({ isCold: true });
          }
          mail.wait(3_600_000 * 2);
          await mail.removeRetired();
          const segments = await mail.segments();
          expect(mail.searchKeys()).toHaveLength(segments.length + 1);
          const documents = segments.reduce((sum, name) => sum + Number(name.split('-')[0]), 0);
          expect(documents).toBeLessThanOrEqual((await mail.ids()).length);
          for (const condition of conditions) expect(await mail.find(condition, warm)).toEqual(await mail.scan(condition));
        },
      ),
      { numRuns: 8 },
    ));
});
