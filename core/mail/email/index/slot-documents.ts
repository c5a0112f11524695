import { withCapacity, type PackedIds } from '../../../account-index/columns/packed-ids.ts';

/** The documents of a segment of the search index. */
type IdentifiedDocuments = {
  readonly documents: number;
  visitIds(visit: (document: number, packed: Buffer, at: number, unpacked: string | undefined) => void): void;
};

/** The number of each Email's document among all segments, by slot. An Email in no segment has none. */
export class SlotDocuments {
  readonly #ids: PackedIds;
  /** Numbers of documents by slot; 0: no document. */
  #numbers: Uint32Array = new Uint32Array(0);

  constructor(ids: PackedIds) {
    this.#ids = ids;
  }

  get bytes(): number {
    return this.#numbers.byteLength;
  }

  /** Numbers of documents by slot. Valid until the next change. */
  get numbers(): Uint32Array {
    this.#numbers = withCapacity(this.#numbers, this.#ids.capacity);
    return this.#numbers;
  }

  /**
   * Assigns the documents of a segment. @param base the number of its first document. @returns the number of documents
   * whose Email exists.
   */
  assign(segment: IdentifiedDocuments, base: number): number {
    const { numbers } = this;
    let assigned = 0;
    segment.visitIds((document, packed, at, unpacked) => {
      const slot = unpacked === undefined ? this.#ids.findPacked(packed, at) : this.#ids.find(unpacked);
      if (slot < 0) return;
      numbers[slot] = base + document;
      assigned++;
    });
    return assigned;
  }

  /** Unassigns these documents. @returns the number of Emails whose document was unassigned. */
  forget(base: number, documents: number): number {
    let forgotten = 0;
    for (let slot = 0; slot < this.#numbers.length; slot++) {
      const number = this.#numbers[slot]!;
      if (number < base || number >= base + documents) continue;
      this.#numbers[slot] = 0;
      forgotten++;
    }
    return forgotten;
  }

  /** The number of Emails whose document is in this range. */
  count(base: number, documents: number): number {
    return this.#numbers.reduce((sum, number) => sum + Number(number >= base && number < base + documents), 0);
  }

  /** Unassigns the document of a slot that is reused for another Email. */
  clear(slot: number): void {
    if (slot < this.#numbers.length) this.#numbers[slot] = 0;
  }

  /** The slots of Emails without a document. */
  unassigned(): Uint32Array {
    const { numbers } = this;
    return this.#ids.slots().filter((slot) => numbers[slot] === 0);
  }
}
