/**
 * Ids in packed form. An id of 23 characters, as the store makes them, takes 18 bytes and an entry of a hash table: a
 * third of the memory of a string in a Map. Other ids are kept as strings in a Map. Each id has a slot: a small number
 * by which columns are indexed.
 */
const packedLength = 23;
export const packedBytes = 18;

/**
 * The content of {@link PackedIds} without free slots, for a snapshot. The arrays may share memory with the index in
 * use.
 */
export type SavedIds = {
  readonly size: number;
  readonly packed: Uint8Array;
  readonly table: Uint32Array;
  readonly unpacked: readonly (readonly [slot: number, id: string])[];
};

/** The characters of a JMAP Id in ASCII order, so that packed ids have the order of their strings. */
const alphabet = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';
const codeOf = new Int8Array(128).fill(-1);
for (let code = 0; code < alphabet.length; code++) codeOf[alphabet.charCodeAt(code)] = code;
const characterOf = Uint8Array.from(alphabet, (character) => character.charCodeAt(0));

/** The capacity of a grown column: a sixteenth more than needed, which wastes less memory than doubling. */
export const grownCapacity = (needed: number): number => needed + Math.max(64, needed >>> 4);

const scratch = new Uint8Array(packedBytes);
const characters = Buffer.alloc((packedBytes / 3) * 4);

/** Packs an id into `scratch`, four characters in three bytes. @returns false for an id that cannot be packed. */
const pack = (id: string): boolean => {
  if (id.length !== packedLength) return false;
  for (let from = 0, to = 0; from < packedLength; from += 4, to += 3) {
    let bits = 0;
    for (let i = from; i < from + 4; i++) {
      const code = i < packedLength ? (codeOf[id.charCodeAt(i)] ?? -1) : 0;
      if (code < 0) return false;
      bits = (bits << 6) | code;
    }
    scratch[to] = bits >>> 16;
    scratch[to + 1] = bits >>> 8;
    scratch[to + 2] = bits;
  }
  return true;
};

/** The id whose packed form is at that position. */
export const unpackId = (packed: Uint8Array, at: number): string => {
  for (let from = at, to = 0; to < characters.length; from += 3, to += 4) {
    const bits = (packed[from]! << 16) | (packed[from + 1]! << 8) | packed[from + 2]!;
    characters[to] = characterOf[bits >>> 18]!;
    characters[to + 1] = characterOf[(bits >>> 12) & 63]!;
    characters[to + 2] = characterOf[(bits >>> 6) & 63]!;
    characters[to + 3] = characterOf[bits & 63]!;
  }
  return characters.toString('latin1', 0, packedLength);
};

