import type { TextCondition, TextMatcher } from '../mail-types/email/index/email-filter.ts';
import type { EmailIndex } from '../mail-types/email/index/email-index.ts';
import type { AccountSegment, AccountSegments } from './account-segments.ts';
import { addTo, emptySet, intersect, isIn, unite, type DocumentSet } from './segment-format/document-set.ts';
import { documentMatcher } from './texts/document-matcher.ts';
import type { SearchDocument } from './texts/search-document.ts';
import type { SegmentMatches } from './segments/segment-match.ts';

/** The Emails that meet a condition, by the number of their document, and those without a document by slot. */
type Matches = { readonly matched: DocumentSet; readonly possible: DocumentSet; readonly slots: Set<number> };

/** Which Emails of an account meet the text conditions of a query. */
export class ConditionMatches {
  readonly #emails: EmailIndex;
  readonly #byCondition: ReadonlyMap<TextCondition, Matches>;
  readonly #match: ReturnType<typeof documentMatcher>;

  /** @param found the matches of all conditions in each segment. */
  constructor(
    { emails, end }: AccountSegments, conditions: readonly TextCondition[],
    found: readonly { readonly segment: AccountSegment; readonly matches: readonly SegmentMatches[] }[],
  ) {
    this.#emails = emails;
    this.#match = documentMatcher(conditions);
    this.#byCondition = new Map(conditions.map((condition, index) => {
      const [matched, possible] = [emptySet(end), emptySet(end)];
      for (const { segment: { base }, matches } of found) {
        const { matched: inSegment, unverified } = matches[index]!;
        matched.set(inSegment, base >>> 5);
        possible.set(unite(unverified.slice(), inSegment), base >>> 5);
      }
      return [condition, { matched, possible, slots: new Set<number>() }];
    }));
  }

  /** Bounds of the matches that are not verified yet. An Email without a document may match every condition. */
  get bounds(): TextMatcher {
    const { numbers } = this.#emails.documents;
    return (condition, isUpperBound) => {
      const { matched, possible } = this.#byCondition.get(condition)!;
      const set = isUpperBound ? possible : matched;
      return (slot) => (numbers[slot] === 0 ? isUpperBound : isIn(set, numbers[slot]!));
    };
  }

  /** The results that are known now. A condition may be undecided for Emails that the bounds decide. */
  get matcher(): TextMatcher {
    const { numbers } = this.#emails.documents;
    return (condition) => {
      const { matched, slots } = this.#byCondition.get(condition)!;
      return (slot) => (numbers[slot] === 0 ? slots.has(slot) : isIn(matched, numbers[slot]!));
    };
  }

  /** Judges the Email in a slot, which has no document, by its texts. */
  decide(slot: number, document: SearchDocument): void {
    this.#match(document, (condition) => this.#byCondition.get(condition)!.slots.add(slot));
  }

  /** Adds the documents of a segment that were verified. */
  addVerified({ base }: AccountSegment, matches: readonly SegmentMatches[]): void {
    for (const { condition, matched } of matches) this.#byCondition.get(condition)!.matched.set(matched, base >>> 5);
  }
}

/** The matches of a segment with nothing to verify but these documents of the account, numbered as its segments are. */
export const onlyUndecided = (
  { base, reader }: AccountSegment, matches: readonly SegmentMatches[], undecided: DocumentSet,
): readonly SegmentMatches[] => {
  const wanted = undecided.subarray(base >>> 5, (base >>> 5) + Math.ceil(reader.documents / 32));
  return matches.map((each) => ({ ...each, unverified: intersect(each.unverified.slice(), wanted) }));
};

/** The documents of these slots, and the slots that have none. */
export const documentsOfSlots = (
  slots: Uint32Array, { emails, end }: AccountSegments,
): { readonly documents: DocumentSet; readonly unindexed: readonly number[] } => {
  const documents = emptySet(end);
  const unindexed: number[] = [];
  const { numbers } = emails.documents;
  for (const slot of slots) {
    if (numbers[slot] === 0) unindexed.push(slot);
    else addTo(documents, numbers[slot]!);
  }
  return { documents, unindexed };
};
