import type { Objects } from '../../core/storage/objects.ts';
import { bounceObstacle, headerOctets, type BounceObstacle } from './bounce-policy.ts';
import { enqueueBounce, type BounceConnections } from './bounce-task.ts';
import type { ReceivedMail } from './ses-notification.ts';

/** Why the message is not bounced for these recipients; undefined if it may be bounced. */
export const readBounceObstacle = async (
  mail: ReceivedMail, recipients: readonly string[], objects: Pick<Objects, 'get'>,
): Promise<BounceObstacle | undefined> =>
  bounceObstacle(mail, recipients, await objects.get(mail.objectKey, { start: 0, end: headerOctets }));

/**
 * Has the message bounced for recipients that no account receives: SES accepted the message before the directory was
 * asked. A message whose bounce could be backscatter is logged instead; a metric counts both (docs/operator-runbook.md).
 * The raw message stays in the inbound folder until it expires.
 */
export const bounceUndeliverable = async (
  mail: ReceivedMail, recipients: readonly string[],
  { objects, queue, log }: Pick<BounceConnections, 'queue' | 'log'> & { readonly objects: Objects },
): Promise<void> => {
  const details = { sesMessageId: mail.messageId, recipients: recipients.length };
  const obstacle = await readBounceObstacle(mail, recipients, objects);
  if (obstacle !== undefined) return log.warn('undeliverable: not bounced', { ...details, reason: obstacle });
  await enqueueBounce(queue, { messageId: mail.messageId, recipients, reason: 'unknown', attempt: 1 });
  log.info('undeliverable: a bounce is due', details);
};
