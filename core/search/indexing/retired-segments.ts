import { decodeHead, type Head } from '../../account-log/head.ts';
import { headKey } from '../../account-log/keys.ts';
import type { Clock } from '../../runtime/clock.ts';
import { objectKeys } from '../../storage/object-keys.ts';
import type { Objects } from '../../storage/objects.ts';
import type { Table } from '../../storage/table.ts';
import { readManifest } from '../segment-format/search-manifest.ts';
import { UnusableSegment } from '../segment-format/segment-bytes.ts';
import { askIndexer } from './search-due.ts';

/**
 * A message for the mail-cleanup Lambda: objects of the search index that the new manifest no longer names, a run of
 * the indexer that may have been interrupted, or a request to remove the words of destroyed Emails.
 */
export type RetiredSegments = { readonly accountId: string } & (
  | { readonly retiredSegments: readonly string[] }
  | { readonly searchRun: string }
  | { readonly purgesSearch: true }
);

/**
 * Seconds until retired objects are removed. A request that still reads them began before they were retired, and ends
 * within this time.
 */
export const retiredSegmentsDelay = 900;

/** Milliseconds after which an object that no manifest names is removed. An indexer only names newer objects. */
const graceTime = 60 * 60 * 1000;

type RetiredSegmentDependencies = { readonly table: Table; readonly objects: Pick<Objects, 'get' | 'list' | 'remove'>; readonly now: Clock };

/**
 * Whether to remove an object of the search index, by its name. Objects that the newest manifest names are always kept.
 */
type IsRetired = (name: string) => boolean;

/**
 * Removes retired objects of the search index, and objects that an interrupted indexer left.
 * @returns the number of removed objects. @throws UnusableSegment when the manifest can't be read.
 */
const removeRetiredSegments = async ({ table, objects, now }: RetiredSegmentDependencies, accountId: string, isRetired: IsRetired): Promise<number> => {
  const item = await table.get(headKey(accountId));
  // An account without a head is being removed with all of its objects.
  if (!item) return 0;
  const named = await namedObjects({ table, objects, now }, accountId, decodeHead(item));
  const kept = new Set(named.map((name) => objectKeys.search(accountId, name)));
  const folder = objectKeys.search(accountId, '');
  const found = await objects.list(folder);
  const removed = found
    .filter(({ key, modified }) => !kept.has(key) && (isRetired(key.slice(folder.length)) || now().getTime() - modified.getTime() > graceTime))
    .map(({ key }) => key);
  await objects.remove(removed);
  return removed.length;
};

/**
 * The names of the newest manifest and of its segments. If the manifest is unusable, the indexer is asked to replace
 * it.
 */
const namedObjects = async ({ table, objects, now }: RetiredSegmentDependencies, accountId: string, { search }: Head): Promise<readonly string[]> => {
  if (search === undefined) return [];
  try {
    return [search, ...(await readManifest(objects, accountId, search)).segments];
  } catch (error) {
    if (error instanceof UnusableSegment && error.problem !== 'unreadable') await askIndexer(table, accountId, `segment ${search}`, now());
    throw error;
  }
};

/** Handles a message of the queue. @returns the number of removed objects. */
export const handleRetiredSegments = async (dependencies: RetiredSegmentDependencies, message: RetiredSegments): Promise<number> => {
  if ('retiredSegments' in message) {
    const names = new Set(message.retiredSegments);
    return removeRetiredSegments(dependencies, message.accountId, (name) => names.has(name));
  }
  if ('searchRun' in message) return removeRetiredSegments(dependencies, message.accountId, (name) => name.includes(`-${message.searchRun}`));
  await askIndexer(dependencies.table, message.accountId, 'purge', dependencies.now());
  return 0;
};
