import { z } from 'zod';
import type { Clock } from '../../core/runtime/clock.ts';
import type { Log } from '../../core/runtime/log.ts';
import type { Queue } from '../../core/runtime/queue.ts';
import { maxDelaySeconds } from '../../core/sending/submit-queue.ts';
import type { Objects } from '../../core/storage/objects.ts';
import { enqueueBounce } from './bounce-task.ts';
import { readBounceObstacle } from './undeliverable.ts';
import { receivedMail, type ReceivedMail } from './ses-notification.ts';

/**
 * A message for accounts that are full waits in the queue of arrived mail. Its delivery is attempted again until there
 * is room. SES bounces a message within 24 hours only, so the sender is told after 20.
 */
const hoursUntilBounce = 20;
/** Days that a message waits when it may not be bounced. The inbound folder keeps it for longer. */
const maxDays = 14;

const hour = 3_600_000;

const postponedMail = z.object({ postponed: receivedMail });

/** The message in the body of a queue record that waits for a full account; undefined if the record is something else. */
export const parsePostponedMail = (body: string): ReceivedMail | undefined =>
  (body.startsWith('{"postponed"') ? postponedMail.parse(JSON.parse(body)).postponed : undefined);

type Connections = { readonly objects: Objects; readonly queue: Queue; readonly clock: Clock; readonly log: Log };

/**
 * Has a message wait for the accounts of these recipients, which are full, or has it bounced when it waited for long.
 * The raw message stays in the inbound folder.
 */
export const postponeMail = async (
  mail: ReceivedMail, recipients: readonly string[], { objects, queue, clock, log }: Connections,
): Promise<void> => {
  const details = { sesMessageId: mail.messageId, recipients: recipients.length };
  const waited = clock().getTime() - mail.receivedAt;
  if (waited < hoursUntilBounce * hour) return wait(mail, recipients, { queue, log });
  const obstacle = await readBounceObstacle(mail, recipients, objects);
  if (obstacle === undefined && waited < 24 * hour) {
    await enqueueBounce(queue, { messageId: mail.messageId, recipients, reason: 'full', attempt: 1 });
    return log.info('undeliverable: a bounce is due', details);
  }
  if (waited < maxDays * 24 * hour) return wait(mail, recipients, { queue, log });
  log.warn('undeliverable: not bounced', { ...details, reason: 'account full' });
};

const wait = async (mail: ReceivedMail, recipients: readonly string[], { queue, log }: Pick<Connections, 'queue' | 'log'>): Promise<void> => {
  await queue.send({ postponed: { ...mail, recipients } }, maxDelaySeconds);
  log.warn('undeliverable: waiting for room', { sesMessageId: mail.messageId, recipients: recipients.length });
};
