import { accountOpener } from '../../core/account-index/account-opener.ts';
import { collationKey, compareKeys } from '../../core/account-index/columns/collation.ts';
import { decodeHead, type Head } from '../../core/account-log/head.ts';
import { headKey } from '../../core/account-log/keys.ts';
import { emailIdOf, messageBlobId, messageKey } from '../../core/mail/email/blob-id.ts';
import { readEmailContents } from '../../core/mail/email/email-content.ts';
import { emailsOf } from '../../core/mail/email/email-type.ts';
import type { TextCondition } from '../../core/mail/email/index/email-filter.ts';
import type { TextColumnSort } from '../../core/mail/email/index/ordered-emails.ts';
import type { MailStore } from '../../core/mail/mail-store/mail-store.ts';
import { storedTypes as types } from '../../core/mail/mail-store/stored-types.ts';
import { mailStore } from '../../core/mail/mail-store/table-mail-store.ts';
import { parseMessage } from '../../core/mime/parse-message.ts';
import { emailSearch, type EmailSearch, type SearchBudget } from '../../core/search/email-search.ts';
import { emailIndexer, type SearchIndexer } from '../../core/search/indexing/index-emails.ts';
import { handleRetiredSegments, type RetiredSegments } from '../../core/search/indexing/retired-segments.ts';
import { searchDocument, type SearchDocument } from '../../core/search/search-document.ts';
import { readSearchedMessage } from '../../core/search/searched-message.ts';
import { readManifest } from '../../core/search/segment-format/search-manifest.ts';
import { objectKeys } from '../../core/storage/object-keys.ts';
import type { Objects } from '../../core/storage/objects.ts';
import type { Table } from '../../core/storage/table.ts';
import { indexBatch } from '../../lambdas/indexer/index-batch.ts';
import { searchStep } from '../../lambdas/indexer/search-step.ts';
import { memoryLog } from '../fakes/memory-log.ts';
import { memoryObjects } from '../fakes/memory-objects.ts';
import { memoryQueue } from '../fakes/memory-queue.ts';
import { memoryTable } from '../fakes/memory-table.ts';
import { mailCommit } from './email-fixtures.ts';
import { matchesCondition } from './search-documents.ts';
import { streamedTable } from './table-stream.ts';

const account = 'acc_1';

/** The store and the search of a JMAP Lambda. */
type Searcher = { readonly store: MailStore; readonly search: EmailSearch };

type Options = { readonly bounds?: SearchIndexer['bounds']; readonly workFor?: number };

/** The table and the bucket of a Lambda. A test replaces them to inject faults. */
type Reach = { readonly table?: Table; readonly objects?: Objects };

/** A raw message of plain text. */
export const plainMessage = (number: number, { subject = '', body = '', from = 'sender@example.net', listId = '' }): Buffer =>
  Buffer.from(
    [
      `From: ${from}`,
      'To: alice@example.test',
      `Subject: ${subject}`,
      `Message-ID: <${number}@example.net>`,
      ...(listId ? [`List-Id: ${listId}`] : []),
      'Content-Type: text/plain; charset=utf-8',
      '',
      body,
      '',
    ].join('\r\n'),
  );

const unlimited: SearchBudget = { spendOctets: () => true, spendEmails: () => true };

