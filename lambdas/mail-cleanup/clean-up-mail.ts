import { removeUnusedMedia, type CardMediaKeys } from '../../core/blobs/card-media.ts';
import { removeDestroyedEmails, type DestroyedEmailDependencies, type DestroyedEmails } from '../../core/blobs/destroyed-emails.ts';
import { removeUnusedMessages, type StoredMessageKeys } from '../../core/blobs/unused-messages.ts';
import type { Log } from '../../core/runtime/log.ts';
import { handleRetiredSegments, type RetiredSegments } from '../../core/search/indexing/retired-segments.ts';
import type { Objects } from '../../core/storage/objects.ts';

/** A message of the queue: remains of an account's commits or indexer runs to remove. */
export type MailCleanupTask = DestroyedEmails | StoredMessageKeys | CardMediaKeys | RetiredSegments;

export type MailCleanupDependencies = DestroyedEmailDependencies & { readonly objects: Pick<Objects, 'get' | 'list' | 'remove' | 'erase'>; readonly log: Log };

/**
 * Handles a message of the queue: removes destroyed Emails, raw messages to which no Email refers, blobs to which no
 * ContactCard refers, or unused objects of the search index. Each removal may be repeated.
 * @throws Error for a message of another kind.
 */
export const cleanUpMail =
  (dependencies: MailCleanupDependencies) =>
  async (body: string): Promise<void> => {
    const { clock, log } = dependencies;
    const task: MailCleanupTask = JSON.parse(body);
    const { accountId } = task;
    if ('emailIds' in task) {
      const removed = await removeDestroyedEmails(dependencies, accountId, task.emailIds);
      log.info('destroyed Emails removed', { account_id: accountId, removed });
    } else if ('messageKeys' in task) {
      const removed = await removeUnusedMessages({ ...dependencies, now: clock }, accountId, task.messageKeys);
      if (removed > 0) log.warn('raw messages without an Email removed', { account_id: accountId, removed });
    } else if ('cardMedia' in task) {
      const removed = await removeUnusedMedia(dependencies, accountId, task.cardMedia);
      log.info('blobs of ContactCards removed', { account_id: accountId, removed });
    } else if ('retiredSegments' in task || 'searchRun' in task || 'purgesSearch' in task) {
      const removed = await handleRetiredSegments({ ...dependencies, now: clock }, task);
      log.info('search segments removed', { account_id: accountId, removed });
    } else {
      throw new Error('the message is not a task of mail-cleanup');
    }
  };
