import { grownCapacity } from './packed-ids.ts';

/** Which of two slots comes first: below 0, or above; 0 for a slot and itself only. */
export type Compare = (a: number, b: number) => number;

/** Slots in order; kept so while Emails come and go. */
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

  /** The slots in order: good until the next insert or remove. */
  get slots(): Uint32Array {
    return this.#slots.subarray(0, this.#length);
  }

  insert(slot: number): void {
    const at = this.#placeOf(slot);
    if (this.#length === this.#slots.length) {
      const grown = new Uint32Array(grownCapacity(this.#length + 1));
      grown.set(this.#slots);
      this.#slots = grown;
    }
    this.#slots.copyWithin(at + 1, at, this.#length++);
    this.#slots[at] = slot;
  }

  /** Must be called while the slot's values and id are still there. */
  remove(slot: number): void {
    const at = this.#placeOf(slot);
    if (this.#slots[at] !== slot) throw new Error(`slot ${slot} is not in its order`);
    this.#slots.copyWithin(at, at + 1, this.#length--);
  }

  /** Where the slot is, or belongs. */
  #placeOf(slot: number): number {
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
