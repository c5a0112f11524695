import type { AccountIndex } from '../../account-index/account-index.ts';
import type { AccountOpener } from '../../account-index/account-opener.ts';
import { updateHead } from '../../account-log/head-writes.ts';
import { noteUnparsedMessage } from '../../mail/delivery/unparsed-messages.ts';
import { readEmailContents } from '../../mail/email/email-content.ts';
import { emailsOf } from '../../mail/email/email-type.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Queue } from '../../runtime/lambda/queue.ts';
import type { Log } from '../../runtime/log.ts';
import { objectKeys } from '../../storage/object-keys.ts';
import type { Objects } from '../../storage/objects.ts';
import { tryWrite } from '../../storage/retry-on-conflict.ts';
import type { Table } from '../../storage/table.ts';
import { AccountSegments } from '../account-segments.ts';
import { addTo, emptySet, isIn } from '../segment-format/document-set.ts';
import { encodeManifest, isSearchDue, manifestName, type SearchBounds, type SearchManifest } from '../segment-format/search-manifest.ts';
import { UnusableSegment } from '../segment-format/segment-bytes.ts';
import { segmentName } from '../segment-format/segment-name.ts';
import { segmentsToMerge, type LiveSegment } from '../segments/merge-plan.ts';
import { SegmentBuilder } from '../segments/segment-builder.ts';
import { retiredSegmentsDelay, type RetiredSegments } from './retired-segments.ts';
import { unusableSegmentOf } from './search-due.ts';
import { documentsOfMessages } from './unindexed-emails.ts';

export type SearchIndexer = {
  readonly table: Table;
  readonly opener: AccountOpener;
  readonly objects: Pick<Objects, 'get' | 'put'>;
  /** The queue of the mail-cleanup Lambda. */
  readonly removals: Queue;
  /** Returns a value that makes the name of an object unique. */
  readonly newNonce: () => string;
  readonly clock: Clock;
  readonly log: Log;
  readonly bounds?: SearchBounds;
  /** Maximum milliseconds of work on one account. Remaining work is recorded in the head, which starts the next run. */
  readonly workFor?: number;
};

/** Default of `workFor`. Other accounts of the batch wait during this time. */
const defaultWorkFor = 45_000;

/** Maximum Emails that are read together: one BatchGet of their records. */
const emailsAtOnce = 100;

/** Minimum milliseconds between two removals of the words of destroyed Emails, since each one rewrites segments. */
export const purgeInterval = 6 * 60 * 60 * 1000;

/** The outcome of a run of the indexer. */
type IndexingOutcome = {
  readonly indexed: number;
  readonly merged: number;
  /** The number of documents of destroyed Emails that were removed. */
  readonly purged: number;
  readonly segments: number;
  readonly remaining: number;
};

/** The segments of an account while the indexer works on them. */
class OpenManifest {
  readonly #indexer: SearchIndexer;
  readonly #account: AccountIndex;
  readonly segments: AccountSegments;
  readonly #deadline: number;
  /** The id of the run, which is in the names of all its objects. */
  readonly run: string;
  #written = 0;
  /** The names of the segments, including written ones that no manifest names yet. */
  #names: string[];
  indexed = 0;
  merged = 0;
  purged = 0;
  remaining = 0;