const hashOf = (bytes: Uint8Array, offset: number): number => {
  let hash = 0x811c9dc5;
  for (let i = offset; i < offset + packedBytes; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
};

export class PackedIds {
  /** All slots below this number are in use, except the free ones. */
  #end = 0;
  #free: number[] = [];
  #packed: Uint8Array;
  /** Hash table with open addressing: slot + 1 by hash, 0 for an empty entry. Its length is a power of two. */
  #table: Uint32Array;
  #packedCount = 0;
  /** Slots of the ids that cannot be packed, and these ids by slot. */
  readonly #unpackedSlots = new Map<string, number>();
  readonly #unpackedIds = new Map<number, string>();

  constructor(expected = 0) {
    this.#packed = new Uint8Array(expected * packedBytes);
    this.#table = new Uint32Array(tableLength(expected));
  }

  /**
   * @param saved the saved ids. The result uses their arrays without a copy. `packed` may be longer than needed: the
   * rest is capacity.
   */
  static restore({ size, packed, table, unpacked }: SavedIds): PackedIds {
    const ids = new PackedIds();
    [ids.#end, ids.#packed, ids.#table, ids.#packedCount] = [size, packed, table, size - unpacked.length];
    for (const [slot, id] of unpacked) {
      ids.#unpackedSlots.set(id, slot);
      ids.#unpackedIds.set(slot, id);
    }
    return ids;
  }

  /** @throws Error when a slot is free. */
  save(): SavedIds {
    if (this.#free.length > 0) throw new Error('ids with free slots must be copied before they are saved');
    return { size: this.#end, packed: this.#packed.subarray(0, this.#end * packedBytes), table: this.#table, unpacked: [...this.#unpackedIds] };
  }

  /** Copies the ids of these slots to new slots, which begin at 0. */
  copyOf(slots: Uint32Array): PackedIds {
    const copy = new PackedIds(slots.length);
    for (const slot of slots) {
      const unpacked = this.#unpackedIds.get(slot);
      if (unpacked !== undefined) {
        copy.add(unpacked);
        continue;
      }
      const from = slot * packedBytes;
      for (let i = 0; i < packedBytes; i++) scratch[i] = this.#packed[from + i]!;
      copy.#addScratch(copy.#end++);
    }
    return copy;
  }

  get size(): number {
    return this.#packedCount + this.#unpackedSlots.size;
  }

  /** The number of slots, including free ones: the length that a column needs. */
  get capacity(): number {
    return this.#packed.length / packedBytes;
  }

  get bytes(): number {
    return this.#packed.byteLength + this.#table.byteLength;
  }

  /** The id's slot; -1 for an unknown id. */
  find(id: string): number {
    if (!pack(id)) return this.#unpackedSlots.get(id) ?? -1;
    return (this.#table[this.#tableIndex()] ?? 0) - 1;
  }

  /** The slot of the id whose packed form is at that position; -1 for an unknown id. */
  findPacked(packed: Uint8Array, at: number): number {
    for (let i = 0; i < packedBytes; i++) scratch[i] = packed[at + i]!;
    return (this.#table[this.#tableIndex()] ?? 0) - 1;
  }

  /** Adds an id that must be absent. @returns its slot. */
  add(id: string): number {
    const slot = this.#free.pop() ?? this.#end++;
    if (slot >= this.capacity) {
      const grown = new Uint8Array(grownCapacity(slot + 1) * packedBytes);
      grown.set(this.#packed);
      this.#packed = grown;
    }
    if (!pack(id)) {
      this.#unpackedSlots.set(id, slot);
      this.#unpackedIds.set(slot, id);
      return slot;
    }
    this.#addScratch(slot);
    return slot;
  }

  /** Removes the id in the slot. The next added id gets the slot. */
  remove(slot: number): void {
    this.#free.push(slot);
    const unpacked = this.#unpackedIds.get(slot);
    if (unpacked !== undefined) {
      this.#unpackedIds.delete(slot);
      this.#unpackedSlots.delete(unpacked);
      return;
    }
    scratch.set(this.#packed.subarray(slot * packedBytes, (slot + 1) * packedBytes));
    this.#closeGap(this.#tableIndex());
    this.#packedCount--;
  }

  id(slot: number): string {
    const unpacked = this.#unpackedIds.get(slot);
    if (unpacked !== undefined) return unpacked;
    return unpackId(this.#packed, slot * packedBytes);
  }

  /** Compares the ids of two slots as strings. @returns a negative number, 0 or a positive number. */
  compare(a: number, b: number): number {
    if (this.#unpackedIds.size > 0) {
      const [first, second] = [this.id(a), this.id(b)];
      return first < second ? -1 : first > second ? 1 : 0;
    }
    const packed = this.#packed;
    for (let i = a * packedBytes, j = b * packedBytes, end = i + packedBytes; i < end; i++, j++) {
      const difference = packed[i]! - packed[j]!;
      if (difference !== 0) return difference;
    }
    return 0;
  }

  /** All slots in use, ascending. */
  slots(): Uint32Array {
    const slots = new Uint32Array(this.size);
    if (this.#free.length === 0) return slots.map((_, slot) => slot);
    const free = new Set(this.#free);
    for (let slot = 0, i = 0; slot < this.#end; slot++) if (!free.has(slot)) slots[i++] = slot;
    return slots;
  }

  #addScratch(slot: number): void {
    if ((this.#packedCount + 1) * 4 > this.#table.length * 3) this.#rehash();
    this.#packed.set(scratch, slot * packedBytes);
    this.#table[this.#tableIndex()] = slot + 1;
    this.#packedCount++;
  }

  /** The index in the table of the id in `scratch`, or of the entry to which it would be added. */
  #tableIndex(): number {
    const mask = this.#table.length - 1;
    let index = hashOf(scratch, 0) & mask;
    while (this.#table[index] !== 0 && !this.#isScratch(this.#table[index]! - 1)) index = (index + 1) & mask;
    return index;
  }

  #isScratch(slot: number): boolean {
    const packed = this.#packed;
    for (let i = 0, j = slot * packedBytes; i < packedBytes; i++, j++) if (scratch[i] !== packed[j]) return false;
    return true;
  }

  /** Moves the entries after a removed one back, so that linear probing still finds each of them. */
  #closeGap(gap: number): void {
    const mask = this.#table.length - 1;
    for (let index = (gap + 1) & mask; this.#table[index] !== 0; index = (index + 1) & mask) {
      const hashIndex = hashOf(this.#packed, (this.#table[index]! - 1) * packedBytes) & mask;
      if (((index - hashIndex) & mask) < ((index - gap) & mask)) continue;
      this.#table[gap] = this.#table[index]!;
      gap = index;
    }
    this.#table[gap] = 0;
  }

  /** Doubles the table. Does not change `scratch`. */
  #rehash(): void {
    const old = this.#table;
    this.#table = new Uint32Array(old.length * 2);
    const mask = this.#table.length - 1;
    for (const entry of old) {
      if (entry === 0) continue;
      let index = hashOf(this.#packed, (entry - 1) * packedBytes) & mask;
      while (this.#table[index] !== 0) index = (index + 1) & mask;
      this.#table[index] = entry;
    }
  }
}

const tableLength = (expected: number): number => 2 ** Math.ceil(Math.log2(Math.max(64, (expected * 4) / 3 + 1)));

/** The column itself if it has at least `capacity` values, else a longer copy. */
export const withCapacity = <T extends Uint32Array | Float64Array | Int32Array>(column: T, capacity: number): T => {
  if (column.length >= capacity) return column;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the constructor of an array has no type of its own
  const grown = new (column.constructor as new (length: number) => T)(capacity);
  grown.set(column);
  return grown;
};
