/** A set of documents of a segment, one bit for each. */
export type DocumentSet = Uint32Array;

export const emptySet = (documents: number): DocumentSet => new Uint32Array(Math.ceil(documents / 32));

export const fullSet = (documents: number): DocumentSet => {
  const set = emptySet(documents).fill(0xffff_ffff);
  if (documents % 32 > 0) set[set.length - 1] = 2 ** (documents % 32) - 1;
  return set;
};

export const addTo = (set: DocumentSet, document: number): void => {
  set[document >>> 5]! |= 1 << (document & 31);
};

export const isIn = (set: DocumentSet, document: number): boolean => ((set[document >>> 5]! >>> (document & 31)) & 1) === 1;

/** Removes the documents that are not in the other set. */
export const intersect = (set: DocumentSet, other: DocumentSet): DocumentSet => {
  for (let i = 0; i < set.length; i++) set[i]! &= other[i]!;
  return set;
};

/** Adds the documents of the other set. */
export const unite = (set: DocumentSet, other: DocumentSet): DocumentSet => {
  for (let i = 0; i < set.length; i++) set[i]! |= other[i]!;
  return set;
};

/** The documents of the set, ascending. */
export function* documentsIn(set: DocumentSet): Generator<number, void, undefined> {
  for (let i = 0; i < set.length; i++) {
    for (let bits = set[i]!; bits !== 0; bits &= bits - 1) yield i * 32 + (31 - Math.clz32(bits & -bits));
  }
}
