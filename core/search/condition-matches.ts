import type { TextCondition, TextMatcher } from '../mail/email/index/email-filter.ts';
import type { EmailIndex } from '../mail/email/index/email-index.ts';
import type { AccountSegment, AccountSegments } from './account-segments.ts';
import { documentMatcher } from './document-matcher.ts';
import type { SearchDocument } from './search-document.ts';
import { addTo, emptySet, intersect, isIn, unite, type DocumentSet } from './segment-format/document-set.ts';
import type { SegmentMatches } from './segments/segment-match.ts';

/** The Emails that meet a condition: document numbers of Emails with a document, and slots of the others. */
type Matches = { readonly matched: DocumentSet; readonly possible: DocumentSet; readonly slots: Set<number> };

/** The Emails of an account that meet the text conditions of a query. */
export class ConditionMatches {
  readonly #emails: EmailIndex;
  readonly #byCondition: ReadonlyMap<TextCondition, Matches>;
  readonly #match: ReturnType<typeof documentMatcher>;

  /** @param found the matches of all conditions in each segment. */
  constructor(
    { emails, end }: AccountSegments,
    conditions: readonly TextCondition[],
    found: readonly { readonly segment: AccountSegment; readonly matches: readonly SegmentMatches[] }[],
  ) {
    this.#emails = emails;
    this.#match = documentMatcher(conditions);
    this.#byCondition = new Map(
      conditions.map((condition, index) => {
        const [matched, possible] = [emptySet(end), emptySet(end)];
        for (const {
          segment: { base },
          matches,
        } of found) {
          const { matched: inSegment, unverified } = matches[index]!;
          matched.set(inSegment, base >>> 5);
          possible.set(unite(unverified.slice(), inSegment), base >>> 5);
        }
        return [condition, { matched, possible, slots: new Set<number>() }];
      }),
    );
  }

  /**
   * The bounds of the matches while some are not verified. Every Email without a document counts as a possible match.
   */
  get bounds(): TextMatcher {
    const { numbers } = this.#emails.documents;
    return (condition, isUpperBound) => {
      const { matched, possible } = this.#byCondition.get(condition)!;
      const set = isUpperBound ? possible : matched;
      return (slot) => (numbers[slot] === 0 ? isUpperBound : isIn(set, numbers[slot]!));
    };
  }

  /**
   * The matches as far as they are known. A condition may be undecided for an Email when the bounds already decide the
   * Email's result.
   */
  get matcher(): TextMatcher {
    const { numbers } = this.#emails.documents;
    return (condition) => {
      const { matched, slots } = this.#byCondition.get(condition)!;
      return (slot) => (numbers[slot] === 0 ? slots.has(slot) : isIn(matched, numbers[slot]!));
    };
  }

  /** Decides which conditions the Email in a slot meets by its texts. The Email has no document in a segment. */
  decide(slot: number, document: SearchDocument): void {
    this.#match(document, (condition) => this.#byCondition.get(condition)!.slots.add(slot));
  }

  /** Adds verified documents of a segment. */
  addVerified({ base }: AccountSegment, matches: readonly SegmentMatches[]): void {
    for (const { condition, matched } of matches) this.#byCondition.get(condition)!.matched.set(matched, base >>> 5);
  }
}

/** The matches of a segment in which only these documents have to be verified. Documents have the account's numbers. */
export const onlyUndecided = ({ base, reader }: AccountSegment, matches: readonly SegmentMatches[], undecided: DocumentSet): readonly SegmentMatches[] => {
  const wanted = undecided.subarray(base >>> 5, (base >>> 5) + Math.ceil(reader.documents / 32));
  return matches.map((each) => ({ ...each, unverified: intersect(each.unverified.slice(), wanted) }));
};

/** The documents of these slots, and the slots without a document. */
export const documentsOfSlots = (
  slots: Uint32Array,
  { emails, end }: AccountSegments,
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