  constructor(indexer: SearchIndexer, account: AccountIndex, segments: AccountSegments) {
    [this.#indexer, this.#account, this.segments] = [indexer, account, segments];
    this.#deadline = performance.now() + (indexer.workFor ?? defaultWorkFor);
    this.#names = segments.segments.map(({ name }) => name);
    this.run = indexer.newNonce();
  }

  get names(): readonly string[] {
    return this.#names;
  }

  get hasTime(): boolean {
    return performance.now() < this.#deadline;
  }

  /** The segments, with the number of documents of existing and of destroyed Emails. */
  liveSegments(): (LiveSegment & { readonly dead: number })[] {
    const { documents: numbers } = this.segments.emails;
    return this.segments.segments
      .filter(({ name }) => this.#names.includes(name))
      .map(({ name, base, reader }) => {
        const documents = numbers.count(base, reader.documents);
        return { name, documents, dead: reader.documents - documents };
      });
  }

  /** Adds Emails that are in no segment until the time is over. At least one batch is added. */
  async addUnindexed(): Promise<void> {
    const { emails, accountId } = this.segments;
    const ids = Array.from(emails.documents.unassigned(), (slot) => emails.idOfSlot(slot));
    let builder = new SegmentBuilder(accountId);
    let next = 0;
    while (next < ids.length && (next === 0 || this.hasTime)) {
      const records = await readEmailContents(this.#indexer.table, accountId, ids.slice(next, (next += emailsAtOnce)));
      for (const document of await documentsOfMessages(this.#indexer.objects, accountId, [...records.values()])) {
        const { emailId, failure } = document;
        if (failure) await this.#note(records.get(emailId)!.blobId, failure);
        builder.add(document);
        if (!builder.isFull) continue;
        await this.#write(builder);
        builder = new SegmentBuilder(accountId);
      }
      this.indexed += records.size;
    }
    await this.#write(builder);
    this.remaining = Math.max(0, ids.length - next);
  }

  async #note(blobId: string, failure: Error): Promise<void> {
    const { table: mailTable, clock, log } = this.#indexer;
    await noteUnparsedMessage({ accountId: this.segments.accountId, blobId, failure }, { mailTable, clock, log });
  }

  /**
   * Writes the segments as one segment, or as several if one would be too large. Documents of destroyed Emails are left
   * out.
   */
  async rewrite(old: readonly LiveSegment[]): Promise<void> {
    const { emails, accountId, end } = this.segments;
    const live = emptySet(end);
    for (const number of emails.documents.numbers) addTo(live, number);
    let builder = new SegmentBuilder(accountId);
    for (const { name } of old) {
      const { base, reader } = this.segments.segments.find((each) => each.name === name)!;
      let document = base;
      for await (const each of reader.allDocuments()) {
        if (!isIn(live, document++)) continue;
        builder.add(each);
        if (!builder.isFull) continue;
        await this.#write(builder);
        builder = new SegmentBuilder(accountId);
      }
    }
    await this.#write(builder);
    this.remove(old.map(({ name }) => name));
  }

  remove(names: readonly string[]): void {
    this.#names = this.#names.filter((name) => !names.includes(name));
  }

  async #write(builder: SegmentBuilder): Promise<void> {
    if (builder.documents === 0) return;
    const { accountId } = this.#account;
    // The message is enqueued before anything is written, so that an interrupted run leaves nothing behind.
    if (this.#written === 0) await this.#indexer.removals.send({ accountId, searchRun: this.run } satisfies RetiredSegments, retiredSegmentsDelay);
    const { bytes, ...lengths } = builder.finish();
    const name = segmentName({ ...lengths, octets: bytes.length, nonce: `${this.run}-${++this.#written}` });
    await this.#indexer.objects.put(objectKeys.search(accountId, name), bytes);
    this.#names.push(name);
  }
}

/** The segments that the indexer has opened, without their terms. Only one account is in memory. */
type OpenedSegments = { current: AccountSegments | undefined };

const openSegments = async ({ objects }: SearchIndexer, opened: OpenedSegments, account: AccountIndex): Promise<AccountSegments | undefined> => {
  const emails = emailsOf(account);
  if (opened.current?.emails !== emails) opened.current = new AccountSegments(objects, account.accountId, emails, 0);
  const { current } = opened;
  try {
    await current.update(account.head.search);
  } catch (error) {
    // When the manifest can't be used, all Emails are indexed again.
    if (!(error instanceof UnusableSegment) || error.problem === 'unreadable') throw error;
    if (error.problem === 'newer') return undefined;
    current.clear();
  }
  return current;
};

/** Leaves out a segment that a reader could not use, unless it can be read whole. */
const checkReported = async (segments: AccountSegments, name: string | undefined): Promise<void> => {
  const reported = segments.segments.find((each) => each.name === name);
  if (!reported) return;
  try {
    let documents = 0;
    for await (const _ of reported.reader.allDocuments()) documents++;
    if (documents !== reported.reader.documents) throw new UnusableSegment('damaged');
  } catch (error) {
    if (!(error instanceof UnusableSegment) || error.problem === 'unreadable') throw error;
    segments.leaveOut(reported.name, error.problem);
  }
};

const sameNames = (one: readonly string[], other: readonly string[]): boolean => one.length === other.length && one.every((name) => other.includes(name));

/** Makes the indexer of a Lambda, once for each instance. */
export const emailIndexer = (indexer: SearchIndexer) => {
  const opened: OpenedSegments = { current: undefined };

  /**
   * Removes the words of destroyed Emails, or requests a later run for this work.
   * @returns the fields of the new manifest.
   */
  const purge = async (
    open: OpenManifest,
    account: AccountIndex,
    manifest: SearchManifest | undefined,
  ): Promise<Pick<SearchManifest, 'purgedAt' | 'isPurgePending'>> => {
    const now = indexer.clock().getTime();
    const { purgedAt = now, isPurgePending = false } = manifest ?? {};
    const withDead = open.liveSegments().filter(({ dead }) => dead > 0);
    if (withDead.length === 0) return { purgedAt, isPurgePending: false };
    const isDue = now - purgedAt >= purgeInterval;
    for (const segment of isDue ? withDead : []) {
      if (!open.hasTime) break;
      await open.rewrite([segment]);
      open.purged += segment.dead;
    }
    if (open.liveSegments().every(({ dead }) => dead === 0)) return { purgedAt: now, isPurgePending: false };
    if (isDue || !isPurgePending || account.head.searchDue === 'purge') {
      await indexer.removals.send({ accountId: account.accountId, purgesSearch: true } satisfies RetiredSegments, retiredSegmentsDelay);
    }
    return { purgedAt, isPurgePending: true };
  };

  /** Names a manifest in the head. @returns false when another indexer won the race, or the account was removed. */
  const name = async ({ accountId, head }: AccountIndex, manifest: SearchManifest, { remaining, run }: OpenManifest): Promise<boolean> => {
    const { sequence, logBytes, search, searchDue } = head;
    const next = manifestName({ sequence, logBytes, remaining, nonce: run });
    await indexer.objects.put(objectKeys.search(accountId, next), encodeManifest(manifest));
    return tryWrite(indexer.table, [updateHead(accountId, { set: { search: next }, remove: ['searchDue'] }, { equals: { search, searchDue } })]);
  };

  /**
   * Adds the Emails that no segment has, merges segments, and removes the words of destroyed Emails, within the
   * available time. Then a new manifest names the segments. The run may be interrupted and repeated, because new
   * segments are not used before a manifest names them.
   * @returns undefined when there was nothing to do, or when another indexer won the race.
   */
  return async (accountId: string): Promise<IndexingOutcome | undefined> => {
    const account = await indexer.opener.open(accountId);
    if (!account) return undefined;
    const { head } = account;
    const segments = await openSegments(indexer, opened, account);
    if (!segments) return undefined;
    await checkReported(segments, unusableSegmentOf(head.searchDue));
    const { manifest } = segments;
    const open = new OpenManifest(indexer, account, segments);
    if (isSearchDue(head, indexer.bounds) || segments.unusable.length > 0) await open.addUnindexed();
    const purged = await purge(open, account, manifest);
    for (let toMerge = segmentsToMerge(open.liveSegments()); toMerge.length > 0 && open.hasTime; toMerge = segmentsToMerge(open.liveSegments())) {
      await open.rewrite(toMerge);
      open.merged += toMerge.length;
    }
    const old = manifest?.segments ?? [];
    const isUnchanged = sameNames(open.names, old) && head.searchDue === undefined && purged.isPurgePending === (manifest?.isPurgePending ?? false);
    if (isUnchanged && open.indexed === 0) return undefined;
    // The message is enqueued before the head names the new manifest, so that an interrupted run leaves nothing behind.
    // Objects that are still named when the message is handled are not removed.
    const retired = [...old.filter((each) => !open.names.includes(each)), ...(head.search === undefined ? [] : [head.search])];
    if (retired.length > 0) await indexer.removals.send({ accountId, retiredSegments: retired } satisfies RetiredSegments, retiredSegmentsDelay);
    if (!(await name(account, { accountId, segments: open.names, ...purged }, open))) return undefined;
    return { indexed: open.indexed, merged: open.merged, purged: open.purged, segments: open.names.length, remaining: open.remaining };
  };
};
