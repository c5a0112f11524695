import { phrasesOccur } from './phrase-occurrences.ts';
import { addTo, documentsIn, emptySet, fullSet, intersect, isIn, unite, type DocumentSet } from './document-set.ts';
import { headerNameField, type TextCondition } from './search-document.ts';
import type { Phrase } from './search-words.ts';
import { codedPhrase, documentsOfBlock, occursInField, type CodedPhrase } from './segment-documents.ts';
import { decodeHeaderBlock } from './segment-headers.ts';
import type { SegmentReader } from './segment-reader.ts';
import { addDocuments, type TermEntry } from './segment-terms.ts';

/** The documents of a segment that may meet a condition. */
export type SegmentMatches = {
  readonly condition: TextCondition;
  /** The documents that meet it. Those that were verified are added. */
  readonly matched: DocumentSet;
  /** The documents that have its words, but perhaps not as phrases: they are to be verified. */
  readonly unverified: DocumentSet;
  /** The phrases to verify. Empty for a header field, whose terms are not numbered. */
  readonly phrases: readonly CodedPhrase[];
};

type Lookup = { readonly term: string; readonly isPrefix: boolean };
type Entries = ReadonlyMap<string, readonly TermEntry[]>;

const keyOf = ({ term, isPrefix }: Lookup): string => `${term}${isPrefix ? '*' : ' '}`;

const lookupsOf = ({ terms, isPrefix }: Phrase): Lookup[] =>
  terms.map((term, index) => ({ term, isPrefix: isPrefix && index === terms.length - 1 }));

const lookupsOfCondition = (condition: TextCondition): Lookup[] => {
  if ('fields' in condition) return condition.phrases.flatMap(lookupsOf);
  return 'header' in condition ? [{ term: condition.header, isPrefix: false }] : [];
};

/**
 * Finds the documents that may meet each condition, by the terms of the segment.
 * @throws UnusableSegment
 */
export const matchSegment = async (segment: SegmentReader, conditions: readonly TextCondition[]): Promise<SegmentMatches[]> => {
  const lookups = new Map(conditions.flatMap(lookupsOfCondition).map((lookup) => [keyOf(lookup), lookup]));
  const found = await segment.entries([...lookups.values()]);
  const entries = new Map([...lookups.keys()].map((key, index) => [key, found[index]!]));
  return conditions.map((condition) => matchCondition(segment, condition, entries));
};

const matchCondition = (segment: SegmentReader, condition: TextCondition, entries: Entries): SegmentMatches => {
  const { documents } = segment;
  const none = emptySet(documents);
  if ('hasAttachment' in condition) {
    const matched = emptySet(documents);
    for (let document = 0; document < documents; document++) {
      if (segment.hasAttachment(document) === condition.hasAttachment) addTo(matched, document);
    }
    return { condition, matched, unverified: none, phrases: [] };
  }
  if ('header' in condition) {
    const candidates = documentsWith(entries.get(keyOf({ term: condition.header, isPrefix: false }))!, headerNameField, documents);
    return condition.phrases.length === 0
      ? { condition, matched: candidates, unverified: none, phrases: [] }
      : { condition, matched: none, unverified: candidates, phrases: [] };
  }
  const candidates = fullSet(documents);
  for (const phrase of condition.phrases) intersect(candidates, candidatesOf(phrase, condition.fields, entries, documents));
  const phrases = condition.phrases.filter(({ terms }) => terms.length > 1);
  if (phrases.length === 0) return { condition, matched: candidates, unverified: none, phrases: [] };
  const coded = phrases.flatMap((phrase) => codePhrase(phrase, entries) ?? []);
  // A phrase with a term that the segment lacks has no candidates.
  return { condition, matched: none, unverified: coded.length < phrases.length ? emptySet(documents) : candidates, phrases: coded };
};

const documentsWith = (entries: readonly TermEntry[], field: number, documents: number): DocumentSet => {
  const set = emptySet(documents);
  for (const entry of entries) addDocuments(entry, field, documents, set);
  return set;
};

