import type { Phrase, TextCondition } from '../../mail/email/index/email-filter.ts';
import { headerMatcher, placesOf } from '../document-matcher.ts';
import { PhraseFinder } from '../phrase-finder.ts';
import { headerNameField } from '../search-document.ts';
import { addTo, documentsIn, emptySet, fullSet, intersect, isIn, unite, type DocumentSet } from '../segment-format/document-set.ts';
import { documentsOfBlock, findInField } from '../segment-format/segment-documents.ts';
import { decodeHeaderBlock } from '../segment-format/segment-headers.ts';
import { addDocuments, type TermEntry } from '../segment-format/segment-terms.ts';
import type { SegmentReader } from './segment-reader.ts';

/** The documents of a segment that may meet a condition. */
export type SegmentMatches = {
  readonly condition: TextCondition;
  /** The documents that meet the condition. Verified documents are added to it. */
  readonly matched: DocumentSet;
  /** The documents to verify: they have the words of the condition, but perhaps not adjacent as in the phrases. */
  readonly unverified: DocumentSet;
  /** The phrases to verify. Empty for a header field, whose terms are not numbered. */
  readonly phrases: readonly Phrase[];
  /** The entries of the phrases' terms in the segment. */
  readonly terms: readonly TermEntry[];
};

type Lookup = { readonly term: string; readonly isPrefix: boolean };
type Entries = ReadonlyMap<string, readonly TermEntry[]>;

const keyOf = ({ term, isPrefix }: Lookup): string => `${term}${isPrefix ? '*' : ' '}`;

const lookupsOf = ({ terms, isPrefix }: Phrase): Lookup[] => terms.map((term, index) => ({ term, isPrefix: isPrefix && index === terms.length - 1 }));

const lookupsOfCondition = (condition: TextCondition): Lookup[] => {
  if ('fields' in condition) return condition.phrases.flatMap(lookupsOf);
  return 'header' in condition ? [{ term: condition.header, isPrefix: false }] : [];
};

/** For each condition, finds the documents that may meet it, by their terms. @throws UnusableSegment */
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
    return { condition, matched, unverified: none, phrases: [], terms: [] };
  }
  if ('header' in condition) {
    const candidates = documentsWith(entries.get(keyOf({ term: condition.header, isPrefix: false }))!, headerNameField, documents);
    return condition.phrases.length === 0
      ? { condition, matched: candidates, unverified: none, phrases: [], terms: [] }
      : { condition, matched: none, unverified: candidates, phrases: [], terms: [] };
  }
  const candidates = fullSet(documents);
  for (const phrase of condition.phrases) intersect(candidates, candidatesOf(phrase, condition.fields, entries, documents));
  const phrases = condition.phrases.filter(({ terms }) => terms.length > 1);
  if (phrases.length === 0) return { condition, matched: candidates, unverified: none, phrases: [], terms: [] };
  const terms = phrases.flatMap(lookupsOf).flatMap((lookup) => entries.get(keyOf(lookup))!);
  return { condition, matched: none, unverified: candidates, phrases, terms };
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

/** The part of the documents that a condition's verification reads. */
const partsOf = ({ condition }: SegmentMatches): 'words' | 'headers' => ('header' in condition ? 'headers' : 'words');

/** The documents that have to be verified for any of the conditions. */
const unverifiedOf = (matches: readonly SegmentMatches[]): DocumentSet =>
  matches.reduce((all, { unverified }) => unite(all, unverified), matches[0]?.unverified.slice() ?? emptySet(0));

/** The documents to verify, for each part that must be read. */
const documentsToRead = (matches: readonly SegmentMatches[], part: 'words' | 'headers'): Iterable<number> =>
  documentsIn(unverifiedOf(matches.filter((each) => partsOf(each) === part)));

/** Octets that {@link verifyMatches} reads. */
export const octetsToVerify = (segment: SegmentReader, matches: readonly SegmentMatches[]): number =>
  (['words', 'headers'] as const).reduce((sum, part) => sum + segment.octetsOf(part, documentsToRead(matches, part)), 0);

/** The classes of terms, by term number. */
const classesOf = (finder: PhraseFinder, terms: Iterable<TermEntry>): Uint32Array => {
  const byNumber = new Map<number, number>();
  let highest = -1;
  for (const { term, number } of terms) {
    if (byNumber.has(number)) continue;
    byNumber.set(number, finder.classOf(term));
    highest = Math.max(highest, number);
  }
  const classes = new Uint32Array(highest + 1);
  for (const [number, wordClass] of byNumber) classes[number] = wordClass;
  return classes;
};

type ReadBlocks = Awaited<ReturnType<SegmentReader['readDocuments']>>;

/** Verifies phrases. Each word is read once, for any number of phrases. */
const verifyWords = (matches: readonly SegmentMatches[], blocks: ReadBlocks): void => {
  const finder = new PhraseFinder(matches.map(({ phrases }) => phrases));
  const classes = classesOf(
    finder,
    matches.flatMap(({ terms }) => terms),
  );
  const placesByMatch = matches.map(({ condition }) => ('fields' in condition ? placesOf(condition.fields) : 0));
  const wanted = unverifiedOf(matches);
  for (const { first, documents, bytes } of blocks) {
    for (const [index, ranges] of documentsOfBlock(bytes, documents).entries()) {
      const document = first + index;
      if (!isIn(wanted, document)) continue;
      const places = matches.reduce((all, { unverified }, match) => (isIn(unverified, document) ? all | placesByMatch[match]! : all), 0);
      finder.beginDocument();
      for (const [field, range] of ranges.entries()) {
        if ((places & (1 << field)) === 0) continue;
        finder.beginPlace(field);
        findInField(finder, classes, bytes, range);
      }
      for (const [match, { unverified, matched }] of matches.entries()) {
        if (isIn(unverified, document) && finder.allOccur(match, placesByMatch[match]!)) addTo(matched, document);
      }
    }
  }
};

/** Verifies header fields. Each field is read once, for any number of conditions. */
const verifyHeaders = (matches: readonly SegmentMatches[], blocks: ReadBlocks): void => {
  const match = headerMatcher(matches.flatMap(({ condition }) => ('header' in condition ? [condition] : [])));
  const wanted = unverifiedOf(matches);
  const byCondition = new Map<TextCondition, SegmentMatches>(matches.map((each) => [each.condition, each]));
  for (const { first, documents, bytes } of blocks) {
    for (const [index, fields] of decodeHeaderBlock(bytes, documents).entries()) {
      if (isIn(wanted, first + index))
        match(fields, (condition) => {
          const { matched, unverified } = byCondition.get(condition)!;
          if (isIn(unverified, first + index)) addTo(matched, first + index);
        });
    }
  }
};

/** Reads the unverified documents, and adds those that meet a condition to `matched`. @throws UnusableSegment */
export const verifyMatches = async (segment: SegmentReader, matches: readonly SegmentMatches[]): Promise<void> => {
  const [words, headers] = await Promise.all((['words', 'headers'] as const).map(async (part) => segment.readDocuments(part, documentsToRead(matches, part))));
  verifyWords(
    matches.filter(({ condition }) => 'fields' in condition),
    words!,
  );
  verifyHeaders(
    matches.filter(({ condition }) => 'header' in condition),
    headers!,
  );
};
