/**
 * Ids in bytes. An id of 23 characters (those that the store makes) takes 18 bytes and its place in a hash table, a third of what a
 * string in a Map takes; any other id is kept as a string beside. Each id has a slot, a small number that columns are indexed by.
 */
const packedLength = 23;
const packedBytes = 18;

/** The characters of a JMAP Id in ASCII order, so that packed ids compare as their strings do. */
const alphabet = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';
const codeOf = new Int8Array(128).fill(-1);
for (let code = 0; code < alphabet.length; code++) codeOf[alphabet.charCodeAt(code)] = code;
const characterOf = Uint8Array.from(alphabet, (character) => character.charCodeAt(0));

/** Room for what is needed and a sixteenth more: copied more often than by doubling, with less to spare. */
export const grownCapacity = (needed: number): number => needed + Math.max(64, needed >>> 4);

const scratch = new Uint8Array(packedBytes);
const characters = Buffer.alloc(packedBytes / 3 * 4);

/** Packs into `scratch`, four characters to three bytes; false for an id that does not pack. */
const pack = (id: string): boolean => {
  if (id.length !== packedLength) return false;
  for (let from = 0, to = 0; from < packedLength; from += 4, to += 3) {
    let bits = 0;
    for (let i = from; i < from + 4; i++) {
      const code = i < packedLength ? codeOf[id.charCodeAt(i)] ?? -1 : 0;
      if (code < 0) return false;
      bits = bits << 6 | code;
    }
    scratch[to] = bits >>> 16;
    scratch[to + 1] = bits >>> 8;
    scratch[to + 2] = bits;
  }
  return true;
};

const hashOf = (bytes: Uint8Array, offset: number): number => {
  let hash = 0x811c9dc5;
  for (let i = offset; i < offset + packedBytes; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
  return (hash ^ hash >>> 15) >>> 0;
};

export class PackedIds {
  /** Slots in use are below this, but for those that were freed. */
  #end = 0;
  #free: number[] = [];
  #packed: Uint8Array;
  /** Slot + 1 by hash, open addressing; 0 is empty. A power of two, at most three quarters full. */
  #table: Uint32Array;
  #inTable = 0;
  readonly #others = new Map<string, number>();
  readonly #otherAt = new Map<number, string>();

  constructor(expected = 0) {
    this.#packed = new Uint8Array(expected * packedBytes);
    this.#table = new Uint32Array(tableLength(expected));
  }

  get size(): number {
    return this.#inTable + this.#others.size;
  }

  /** Slots are below this: what a column needs room for. */
  get capacity(): number {
    return this.#packed.length / packedBytes;
  }

  get bytes(): number {
    return this.#packed.byteLength + this.#table.byteLength;
  }

  /** The id's slot, or -1. */
  find(id: string): number {
    if (!pack(id)) return this.#others.get(id) ?? -1;
    return (this.#table[this.#place()] ?? 0) - 1;
  }

  /** A slot for an id that has none yet. */
  add(id: string): number {
    const slot = this.#free.pop() ?? this.#end++;
    if (slot >= this.capacity) {
      const grown = new Uint8Array(grownCapacity(slot + 1) * packedBytes);
      grown.set(this.#packed);
      this.#packed = grown;
    }
    if (!pack(id)) {
      this.#others.set(id, slot);
      this.#otherAt.set(slot, id);
      return slot;
    }
    if ((this.#inTable + 1) * 4 > this.#table.length * 3) this.#rehash();
    this.#packed.set(scratch, slot * packedBytes);
    this.#table[this.#place()] = slot + 1;
    this.#inTable++;
    return slot;
  }

  /** Frees the slot; the next id that is added gets it. */
  remove(slot: number): void {
    this.#free.push(slot);
    const other = this.#otherAt.get(slot);
    if (other !== undefined) {
      this.#otherAt.delete(slot);
      this.#others.delete(other);
      return;
    }
    scratch.set(this.#packed.subarray(slot * packedBytes, (slot + 1) * packedBytes));
    this.#closeGap(this.#place());
    this.#inTable--;
  }

  id(slot: number): string {
    const other = this.#otherAt.get(slot);
    if (other !== undefined) return other;
    const packed = this.#packed;
    for (let from = slot * packedBytes, to = 0; to < characters.length; from += 3, to += 4) {
      const bits = packed[from]! << 16 | packed[from + 1]! << 8 | packed[from + 2]!;
      characters[to] = characterOf[bits >>> 18]!;
      characters[to + 1] = characterOf[bits >>> 12 & 63]!;
      characters[to + 2] = characterOf[bits >>> 6 & 63]!;
      characters[to + 3] = characterOf[bits & 63]!;
    }
    return characters.toString('latin1', 0, packedLength);
  }

  /** Compares two slots' ids as strings do: below 0, 0, above 0. */
  compare(a: number, b: number): number {
    if (this.#otherAt.size > 0) {
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

  /** Every slot in use, ascending. */
  slots(): Uint32Array {
    const free = new Set(this.#free);
    const slots = new Uint32Array(this.size);
    for (let slot = 0, i = 0; slot < this.#end; slot++) if (!free.has(slot)) slots[i++] = slot;
    return slots;
  }

  /** Where in the table the id in `scratch` is, or would be put. */
  #place(): number {
    const mask = this.#table.length - 1;
    let place = hashOf(scratch, 0) & mask;
    while (this.#table[place] !== 0 && !this.#isScratch(this.#table[place]! - 1)) place = (place + 1) & mask;
    return place;
  }

  #isScratch(slot: number): boolean {
    const packed = this.#packed;
    for (let i = 0, j = slot * packedBytes; i < packedBytes; i++, j++) if (scratch[i] !== packed[j]) return false;
    return true;
  }

  /** Moves later entries of the run back, so that every one of them is still found from its own hash. */
  #closeGap(gap: number): void {
    const mask = this.#table.length - 1;
    for (let place = (gap + 1) & mask; this.#table[place] !== 0; place = (place + 1) & mask) {
      const home = hashOf(this.#packed, (this.#table[place]! - 1) * packedBytes) & mask;
      if (((place - home) & mask) < ((place - gap) & mask)) continue;
      this.#table[gap] = this.#table[place]!;
      gap = place;
    }
    this.#table[gap] = 0;
  }

  /** Doubles the table; `scratch` is left as it is. */
  #rehash(): void {
    const old = this.#table;
    this.#table = new Uint32Array(old.length * 2);
    const mask = this.#table.length - 1;
    for (const entry of old) {
      if (entry === 0) continue;
      let place = hashOf(this.#packed, (entry - 1) * packedBytes) & mask;
      while (this.#table[place] !== 0) place = (place + 1) & mask;
      this.#table[place] = entry;
    }
  }
}

const tableLength = (expected: number): number => 2 ** Math.ceil(Math.log2(Math.max(64, expected * 4 / 3 + 1)));

/** The column with room for at least `capacity` values; itself when it has that. */
export const withCapacity = <T extends Uint32Array | Float64Array | Int32Array>(column: T, capacity: number): T => {
  if (column.length >= capacity) return column;
  const grown = new (column.constructor as new (length: number) => T)(capacity);
  grown.set(column);
  return grown;
};
