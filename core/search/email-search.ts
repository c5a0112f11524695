import type { AccountView } from '../account-index/account-view.ts';
import { ranksByText } from '../account-index/columns/text-sorts.ts';
import { emailsOf } from '../mail/email/email-type.ts';
import { textConditionsOf, type EmailFilter } from '../mail/email/index/email-filter.ts';
import type { TextCondition } from '../mail/email/index/email-filter.ts';
import type { EmailIdList } from '../mail/email/index/email-index.ts';
import { isTextSort, type EmailSort, type TextColumnSort } from '../mail/email/index/ordered-emails.ts';
import type { Clock } from '../runtime/clock.ts';
import { errorLogFields } from '../runtime/error-log-fields.ts';
import { countedAs, type Log } from '../runtime/log.ts';
import { mapConcurrently } from '../runtime/map-concurrently.ts';
import type { Objects } from '../storage/objects.ts';
import type { Table } from '../storage/table.ts';
import { AccountSegments, type AccountSegment } from './account-segments.ts';
import { ConditionMatches, documentsOfSlots, onlyUndecided } from './condition-matches.ts';
import { askIndexer } from './indexing/search-due.ts';
import { unindexedEmails } from './indexing/unindexed-emails.ts';
import { needsRawMessage } from './search-document.ts';
import { UnusableSegment } from './segment-format/segment-bytes.ts';
import { matchSegment, octetsToVerify, verifyMatches, type SegmentMatches } from './segments/segment-match.ts';

/** Thrown when a search is temporarily impossible: S3 fails, or more Emails are not indexed than a request can read. */
export class SearchUnavailable extends Error {
  override readonly name = 'SearchUnavailable';
}

/** Thrown when a search would have to read more text than a request may read, to verify phrases and header fields. */
export class SearchTooWide extends Error {
  override readonly name = 'SearchTooWide';
}

type EmailQuery = { readonly filter: EmailFilter | undefined; readonly sort: readonly EmailSort[]; readonly collapseThreads: boolean };

/** The remaining reads of all searches of one request. */
export type SearchBudget = {
  /** Counts octets that are read from segments and messages. @returns false when the request has read too many. */
  spendOctets(octets: number): boolean;
  /** Counts Emails that are not indexed. @returns false when the request has read too many. */
  spendEmails(emails: number): boolean;
};

/** Answers queries for Emails by their texts. */
export type EmailSearch = {
  /**
   * The ids of all matching Emails in order. The result is the same as that of a scan of all messages.
   * @throws SearchUnavailable, SearchTooWide
   */
  query(view: AccountView, query: EmailQuery, budget: SearchBudget): Promise<EmailIdList>;
};

type EmailSearchDependencies = { readonly table: Table; readonly objects: Pick<Objects, 'get'>; readonly log: Pick<Log, 'warn'>; readonly clock: Clock };

/**
 * Maximum octets of segments that a Lambda keeps in memory: in total, and for one account. Larger accounts are read in
 * ranges.
 */
const maxHeldOctets = 128 * 1024 * 1024;
export const maxHeldOctetsOfAccount = 96 * 1024 * 1024;

/** The segments of accounts in memory. The least recently searched account is dropped first. */
class HeldSegments {
  readonly #objects: Pick<Objects, 'get'>;
  readonly #accounts = new Map<string, AccountSegments>();

  constructor(objects: Pick<Objects, 'get'>) {
    this.#objects = objects;
  }

