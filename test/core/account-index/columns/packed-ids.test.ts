import * as fc from 'fast-check';
import { PackedIds } from '../../../../core/account-index/columns/packed-ids.ts';
import { assertProperty } from '../../../support/assert-property.ts';

const characters = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'.split('');
const text = (unit: readonly string[], length: number) => fc.string({ unit: fc.constantFrom(...unit), minLength: length, maxLength: length });
/** Ids that can be packed, similar ids whose hashes collide in the table, and ids that cannot be packed. */
const id = fc.oneof(
  text(characters, 23),
  text(['A', 'B'], 3).map((end) => `M${'0'.repeat(19)}${end}`),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
);

describe('PackedIds', () => {
  it('finds ids by slot and slots by id after any additions and removals', () => {
    assertProperty(
      fc.property(fc.array(fc.tuple(id, fc.boolean()), { maxLength: 300, size: 'max' }), fc.nat(300), (steps, expected) => {
        const ids = new PackedIds(expected);
        const model = new Map<string, number>();
        for (const [each, isAdded] of steps) {
          const slot = model.get(each);
          if (isAdded && slot === undefined) model.set(each, ids.add(each));
          else if (!isAdded && model.size > 0) {
            const [removed, removedSlot] = slot === undefined ? [...model][0]! : [each, slot];
            ids.remove(removedSlot);
            model.delete(removed);
          }
          expect(ids.find(each)).toBe(model.get(each) ?? -1);
        }
        expect(ids.size).toBe(model.size);
        expect([...ids.slots()]).toEqual([...model.values()].toSorted((a, b) => a - b));
        for (const [each, slot] of model) {
          expect([ids.id(slot), ids.find(each)]).toEqual([each, slot]);
          expect(slot).toBeLessThan(ids.capacity);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('compares ids as strings', () => {
    assertProperty(
      fc.property(fc.uniqueArray(id, { minLength: 2, maxLength: 2 }), ([first, second]) => {
        const ids = new PackedIds();
        const order = ids.compare(ids.add(first!), ids.add(second!));
        expect(Math.sign(order)).toBe(first! < second! ? -1 : 1);
      }),
      { numRuns: 500 },
    );
  });
});
