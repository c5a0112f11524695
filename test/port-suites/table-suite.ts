import { WriteRefused, type Item, type Table, type Write } from '../../core/storage/table.ts';
import { perTest } from '../support/per-test.ts';

/** The behaviour of every {@link Table}. `makeTable` creates a new empty table on each call. */
export const tableSuite = (makeTable: () => Promise<Table> | Table): void => {
  const table = perTest(() => makeTable());
  const sortKeys = (items: readonly Item[]) => items.map(({ sk }) => sk);
  const refusalOf = (writes: readonly Write[]) =>
    table.write(writes).then(
      () => undefined,
      (error: unknown) => error,
    );
  const fill = async (pk: string, count: number, more: Record<string, string> = {}) => {
    for (let first = 0; first < count; first += 100) {
      await table.write(Array.from({ length: Math.min(100, count - first) }, (_, i) => ({ put: { pk, sk: String(first + i).padStart(4, '0'), ...more } })));
    }
  };

  describe('reading', () => {
    it('returns an item as it was written, and undefined for a missing key', async () => {
      const item = {
        pk: 'p',
        sk: 'a',
        text: '',
        number: 1.5,
        yes: true,
        none: null,
        list: ['x', 2],
        map: { deep: { er: 'ü' }, gone: undefined },
        bytes: Uint8Array.of(0, 255),
        gone: undefined,
      };
      await table.write([{ put: item }]);
      const stored = await table.get({ pk: 'p', sk: 'a' });
      expect(stored).toEqual({
        pk: 'p',
        sk: 'a',
        text: '',
        number: 1.5,
        yes: true,
        none: null,
        list: ['x', 2],
        map: { deep: { er: 'ü' } },
        bytes: expect.anything(),
      });
      expect([...(stored!['bytes'] as Uint8Array)]).toEqual([0, 255]);
      expect(await table.get({ pk: 'p', sk: 'b' })).toBeUndefined();
    });

    it('returns each of many keys once in a batchGet, without missing ones', async () => {
      await fill('p', 230);
      const keys = Array.from({ length: 250 }, (_, i) => ({ pk: 'p', sk: String(i).padStart(4, '0') }));
      expect(sortKeys(await table.batchGet([...keys, ...keys])).sort()).toEqual(keys.slice(0, 230).map(({ sk }) => sk));
      expect(await table.batchGet([])).toEqual([]);
    });

    it('queries one partition in order, either way, after a key, within a prefix, up to a limit', async () => {
      await table.write(['a1', 'a2', 'a3', 'b1', 'HEAD', '0001'].map((sk) => ({ put: { pk: 'p', sk } })));
      await table.write([{ put: { pk: 'q', sk: 'a2' } }]);
      expect(sortKeys(await table.query({ pk: 'p' }))).toEqual(['0001', 'HEAD', 'a1', 'a2', 'a3', 'b1']);
      expect(sortKeys(await table.query({ pk: 'p', descending: true, limit: 2 }))).toEqual(['b1', 'a3']);
      expect(sortKeys(await table.query({ pk: 'p', after: 'HEAD', limit: 2 }))).toEqual(['a1', 'a2']);
      expect(sortKeys(await table.query({ pk: 'p', after: '0000', limit: 1 }))).toEqual(['0001']);
      expect(sortKeys(await table.query({ pk: 'p', prefix: 'a' }))).toEqual(['a1', 'a2', 'a3']);
      expect(sortKeys(await table.query({ pk: 'p', prefix: 'a', after: 'a1' }))).toEqual(['a2', 'a3']);
      expect(sortKeys(await table.query({ pk: 'p', prefix: 'a', after: 'a1', descending: true, limit: 1 }))).toEqual(['a3']);
      expect(sortKeys(await table.query({ pk: 'p', before: 'a3', descending: true, limit: 2 }))).toEqual(['a2', 'a1']);
      expect(sortKeys(await table.query({ pk: 'p', before: 'a1' }))).toEqual(['0001', 'HEAD']);
      expect(await table.query({ pk: 'p', limit: 0 })).toEqual([]);
      expect(await table.query({ pk: 'nobody' })).toEqual([]);
    });

    it('queries more than one page of 1 MB', async () => {
      await fill('p', 300, { text: 'x'.repeat(5000) });
      expect(await table.query({ pk: 'p' })).toHaveLength(300);
      expect(sortKeys(await table.query({ pk: 'p', after: '0010', limit: 250 })).at(-1)).toBe('0260');
    });

    it('returns and stores copies', async () => {
      const list = ['x'];
      await table.write([{ put: { pk: 'p', sk: 'a', list } }]);
      list.push('y');
      ((await table.get({ pk: 'p', sk: 'a' }))!['list'] as string[]).push('z');
      expect((await table.get({ pk: 'p', sk: 'a' }))!['list']).toEqual(['x']);
    });
  });

  describe('writing', () => {
    it('put replaces the whole item, and delete removes it', async () => {
      await table.write([{ put: { pk: 'p', sk: 'a', one: 1 } }]);
      await table.write([{ put: { pk: 'p', sk: 'a', two: 2 } }]);
      expect(await table.get({ pk: 'p', sk: 'a' })).toEqual({ pk: 'p', sk: 'a', two: 2 });
      await table.write([{ delete: { pk: 'p', sk: 'a' } }]);
      await table.write([{ delete: { pk: 'p', sk: 'a' } }]);
      expect(await table.get({ pk: 'p', sk: 'a' })).toBeUndefined();
    });

    it('update sets single attributes, and creates a missing item', async () => {
      await table.write([{ update: { pk: 'p', sk: 'a' }, set: { name: 'x', size: 3 }, add: { count: 2 } }]);
      await table.write([{ update: { pk: 'p', sk: 'a' }, set: { name: 'y' }, remove: ['size', 'absent'], add: { count: -5 } }]);
      expect(await table.get({ pk: 'p', sk: 'a' })).toEqual({ pk: 'p', sk: 'a', name: 'y', count: -3 });
      await table.write([{ update: { pk: 'p', sk: 'b' } }]);
      expect(await table.get({ pk: 'p', sk: 'b' })).toEqual({ pk: 'p', sk: 'b' });
    });

    it('update merges entries into existing maps', async () => {
      const key = { pk: 'p', sk: 'a' };
      await table.write([{ put: { ...key, map: { one: 1, two: 2 } } }]);
      await table.write([{ update: key, set: { name: 'x' }, merge: { map: { two: 3, 'th.ree#': 4 } } }]);
      expect(await table.get(key)).toEqual({ ...key, name: 'x', map: { one: 1, two: 3, 'th.ree#': 4 } });
      await Promise.all(Array.from({ length: 10 }, (_, i) => table.write([{ update: key, merge: { map: { [`entry${i}`]: i } } }])));
      expect(Object.keys((await table.get(key))!['map'] as object)).toHaveLength(13);
      await expect(table.write([{ update: key, merge: { absent: { one: 1 } } }])).rejects.toThrow();
      expect(await table.get(key)).not.toHaveProperty('absent');
    });

    it('an empty write does nothing', async () => {
      await expect(table.write([])).resolves.toBeUndefined();
    });

    const there = { pk: 'p', sk: 'there' };
    const nowhere = { pk: 'p', sk: 'nowhere' };
    it.each<[string, Write, boolean]>([
      ['absent holds for no item', { put: nowhere, if: { absent: true } }, true],
      ['absent fails for an item', { put: there, if: { absent: true } }, false],
      ['present holds for an item', { delete: there, if: { present: true } }, true],
      ['present fails for no item', { update: nowhere, set: { x: 1 }, if: { present: true } }, false],
      ['equals holds for equal values', { update: there, set: { x: 1 }, if: { equals: { name: 'n', count: 7, active: true } } }, true],
      ['equals fails for one that differs', { put: there, if: { equals: { name: 'n', count: 8 } } }, false],
      ['equals fails for one of another type', { put: there, if: { equals: { count: '7' } } }, false],
      ['equals fails for no item', { put: nowhere, if: { equals: { name: 'n' } } }, false],
      ['equals holds for an attribute that is absent, as it must be', { put: there, if: { equals: { count: 7, other: undefined } } }, true],
      ['equals fails for an attribute that must be absent', { put: there, if: { equals: { count: 7, name: undefined } } }, false],
      ['equals fails for no item, also when the attribute must be absent', { put: nowhere, if: { equals: { name: undefined } } }, false],
      ['lacks holds for an item without the attribute', { put: there, if: { lacks: 'other' } }, true],
      ['lacks holds for no item', { put: nowhere, if: { lacks: 'name' } }, true],
      ['lacks fails for an item with the attribute', { put: there, if: { lacks: 'name' } }, false],
      ['below holds for a smaller number', { update: there, add: { count: 1 }, if: { below: { count: 8 } } }, true],
      ['below fails for an equal number', { update: there, add: { count: 1 }, if: { below: { count: 7 } } }, false],
      ['below fails for an attribute that is no number', { put: there, if: { below: { name: 8 } } }, false],
      ['below fails for an item without the attribute', { put: there, if: { below: { other: 8 } } }, false],
      ['below fails for no item', { put: nowhere, if: { below: { count: 8 } } }, false],
      ['of a list one suffices', { put: there, if: [{ absent: true }, { equals: { count: 7 } }] }, true],
      ['of a list at least one must hold', { put: there, if: [{ absent: true }, { equals: { count: 8 } }, { lacks: 'name' }] }, false],
    ])('%s', async (_title, write, holds) => {
      await table.write([{ put: { ...there, name: 'n', count: 7, active: true } }]);
      const alone = await refusalOf([write]);
      expect(alone instanceof WriteRefused).toBe(!holds);
      await table.write([{ put: { ...there, name: 'n', count: 7, active: true } }, { delete: nowhere }]);
      const together = await refusalOf([{ put: { pk: 'p', sk: 'beside' } }, write]);
      expect(together instanceof WriteRefused).toBe(!holds);
      if (!holds) {
        expect([(alone as WriteRefused).failed, (together as WriteRefused).failed, (together as WriteRefused).contended]).toEqual([[0], [1], false]);
      }
    });

    it('writes a hundred items in one transaction', async () => {
      const writes = (count: number) => Array.from({ length: count }, (_, i) => ({ put: { pk: 'p', sk: String(i).padStart(4, '0') } }));
      await table.write([{ put: { pk: 'q', sk: 'taken' } }]);
      const refused = await refusalOf([...writes(99), { put: { pk: 'q', sk: 'taken' }, if: { absent: true } }]);
      expect(refused).toBeInstanceOf(WriteRefused);
      expect((refused as WriteRefused).failed).toEqual([99]);
      expect(await table.query({ pk: 'p' })).toEqual([]);
      await table.write(writes(100));
      expect(await table.query({ pk: 'p' })).toHaveLength(100);
    });

    it('throws the refusal of a write whose condition does not hold, before that of others', async () => {
      const refusal = new Error('not for everybody');
      const refused = { check: { pk: 'p', sk: 'a' }, if: { present: true }, refusal } as const;
      expect(await refusalOf([refused])).toBe(refusal);
      expect(await refusalOf([{ put: { pk: 'p', sk: 'b' }, if: { present: true } }, refused])).toBe(refusal);
      await table.write([{ put: { pk: 'p', sk: 'a' } }]);
      expect(await refusalOf([{ put: { pk: 'p', sk: 'b' }, if: { present: true } }, refused])).toBeInstanceOf(WriteRefused);
      await table.write([{ put: { pk: 'p', sk: 'b' } }, refused]);
      expect(await table.get({ pk: 'p', sk: 'b' })).toBeDefined();
    });

    it('checks the condition of an item that it does not write', async () => {
      await table.write([{ put: { pk: 'p', sk: 'a', version: 1 } }]);
      await table.write([{ check: { pk: 'p', sk: 'a' }, if: { equals: { version: 1 } } }, { put: { pk: 'p', sk: 'b' } }]);
      expect(await table.get({ pk: 'p', sk: 'a' })).toEqual({ pk: 'p', sk: 'a', version: 1 });
      expect(await refusalOf([{ check: { pk: 'p', sk: 'a' }, if: { absent: true } }])).toBeInstanceOf(WriteRefused);
      expect(await refusalOf([{ check: { pk: 'p', sk: 'a' }, if: { absent: true } }, { delete: { pk: 'p', sk: 'b' } }])).toBeInstanceOf(WriteRefused);
      expect(await table.get({ pk: 'p', sk: 'b' })).toBeDefined();
    });

    it('lets one of many concurrent transactions succeed', async () => {
      await table.write([{ put: { pk: 'p', sk: 'head', version: 0 } }]);
      const race = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          refusalOf([{ update: { pk: 'p', sk: 'head' }, set: { version: 1 }, if: { equals: { version: 0 } } }, { put: { pk: 'log', sk: String(i) } }]),
        ),
      );
      expect(race.filter((error) => error === undefined)).toHaveLength(1);
      expect(race.filter((error) => error instanceof WriteRefused)).toHaveLength(19);
      expect(await table.query({ pk: 'log' })).toHaveLength(1);
    });

    describe('for several tables', () => {
      const other = perTest(() => makeTable());
      const here = { pk: 'p', sk: 'a' };

      it('puts, updates and deletes in each, in one transaction', async () => {
        await other.write([{ put: { ...here, count: 1 } }, { put: { pk: 'p', sk: 'gone' } }]);
        await table.write([
          { put: { ...here, name: 'here' } },
          { update: here, add: { count: 1 }, inTable: other.reference },
          { delete: { pk: 'p', sk: 'gone' }, inTable: other.reference },
          { put: { pk: 'p', sk: 'b' }, inTable: table.reference },
        ]);
        expect([await table.query({ pk: 'p' }), await other.query({ pk: 'p' })]).toEqual([
          [
            { ...here, name: 'here' },
            { pk: 'p', sk: 'b' },
          ],
          [{ ...here, count: 2 }],
        ]);
      });

      it('writes nothing when a condition in one table does not hold, and the error names the write', async () => {
        await other.write([{ put: { ...here, version: 1 } }]);
        const writes = (version: number): Write[] => [
          { put: here },
          { check: here, if: { equals: { version } }, inTable: other.reference },
          { put: { pk: 'p', sk: 'b' }, inTable: other.reference },
        ];
        const refused = await refusalOf(writes(2));
        expect([refused instanceof WriteRefused, (refused as WriteRefused).failed]).toEqual([true, [1]]);
        expect([await table.query({ pk: 'p' }), sortKeys(await other.query({ pk: 'p' }))]).toEqual([[], ['a']]);
        await table.write(writes(1));
        expect([sortKeys(await table.query({ pk: 'p' })), sortKeys(await other.query({ pk: 'p' }))]).toEqual([['a'], ['a', 'b']]);
      });

      it('may be one conditional write in another table', async () => {
        await table.write([{ put: { ...here, name: 'here' } }]);
        await table.write([{ put: { ...here, name: 'there' }, if: { absent: true }, inTable: other.reference }]);
        expect(await refusalOf([{ put: here, if: { absent: true }, inTable: other.reference }])).toBeInstanceOf(WriteRefused);
        expect([await table.get(here), await other.get(here)]).toEqual([
          { ...here, name: 'here' },
          { ...here, name: 'there' },
        ]);
      });
    });

    it('refuses more than a hundred writes, and two of one item', async () => {
      expect(await refusalOf(Array.from({ length: 101 }, (_, i) => ({ put: { pk: 'p', sk: `${i}` } })))).toBeInstanceOf(Error);
      expect(await refusalOf([{ put: { pk: 'p', sk: 'a' } }, { delete: { pk: 'p', sk: 'a' } }])).toBeInstanceOf(Error);
      expect(await table.query({ pk: 'p' })).toEqual([]);
    });
  });
};