  of(view: AccountView): AccountSegments {
    const { accountId } = view;
    const emails = emailsOf(view);
    const known = this.#accounts.get(accountId);
    const segments = known?.emails === emails ? known : new AccountSegments(this.#objects, accountId, emails, maxHeldOctetsOfAccount);
    this.#accounts.delete(accountId);
    this.#accounts.set(accountId, segments);
    return segments;
  }

  trim(): void {
    let octets = 0;
    for (const { bytes } of this.#accounts.values()) octets += bytes;
    for (const [accountId, segments] of this.#accounts) {
      if (octets <= maxHeldOctets || this.#accounts.size === 1) return;
      octets -= segments.bytes;
      segments.clear();
      this.#accounts.delete(accountId);
    }
  }
}

/** Thrown after an unusable segment was left out, so that the query is matched again without the segment. */
class SegmentLeftOut extends Error {
  override readonly name = 'SegmentLeftOut';
}

/** Runs a read of a segment, and leaves the segment out when it can't be used. @throws SearchUnavailable, SegmentLeftOut */
const readSegment = async <T>(segments: AccountSegments, { name }: AccountSegment, read: () => Promise<T>): Promise<T> => {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof UnusableSegment)) throw error;
    if (error.problem === 'unreadable') throw new SearchUnavailable('the search index cannot be read', { cause: error });
    segments.leaveOut(name, error.problem);
    throw new SegmentLeftOut();
  }
};

/**
 * Requests that the indexer replaces unusable segments. Segments of a newer release are not replaced, because this
 * release can't read them.
 */
const reportUnusable = async ({ accountId, unusable }: AccountSegments, { table, log, clock }: EmailSearchDependencies): Promise<void> => {
  const [first] = unusable.filter(({ problem }) => problem !== 'newer');
  if (!first) return;
  log.warn('search segments not used', { account_id: accountId, problem: first.problem, ...countedAs('UnusableSegments') });
  try {
    await askIndexer(table, accountId, `segment ${first.name}`, clock());
  } catch (error) {
    log.warn('indexer not asked', { account_id: accountId, ...errorLogFields(error) });
  }
};

const matchAll = async (segments: AccountSegments, conditions: readonly TextCondition[]) =>
  mapConcurrently(segments.segments, async (segment) => ({
    segment,
    matches: await readSegment(segments, segment, () => matchSegment(segment.reader, conditions)),
  }));

/** Verifies the documents that decide the result. @throws SearchTooWide */
const verify = async (
  segments: AccountSegments,
  conditions: ConditionMatches,
  budget: SearchBudget,
  toVerify: readonly { readonly segment: AccountSegment; readonly matches: readonly SegmentMatches[] }[],
): Promise<void> => {
  const octets = toVerify.reduce((sum, { segment, matches }) => sum + octetsToVerify(segment.reader, matches), 0);
  if (!budget.spendOctets(octets)) throw new SearchTooWide();
  await mapConcurrently(toVerify, async ({ segment, matches }) => {
    await readSegment(segments, segment, () => verifyMatches(segment.reader, matches));
    conditions.addVerified(segment, matches);
  });
};

/** Reports that too many Emails are not indexed, and requests a run of the indexer. @throws SearchUnavailable */
const isBehind = async (accountId: string, { table, clock }: EmailSearchDependencies): Promise<never> => {
  await askIndexer(table, accountId, 'behind', clock());
  throw new SearchUnavailable('the search index is being written');
};

