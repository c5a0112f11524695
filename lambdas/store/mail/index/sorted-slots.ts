/** Slots in ascending order of a number, equal ones by id; kept so while Emails come and go. */
export class SortedSlots {
  readonly #key: (slot: number) => number;
  readonly #compareIds: (a: number, b: number) => number;
  #slots: Uint32Array;
  #length: number;

  /** @param slots are sorted in place. */
  constructor(slots: Uint32Array, key: (slot: number) => number, compareIds: (a: number, b: number) => number) {
    this.#key = key;
    this.#compareIds = compareIds;
    this.#slots = slots;
    this.#length = slots.length;
    sortByKey(slots, key, compareIds);
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
      const grown = new Uint32Array(Math.max(64, Math.ceil(this.#length * 1.25)));
      grown.set(this.#slots);
      this.#slots = grown;
    }
    this.#slots.copyWithin(at + 1, at, this.#length++);
    this.#slots[at] = slot;
  }

  /** Must be called while the slot's key and id are still there. */
  remove(slot: number): void {
    const at = this.#placeOf(slot);
    if (this.#slots[at] !== slot) throw new Error(`slot ${slot} is not in its order`);
    this.#slots.copyWithin(at, at + 1, this.#length--);
  }

  /** Where the slot is, or belongs. */
  #placeOf(slot: number): number {
    const key = this.#key(slot);
    let low = 0;
    let high = this.#length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#slots[middle]!;
      const otherKey = this.#key(other);
      if (otherKey < key || (otherKey === key && this.#compareIds(other, slot) < 0)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const sortByKey = (slots: Uint32Array, key: (slot: number) => number, compareIds: (a: number, b: number) => number): void => {
  slots.sort((a, b) => {
    const [first, second] = [key(a), key(b)];
    return first < second ? -1 : first > second ? 1 : compareIds(a, b);
  });
};
