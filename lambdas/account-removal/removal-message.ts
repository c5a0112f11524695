import { removeDestroyedEmails, type DestroyedEmailDependencies, type DestroyedEmails } from '../../core/blobs/destroyed-emails.ts';
import { removeUnusedMessages, type StoredMessageKeys } from '../../core/blobs/unused-messages.ts';
import { handleRetiredSegments, type RetiredSegments } from '../../core/search/indexing/retired-segments.ts';
import type { Objects } from '../../core/storage/objects.ts';
import type { Log } from '../../core/runtime/log.ts';
import { removeAccount, type RemovalConnections, type RemovalTask } from './remove-account.ts';

export type RemovalParts = {
  readonly accounts: RemovalConnections;
  readonly emails: Omit<DestroyedEmailDependencies, 'clock'> & { readonly objects: Pick<Objects, 'get' | 'list'> };
  readonly log: Log;
  /** Milliseconds of work on one account. Then the rest of the work returns to the queue. */
  readonly workFor: number;
};

/**
 * Handles a message of the queue: an account to remove, Emails of an account that were destroyed, raw messages that
 * were stored for new Emails, or objects of the search index that are not used any more.
 */
export const handleRemoval = ({ accounts, emails, log, workFor }: RemovalParts) => async (body: string): Promise<void> => {
  const task = JSON.parse(body) as RemovalTask | DestroyedEmails | StoredMessageKeys | RetiredSegments;
  if ('emailIds' in task) {
    const removed = await removeDestroyedEmails({ ...emails, clock: accounts.clock }, task.accountId, task.emailIds);
    return log.info('destroyed Emails removed', { account_id: task.accountId, removed });
  }
  if ('messageKeys' in task) {
    const removed = await removeUnusedMessages({ ...emails, now: accounts.clock }, task.accountId, task.messageKeys);
    return removed > 0 ? log.warn('raw messages without an Email removed', { account_id: task.accountId, removed }) : undefined;
  }
  if ('retiredSegments' in task || 'searchRun' in task || 'purgesSearch' in task) {
    const removed = await handleRetiredSegments({ ...emails, now: accounts.clock }, task);
    return log.info('search segments removed', { account_id: task.accountId, removed });
  }
  await removeAccount(accounts, task, new Date(accounts.clock().getTime() + workFor));
  log.info('removal processed', { account_id: task.accountId, is_final_check: task.isLastLook === true });
};
