import type { Undeliverable } from '../received/received-record.ts';
import type { ReceivedMail } from '../received/ses-notification.ts';
import { enqueueBounces, type BounceDependencies } from './bounce-task.ts';

/**
 * Enqueues a bounce to recipients that no account receives, because SES accepted the message before the directory was
 * read. If a bounce could be backscatter, the message is logged instead. A metric counts both
 * (docs/operator-runbook.md).
 */
export const bounceUndeliverable = async (
  { messageId }: ReceivedMail,
  recipients: readonly string[],
  { bounce, dropped }: Undeliverable,
  { queue, log }: Pick<BounceDependencies, 'queue' | 'log'>,
): Promise<void> => {
  const details = { sesMessageId: messageId, recipients: recipients.length };
  if (bounce === undefined) return log.warn('undeliverable: not bounced', { ...details, reason: dropped! });
  await enqueueBounces(queue, { messageId, recipients, reason: bounce, attempt: 1 });
  log.info('undeliverable: a bounce is due', details);
};