/** Makes the search of a Lambda, once for each instance. */
export const emailSearch = (dependencies: EmailSearchDependencies): EmailSearch => {
  const { table, objects } = dependencies;
  const held = new HeldSegments(objects);
  const unindexed = unindexedEmails({ table, objects });

  const open = async (view: AccountView): Promise<AccountSegments> => {
    const segments = held.of(view);
    try {
      await segments.update(view.searchManifest);
    } catch (error) {
      if (!(error instanceof UnusableSegment)) throw error;
      if (error.problem === 'unreadable') throw new SearchUnavailable('the search index cannot be read', { cause: error });
      segments.leaveOutAll(view.searchManifest, error.problem);
    }
    return segments;
  };

  /**
   * Reads the Emails that are in no segment and decides which conditions each of them meets.
   * @throws SearchUnavailable
   */
  const readUnindexed = async (
    { accountId, emails }: AccountSegments,
    conditions: ConditionMatches,
    wanted: readonly TextCondition[],
    slots: readonly number[],
    budget: SearchBudget,
  ): Promise<void> => {
    const ids = slots.map((slot) => emails.idOfSlot(slot));
    if (!budget.spendEmails(ids.filter((id) => !unindexed.remembers(accountId, id)).length)) await isBehind(accountId, dependencies);
    let tooMany = false;
    const documents = await unindexed
      .read(accountId, ids, wanted.some(needsRawMessage), (octets) => {
        tooMany = !budget.spendOctets(octets);
        if (tooMany) throw new SearchTooWide();
      })
      .catch((error: unknown) => {
        if (tooMany) return isBehind(accountId, dependencies);
        throw error;
      });
    const slotOf = new Map(ids.map((id, index) => [id, slots[index]!]));
    for (const document of documents) conditions.decide(slotOf.get(document.emailId)!, document);
  };

  /** Sets the ranks of all Emails by a text. @throws SearchUnavailable, SegmentLeftOut */
  const rank = async (segments: AccountSegments, sort: TextColumnSort, budget: SearchBudget): Promise<void> => {
    const { accountId, emails } = segments;
    const sorted = await mapConcurrently(segments.segments, async (segment) => ({
      base: segment.base,
      ...(await readSegment(segments, segment, () => segment.reader.sort(sort.property))),
    }));
    const slots = [...emails.documents.unassigned()];
    const ids = slots.map((slot) => emails.idOfSlot(slot));
    if (!budget.spendEmails(ids.length)) await isBehind(accountId, dependencies);
    const documents = ids.length === 0 ? [] : await unindexed.read(accountId, ids, false, () => undefined);
    const slotOf = new Map(ids.map((id, index) => [id, slots[index]!]));
    const others = new Map(documents.map(({ emailId, sortTexts }) => [slotOf.get(emailId)!, sortTexts[sort.property]]));
    emails.setTextRanks(sort, ranksByText(sort.collation, emails.documents.numbers, sorted, others));
  };

  /** Matches the query once. @throws SearchUnavailable, SearchTooWide, SegmentLeftOut */
  const attempt = async (segments: AccountSegments, { filter, sort, collapseThreads }: EmailQuery, budget: SearchBudget) => {
    const { emails } = segments;
    const wanted = filter ? textConditionsOf(filter) : [];
    const found = await matchAll(segments, wanted);
    const conditions = new ConditionMatches(segments, wanted, found);
    if (filter) {
      const { documents, unindexed: slots } = documentsOfSlots(emails.undecided(filter, conditions.bounds), segments);
      const toVerify = found.map(({ segment, matches }) => ({ segment, matches: onlyUndecided(segment, matches, documents) }));
      await mapConcurrently(
        [
          () => verify(segments, conditions, budget, toVerify),
          () => (slots.length > 0 ? readUnindexed(segments, conditions, wanted, slots, budget) : Promise.resolve()),
        ],
        (act) => act(),
      );
    }
    for (const each of sort) if (isTextSort(each) && !emails.hasTextRanks(each)) await rank(segments, each, budget);
    return emails.query(filter, sort, collapseThreads, conditions.matcher);
  };

  return {
    async query(view, query, budget) {
      if ((!query.filter || textConditionsOf(query.filter).length === 0) && !query.sort.some(isTextSort)) {
        return emailsOf(view).query(query.filter, query.sort, query.collapseThreads);
      }
      const segments = await open(view);
      for (;;) {
        try {
          const ids = await attempt(segments, query, budget);
          if (segments.unusable.length > 0) await reportUnusable(segments, dependencies);
          held.trim();
          return ids;
        } catch (error) {
          if (error instanceof SegmentLeftOut) continue;
          if (segments.unusable.length > 0) await reportUnusable(segments, dependencies);
          throw error;
        }
      }
    },
  };
};
