import { grownCapacity } from './packed-ids.ts';

/** Compares two slots in a sort order. The result is 0 only for the same slot. */
export type Compare = (a: number, b: number) => number;

/** Slots in sorted order. Inserts and removals keep the order. */
export class SortedSlots {
  readonly #compare: Compare;
  #slots: Uint32Array;
  #length: number;

  /** @param slots are sorted in place. */
  constructor(slots: Uint32Array, compare: Compare) {
    this.#compare = compare;
    this.#slots = slots.sort(compare);
    this.#length = slots.length;
  }

  get bytes(): number {
    return this.#slots.byteLength;
  }

  /** The slots in order. The array is valid until the next insert or remove. */
  get slots(): Uint32Array {
    return this.#slots.subarray(0, this.#length);
  }

  insert(slot: number): void {
    const position = this.#positionOf(slot);
    if (this.#length === this.#slots.length) {
      const grown = new Uint32Array(grownCapacity(this.#length + 1));
      grown.set(this.#slots);
      this.#slots = grown;
    }
    this.#slots.copyWithin(position + 1, position, this.#length++);
    this.#slots[position] = slot;
  }

  /** Removes a slot. Call it before the slot's values and id are removed, because the search compares them. */
  remove(slot: number): void {
    const position = this.#positionOf(slot);
    if (this.#slots[position] !== slot) throw new Error(`slot ${slot} is not in the sort order`);
    this.#slots.copyWithin(position, position + 1, this.#length--);
  }

  /** The position of the slot, or the position at which to insert it (binary search). */
  #positionOf(slot: number): number {
    let low = 0;
    let high = this.#length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(this.#slots[middle]!, slot) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
