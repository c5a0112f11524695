import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Bounce, BounceSender } from '../../core/aws/ses/bounce-sender.ts';
import { MailRefused, MailSenderUnavailable } from '../../core/aws/ses/mail-sender.ts';
import { secondsNow, type Clock } from '../../core/runtime/clock.ts';
import type { Log } from '../../core/runtime/log.ts';
import type { Queue } from '../../core/runtime/queue.ts';
import { maxDelaySeconds } from '../../core/sending/submit-queue.ts';
import { tryWrite } from '../../core/storage/retry-on-conflict.ts';
import type { Table } from '../../core/storage/table.ts';

export type BounceConnections = {
  readonly bounces: BounceSender;
  /** The queue of arrived mail, which also has the bounces that are due. */
  readonly queue: Queue;
  /** Has the record of each bounce: `bounce#<SES message id>`/hash of the recipients. */
  readonly mailTable: Table;
  readonly clock: Clock;
  readonly log: Log;
};

/** A bounce that is due, as it is in the queue. */
export type BounceTask = Pick<Bounce, 'messageId' | 'recipients' | 'reason'> & { readonly attempt: number };

const bounceTask = z.object({
  bounce: z.object({
    messageId: z.string().min(1),
    recipients: z.array(z.string()).min(1),
    /** Earlier releases had unknown recipients only. */
    reason: z.enum(['unknown', 'full']).default('unknown'),
    attempt: z.int().min(1),
  }),
});

/** The bounce in the body of a queue record; undefined if the record is something else. */
export const parseBounceTask = (body: string): BounceTask | undefined => {
  if (!body.startsWith('{"bounce"')) return undefined;
  return bounceTask.parse(JSON.parse(body)).bounce;
};

/** Puts a bounce into the queue. Two bounces of the same recipients of a message are sent as one. */
export const enqueueBounce = (queue: Queue, task: BounceTask, delaySeconds = 0): Promise<void> =>
  queue.send({ bounce: task }, delaySeconds);

/**
 * Seconds after which an attempt without a result is over: the Lambda's timeout, and some more. An attempt that SES
 * certainly did not accept ends at once; its record is then from the year 1970.
 */
const leaseSeconds = 120;

/** Seconds that a record stays: longer than a notification may be in the queue and its dead letters. */
const recordSeconds = 30 * 86_400;

/** Attempts to send one bounce. With their pauses they take up to 50 minutes. */
const maxAttempts = 10;

/** Seconds until the next attempt: random, because SES accepts one bounce a second from the whole AWS account. */
const pauseAfter = (attempt: number): number => 1 + Math.floor(Math.random() * Math.min(maxDelaySeconds - 1, 4 * 2 ** attempt));

const senderFor = ([recipient = '']: readonly string[]): string => `mailer-daemon@${recipient.slice(recipient.lastIndexOf('@') + 1)}`;

const recordKeyOf = ({ messageId, recipients }: BounceTask) => ({
  pk: `bounce#${messageId}`, sk: createHash('sha256').update([...recipients].sort().join(' ')).digest('base64url'),
});

/**
 * Reserves the bounce for this attempt. A reservation without a result ends after {@link leaseSeconds}: a Lambda that
 * ended in between leaves it. The bounce may then be sent twice, which is better than never.
 */
const reserve = async (task: BounceTask, { mailTable, clock }: BounceConnections): Promise<'reserved' | 'finished' | 'busy'> => {
  const key = recordKeyOf(task);
  const now = secondsNow(clock);
  const record = { ...key, state: 'sending', since: now, expiresAt: now + recordSeconds };
  if (await tryWrite(mailTable, [{ put: record, if: { absent: true } }])) return 'reserved';
  const found = await mailTable.get(key);
  if (found && found['state'] !== 'sending') return 'finished';
  const since = Number(found?.['since'] ?? 0);
  if (found && since + leaseSeconds > now) return 'busy';
  const isTaken = await tryWrite(mailTable, [{ put: record, if: found ? { equals: { since } } : { absent: true } }]);
  return isTaken ? 'reserved' : 'busy';
};

/**
 * Sends a bounce once, whatever the number of records in the queue. What SES does not accept now is put into the queue
 * again, so that it does not use up attempts of the queue; what is given up is logged with its reason.
 */
export const sendBounce = async (task: BounceTask, connections: BounceConnections): Promise<void> => {
  const { bounces, queue, mailTable, log } = connections;
  const details = { sesMessageId: task.messageId, recipients: task.recipients.length };
  const state = await reserve(task, connections);
  if (state === 'finished') return log.info('the bounce was handled before', details);
  if (state === 'busy') return enqueueBounce(queue, task, leaseSeconds);
  const finish = async (outcome: 'sent' | 'given up'): Promise<void> => {
    await tryWrite(mailTable, [{ update: recordKeyOf(task), set: { state: outcome }, if: { present: true } }]);
  };
  const giveUp = (reason: string): Promise<void> => {
    log.warn('undeliverable: not bounced', { ...details, reason });
    return finish('given up');
  };
  try {
    await bounces.bounce({ messageId: task.messageId, from: senderFor(task.recipients), recipients: task.recipients, reason: task.reason });
  } catch (error) {
    if (error instanceof MailRefused) return giveUp('refused by SES');
    if (task.attempt >= maxAttempts) return giveUp('SES unavailable');
    const isCertain = error instanceof MailSenderUnavailable;
    if (isCertain) await tryWrite(mailTable, [{ update: recordKeyOf(task), set: { since: 0 }, if: { present: true } }]);
    return enqueueBounce(queue, { ...task, attempt: task.attempt + 1 }, isCertain ? pauseAfter(task.attempt) : leaseSeconds);
  }
  log.warn('undeliverable: bounced', details);
  return finish('sent');
};