const hasField = (entries: readonly TermEntry[], field: number): boolean =>
  entries.some(({ only, postings }) => only?.field === field || postings[field] !== undefined);

/** The documents that have all terms of a phrase in one of the fields. */
const candidatesOf = (phrase: Phrase, fields: readonly number[], entries: Entries, documents: number): DocumentSet => {
  const candidates = emptySet(documents);
  const terms = lookupsOf(phrase).map((lookup) => entries.get(keyOf(lookup))!);
  if (terms.length === 0) return candidates;
  for (const field of fields) {
    if (!terms.every((each) => hasField(each, field))) continue;
    const [first, ...others] = terms.map((each) => documentsWith(each, field, documents));
    for (const other of others) intersect(first!, other);
    unite(candidates, first!);
  }
  return candidates;
};

const codePhrase = (phrase: Phrase, entries: Entries): CodedPhrase | undefined => {
  const lookups = lookupsOf(phrase);
  const numbers = lookups.flatMap((lookup) => (lookup.isPrefix ? [] : entries.get(keyOf(lookup))![0]?.number ?? []));
  if (numbers.length < lookups.filter(({ isPrefix }) => !isPrefix).length) return undefined;
  const last = lookups.at(-1)!;
  return codedPhrase(numbers, last.isPrefix ? new Set(entries.get(keyOf(last))!.map(({ number }) => number)) : undefined);
};

/** Documents to verify, with what is read of them. */
const partsOf = ({ condition }: SegmentMatches): 'words' | 'headers' => ('header' in condition ? 'headers' : 'words');

/** The documents to verify: by the part that is read of them. */
const documentsToRead = (matches: readonly SegmentMatches[], part: 'words' | 'headers'): Set<number> =>
  new Set(matches.filter((each) => partsOf(each) === part).flatMap(({ unverified }) => [...documentsIn(unverified)]));

/** Octets that {@link verifyMatches} reads. */
export const octetsToVerify = (segment: SegmentReader, matches: readonly SegmentMatches[]): number =>
  (['words', 'headers'] as const).reduce((sum, part) => sum + segment.octetsOf(part, documentsToRead(matches, part)), 0);

/**
 * Reads the unverified documents of all conditions, and adds those that meet them to `matched`.
 * @throws UnusableSegment
 */
export const verifyMatches = async (segment: SegmentReader, matches: readonly SegmentMatches[]): Promise<void> => {
  const [words, headers] = await Promise.all((['words', 'headers'] as const).map(async (part) =>
    segment.readDocuments(part, documentsToRead(matches, part))));
  const [byWords, byHeaders] = [matches.filter((each) => partsOf(each) === 'words'), matches.filter((each) => partsOf(each) === 'headers')];
  for (const { first, documents, bytes } of words!) {
    const fieldsOf = documentsOfBlock(bytes, documents);
    for (const { condition, matched, unverified, phrases } of byWords) {
      const { fields } = condition as { readonly fields: readonly number[] };
      for (const [index, ranges] of fieldsOf.entries()) {
        if (!isIn(unverified, first + index)) continue;
        if (phrases.every((phrase) => fields.some((field) => occursInField(phrase, bytes, ranges[field]!)))) addTo(matched, first + index);
      }
    }
  }
  for (const { first, documents, bytes } of headers!) {
    for (const [index, fields] of decodeHeaderBlock(bytes, documents).entries()) {
      for (const { condition, matched, unverified } of byHeaders) {
        const { header, phrases } = condition as { readonly header: string; readonly phrases: readonly Phrase[] };
        if (!isIn(unverified, first + index)) continue;
        const texts = fields.filter(({ name }) => name === header).map(({ terms }) => terms.map((term) => ({ term })));
        if (phrasesOccur(phrases, texts)) addTo(matched, first + index);
      }
    }
  }
};
