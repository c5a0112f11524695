import type { Objects, StoredObject } from '../../../core/storage/objects.ts';
import { bounceObstacle, type BounceObstacle } from './bounce-policy.ts';
import { enqueueBounces, type BounceDependencies } from './bounce-task.ts';
import { readBeginning } from '../received/raw-message.ts';
import type { Undeliverable } from '../received/received-record.ts';
import type { ReceivedMail } from '../received/ses-notification.ts';

/**
 * The reason why the message is not bounced for these recipients. Undefined if it may be bounced. @throws
 * RawMessageMissing
 */
export const readBounceProblem = async (
  mail: ReceivedMail, recipients: readonly string[], objects: Pick<Objects, 'get'>,
): Promise<BounceObstacle | undefined> =>
  bounceObstacle(mail, recipients, await readBeginning(mail, objects));

/**
 * Enqueues a bounce to recipients that no account receives, because SES accepted the message before the directory was
 * read. If a bounce could be backscatter, the message is logged instead. A metric counts both
 * (docs/operator-runbook.md).
 * @param beginning the beginning of the message, if it is in memory.
 * @throws RawMessageMissing
 */
export const bounceUndeliverable = async (
  mail: ReceivedMail, recipients: readonly string[],
  { objects, queue, log }: Pick<BounceDependencies, 'queue' | 'log'> & { readonly objects: Objects },
  beginning?: StoredObject,
): Promise<Undeliverable> => {
  const details = { sesMessageId: mail.messageId, recipients: recipients.length };
  const problem = beginning ? bounceObstacle(mail, recipients, beginning) : await readBounceProblem(mail, recipients, objects);
  if (problem !== undefined) {
    log.warn('undeliverable: not bounced', { ...details, reason: problem });
    return { dropped: problem };
  }
  await enqueueBounces(queue, { messageId: mail.messageId, recipients, reason: 'unknown', attempt: 1 });
  log.info('undeliverable: a bounce is due', details);
  return { bounce: 'unknown' };
};
