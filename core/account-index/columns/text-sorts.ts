import { collationKey, compareKeys } from './collation.ts';
import { withCapacity } from './packed-ids.ts';

/** The sorts of Email/query by texts (RFC 8621 §4.4.2). */
export const textSorts = ['from', 'to', 'subject'] as const;
export type TextSort = (typeof textSorts)[number];

/** A value for each sort, in their order. */
export const byTextSort = <T>(valueOf: (sort: TextSort, index: number) => T): Readonly<Record<TextSort, T>> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.fromEntries() has no type of the names
  Object.fromEntries(textSorts.map((sort, index) => [sort, valueOf(sort, index)])) as Record<TextSort, T>;

/**
 * The texts of Emails with a document: the distinct texts, and for each document the number of its text. The first
 * document has the number `base`.
 */
type SortedTexts = { readonly base: number; readonly texts: readonly string[]; readonly numbers: ArrayLike<number> };

/**
 * The ranks of Emails by a text, indexed by slot. Texts that the collation does not distinguish have equal ranks.
 * @param documents the number of each Email's document, by slot; 0 for an Email in `others`.
 * @param others the texts of Emails without a document, by slot.
 */
export const ranksByText = (
  collation: string | undefined,
  documents: Uint32Array,
  sorted: readonly SortedTexts[],
  others: ReadonlyMap<number, string>,
): Uint32Array => {
  const keyOf = new Map<string, string | number>();
  for (const { texts } of [...sorted, { texts: [...others.values()] }]) {
    for (const text of texts) if (!keyOf.has(text)) keyOf.set(text, collationKey(collation, text));
  }
  const keys = [...new Set(keyOf.values())].sort(compareKeys);
  const rankOfKey = new Map(keys.map((key, rank) => [key, rank]));
  const rankOf = (text: string) => rankOfKey.get(keyOf.get(text)!)!;
  let ranksOfDocuments = new Uint32Array(0);
  for (const { base, texts, numbers } of sorted) {
    const ranksOfTexts = Uint32Array.from(texts, rankOf);
    ranksOfDocuments = withCapacity(ranksOfDocuments, base + numbers.length);
    for (let document = 0; document < numbers.length; document++) ranksOfDocuments[base + document] = ranksOfTexts[numbers[document]!]!;
  }
  const ranks = documents.map((document) => ranksOfDocuments[document] ?? 0);
  for (const [slot, text] of others) ranks[slot] = rankOf(text);
  return ranks;
};