/** An account with mail, the indexer that reads its stream, and searches in it. Time advances only by `wait`. */
export const searchedMail = async ({ bounds, workFor }: Options = {}) => {
  let now = Date.UTC(2026, 10, 21, 9);
  const clock = () => new Date(now);
  const table = streamedTable(memoryTable());
  const objects = memoryObjects(clock);
  const removals = memoryQueue();
  const log = memoryLog();
  const store = mailStore({ table, clock });
  let nonces = 0;
  await store.createAccount(account);

  const indexEmails = (reach: Reach = {}) => {
    const parts = { table, objects, log, ...reach };
    return emailIndexer({
      ...parts,
      opener: accountOpener({ table: parts.table, types }),
      removals,
      newNonce: () => `n${String(++nonces).padStart(4, '0')}`,
      clock,
      ...(bounds && { bounds }),
      ...(workFor !== undefined && { workFor }),
    });
  };
  const indexerLambda = (reach?: Reach) =>
    indexBatch({ types, steps: [searchStep({ indexEmails: indexEmails(reach), ...(bounds && { bounds }), clock, log })], log });
  const warmIndexer = indexerLambda();
  /** A JMAP Lambda that has no account in memory yet. */
  const newSearch = (reach: Reach = {}): Searcher => ({ store: mailStore({ table, clock }), search: emailSearch({ table, objects, log, clock, ...reach }) });

  const scanned = new Map<string, SearchDocument>();
  const head = async (): Promise<Head> => decodeHead((await table.get(headKey(account)))!);
  const allDocuments = async () => {
    const view = (await store.open(account))!;
    const ids = emailsOf(view).ids();
    const records = [
      ...(
        await readEmailContents(
          table,
          account,
          ids.filter((id) => !scanned.has(id)),
        )
      ).values(),
    ];
    for (const record of records) scanned.set(record.id, searchDocument(record, await readSearchedMessage(objects, account, record)));
    return ids.map((id) => scanned.get(id)!);
  };

  return {
    account,
    table,
    objects,
    removals,
    log,
    store,
    clock,
    head,
    indexEmails,
    newSearch,
    wait: (milliseconds: number) => {
      now += milliseconds;
    },
    async deliver(number: number, message: Parameters<typeof plainMessage>[1] | Buffer): Promise<string> {
      const raw = Buffer.isBuffer(message) ? message : plainMessage(number, message);
      const key = messageKey(account, String(number));
      const parsed = parseMessage(raw);
      await objects.put(objectKeys.message(account, key), raw);
      await store.deliver(account, {
        content: { ...parsed.email, id: emailIdOf(key), blobId: messageBlobId(key) },
        keywords: number % 3 === 0 ? ['$seen'] : [],
        mailboxRole: 'inbox',
        receivedAt: now + number,
        size: raw.length,
        threadMessageIds: [`${number}@example.net`],
        baseSubject: parsed.baseSubject,
      });
      return emailIdOf(key);
    },
    async destroy(...ids: string[]): Promise<void> {
      await store.commit((await store.open(account))!, () => mailCommit({ destroyEmails: ids }));
    },
    ids: async (): Promise<readonly string[]> =>
      emailsOf((await store.open(account))!)
        .ids()
        .toSorted(),
    /** Passes the stream's records to the indexer until there are none; with `reach` only once. */
    async index({ isCold = false, reach }: { readonly isCold?: boolean; readonly reach?: Reach } = {}): Promise<void> {
      const lambda = isCold || reach ? indexerLambda(reach) : warmIndexer;
      for (let runs = 0; table.records.length > 0; runs++) {
        if (runs > 100) throw new Error('the indexer does not come to an end');
        await lambda({ Records: table.records.splice(0) });
        if (reach) return;
      }
    },
    /** Handles the messages of the mail-cleanup Lambda immediately. @returns the number of removed objects. */
    async removeRetired(): Promise<number> {
      let removed = 0;
      for (const { message, delaySeconds } of (removals.messages as { message: unknown; delaySeconds: number }[]).splice(0)) {
        try {
          removed += await handleRetiredSegments({ table, objects, now: clock }, message as RetiredSegments);
        } catch {
          await removals.send(message, delaySeconds);
        }
      }
      return removed;
    },
    async segments(): Promise<readonly string[]> {
      const { search } = await head();
      return search === undefined ? [] : (await readManifest(objects, account, search)).segments;
    },
    searchKeys: () => objects.keys().filter((key) => key.startsWith('search/')),
    /** Finds the Emails that meet a condition, by a search. */
    async find(condition: TextCondition, { search, store: ownStore }: Searcher, budget = unlimited): Promise<string[]> {
      const view = (await ownStore.open(account))!;
      const found = await search.query(view, { filter: { texts: [condition] }, sort: [], collapseThreads: false }, budget);
      return [...found].sort();
    },
    /** Sorts all Emails by a text, by a query. */
    async sorted({ search, store: ownStore }: Searcher, sort: TextColumnSort): Promise<string[]> {
      const view = (await ownStore.open(account))!;
      return [...(await search.query(view, { filter: undefined, sort: [sort], collapseThreads: false }, unlimited))];
    },
    /** Sorts all Emails by a text, by reading all messages. */
    async sortedScan({ property, isAscending, collation }: TextColumnSort): Promise<string[]> {
      const direction = isAscending ? 1 : -1;
      return (await allDocuments())
        .map(({ emailId, sortTexts }) => ({ emailId, key: collationKey(collation, sortTexts[property]) }))
        .sort((a, b) => direction * compareKeys(a.key, b.key) || (a.emailId < b.emailId ? -1 : 1))
        .map(({ emailId }) => emailId);
    },
    /** Finds the Emails that meet a condition, by reading all messages. */
    async scan(condition: TextCondition): Promise<string[]> {
      return (await allDocuments())
        .filter((document) => matchesCondition(document, condition))
        .map(({ emailId }) => emailId)
        .sort();
    },
  };
};

export type SearchedMail = Awaited<ReturnType<typeof searchedMail>>;
