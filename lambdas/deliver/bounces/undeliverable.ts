import type { Objects } from '../../../core/storage/objects.ts';
import { bounceObstacle, type BounceObstacle } from './bounce-policy.ts';
import { enqueueBounces, type BounceDependencies } from './bounce-task.ts';
import { readBeginning } from '../received/raw-message.ts';
import type { ReceivedMail } from '../received/ses-notification.ts';

/** Why the message is not bounced for these recipients; undefined if it may be bounced. @throws RawMessageMissing */
export const readBounceProblem = async (
  mail: ReceivedMail, recipients: readonly string[], objects: Pick<Objects, 'get'>,
): Promise<BounceObstacle | undefined> =>
  bounceObstacle(mail, recipients, await readBeginning(mail, objects));

/**
 * Has the message bounced for recipients that no account receives: SES accepted the message before the directory was
 * asked. A message whose bounce could be backscatter is logged instead; a metric counts both (docs/operator-runbook.md).
 * @throws RawMessageMissing
 */
export const bounceUndeliverable = async (
  mail: ReceivedMail, recipients: readonly string[],
  { objects, queue, log }: Pick<BounceDependencies, 'queue' | 'log'> & { readonly objects: Objects },
): Promise<void> => {
  const details = { sesMessageId: mail.messageId, recipients: recipients.length };
  const problem = await readBounceProblem(mail, recipients, objects);
  if (problem !== undefined) return log.warn('undeliverable: not bounced', { ...details, reason: problem });
  await enqueueBounces(queue, { messageId: mail.messageId, recipients, reason: 'unknown', attempt: 1 });
  log.info('undeliverable: a bounce is due', details);
};
