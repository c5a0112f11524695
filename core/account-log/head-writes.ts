import type { Update, Write } from '../storage/table.ts';
import { commitBase, encodeHead, headAttributes, type Head } from './head.ts';
import { headKey } from './keys.ts';

/** Creates the head with the account's first commit, on the condition that the account does not exist. */
export const createHead = (accountId: string, next: Head): Write => ({ put: encodeHead(accountId, next), if: { absent: true } });

/** Requires the account to exist, without a change of its head. */
export const checkHead = (accountId: string): Write => ({ check: headKey(accountId), if: { present: true } });

/** Replaces the head, on the condition that no other commit has replaced it and that no references were removed. */
export const replaceHead = (accountId: string, head: Head, next: Head): Write => ({
  update: headKey(accountId),
  set: headAttributes(next),
  if: { equals: commitBase(head) },
});

/**
 * Announces a removal of references. Concurrent commits then fail, and their retries read the references again. The
 * announcement has no condition on other commits. The head stores the time of the removal, for deliveries that read
 * references before the removal and the head after it.
 */
export const announceReferenceRemoval = (accountId: string, now: Date): Write => ({
  update: headKey(accountId),
  set: { referencesRemovedAt: now.getTime() },
  add: { referenceRemovals: 1 },
  if: { present: true },
});

/**
 * Changes attributes of the head that do not belong to a commit ({@link headAttributes}): the names of the snapshot and
 * of the search index, the low-water mark, and the send limits. Concurrent commits do not fail.
 */
export const updateHead = (accountId: string, change: Omit<Update, 'update'>, condition: NonNullable<Write['if']>): Write => ({
  update: headKey(accountId),
  ...change,
  if: condition,
});
