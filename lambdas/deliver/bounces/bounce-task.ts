import { z } from 'zod';
import { receivedMailRetentionDays } from '../../../contract/deployment/sending.ts';
import { domainOf } from '../../../contract/values/mail-address.ts';
import { keysOf } from '../../../contract/values/typed-entries.ts';
import { bounceReasons, type Bounce, type BounceSender } from '../../../core/aws/ses/ses-bounce-sender.ts';
import { MailRefused, MailSenderUnavailable } from '../../../core/aws/ses/ses-mail-sender.ts';
import { bounceKey } from '../../../core/mail/delivery/bounce-record.ts';
import { secondsNow, type Clock } from '../../../core/runtime/clock.ts';
import type { Queue } from '../../../core/runtime/lambda/queue.ts';
import type { Log } from '../../../core/runtime/log.ts';
import { mapConcurrently } from '../../../core/runtime/map-concurrently.ts';
import { maxDelaySeconds } from '../../../core/sending/submission/submit-queue.ts';
import { tryWrite } from '../../../core/storage/retry-on-conflict.ts';
import { findItemIn, type Table, type Update } from '../../../core/storage/table.ts';

export type BounceDependencies = {
  readonly bounces: BounceSender;
  /** The queue of received mail. Bounces that are due are sent to the same queue. */
  readonly queue: Queue;
  /** The mail table, which has a record of each bounced recipient: `bounce#<SES message id>`/hash of the recipient. */
  readonly mailTable: Table;
  readonly clock: Clock;
  readonly log: Log;
};

/** A due bounce, as the queue's message contains it. */
export type BounceTask = Pick<Bounce, 'messageId' | 'recipients' | 'reason'> & { readonly attempt: number };

const bounceTask = z.object({
  messageId: z.string().min(1),
  recipients: z.array(z.string()).min(1),
  reason: z.enum(keysOf(bounceReasons)),
  attempt: z.int().min(1),
});

/** Checks the bounce of a queue record. @throws ZodError */
export const parseBounceTask = (content: unknown): BounceTask => bounceTask.parse(content);

/** Maximum recipients of one bounce, because their records are written in one transaction. */
const maxRecipients = 50;

const enqueueBounce = (queue: Queue, task: BounceTask, delaySeconds = 0): Promise<void> => queue.send({ kind: 'bounce', bounce: task }, delaySeconds);

/** Enqueues the bounce of a message. A recipient in several bounces is bounced only once. */
export const enqueueBounces = async (queue: Queue, { recipients, ...task }: BounceTask): Promise<void> => {
  for (let from = 0; from < recipients.length; from += maxRecipients) {
    await enqueueBounce(queue, { ...task, recipients: recipients.slice(from, from + maxRecipients) });
  }
};

/**
 * Seconds after which an attempt without a result is over: the Lambda's timeout plus a margin. When SES certainly did
 * not accept a bounce, the attempt ends immediately: the time in its record is set to 1970.
 */
const leaseSeconds = 120;

/** Seconds for which a record is kept: as long as the record of the received message, which shows the bounce. */
const recordSeconds = receivedMailRetentionDays * 86_400;

/** Maximum attempts to send one bounce. With their pauses they take up to 50 minutes. */
const maxAttempts = 10;

/** Seconds until the next attempt: random, because SES accepts one bounce a second from the whole AWS account. */
const pauseAfter = (attempt: number): number => 1 + Math.floor(Math.random() * Math.min(maxDelaySeconds - 1, 4 * 2 ** attempt));

const senderFor = ([recipient = '']: readonly string[]): string => `mailer-daemon@${domainOf(recipient)}`;

/** The recipients of a bounce that this attempt handles, and those that another attempt is handling. */
type Reservation = { readonly reserved: readonly string[]; readonly busy: readonly string[] };

/**
 * Reserves the recipients of a bounce for this attempt. A reservation of an interrupted Lambda ends after {@link
 * leaseSeconds}. The bounce may then be sent twice, which is better than never.
 */
const reserve = async ({ messageId, recipients }: BounceTask, { mailTable, clock }: BounceDependencies): Promise<Reservation> => {
  const now = secondsNow(clock);
  const recordOf = (recipient: string) => ({ ...bounceKey(messageId, recipient), state: 'sending', since: now, expiresAt: now + recordSeconds });
  const unique = [...new Set(recipients)];
  const isFirst = await tryWrite(
    mailTable,
    unique.map((recipient) => ({ put: recordOf(recipient), if: { absent: true } })),
  );
  if (isFirst) return { reserved: unique, busy: [] };
  const findRecord = findItemIn(await mailTable.batchGet(unique.map((recipient) => bounceKey(messageId, recipient))));
  const records = unique.map((recipient) => ({ recipient, record: findRecord(bounceKey(messageId, recipient)) }));
  const unfinished = records.filter(({ record }) => !record || record['state'] === 'sending');
  const [busy, free] = partition(unfinished, ({ record }) => record !== undefined && Number(record['since']) + leaseSeconds > now);
  const isTaken =
    free.length === 0 ||
    (await tryWrite(
      mailTable,
      free.map(({ recipient, record }) => ({ put: recordOf(recipient), if: record ? { equals: { since: Number(record['since']) } } : { absent: true } })),
    ));
  const names = (entries: typeof unfinished) => entries.map(({ recipient }) => recipient);
  return isTaken ? { reserved: names(free), busy: names(busy) } : { reserved: [], busy: names(unfinished) };
};

const partition = <T>(values: readonly T[], belongs: (value: T) => boolean): readonly [T[], T[]] => [
  values.filter(belongs),
  values.filter((value) => !belongs(value)),
];

/**
 * Sends a bounce once to each recipient, even if the queue has duplicate records. A bounce that SES does not accept now
 * is enqueued again as a new message, which does not use up an attempt of the queue. A bounce that can't be sent is
 * logged with the reason.
 */
export const sendBounce = async (task: BounceTask, dependencies: BounceDependencies): Promise<void> => {
  const { queue, log } = dependencies;
  const { reserved, busy } = await reserve(task, dependencies);
  if (busy.length > 0) await enqueueBounce(queue, { ...task, recipients: busy }, leaseSeconds);
  if (reserved.length > 0) return sendReserved({ ...task, recipients: reserved }, dependencies);
  if (busy.length === 0) log.info('the bounce was already handled', { sesMessageId: task.messageId, recipients: task.recipients.length });
};

/** Gives up a bounce to the recipients to which none was sent. */
export const abandonBounce = async (
  messageId: string,
  recipients: readonly string[],
  why: string,
  { mailTable, clock, log }: Pick<BounceDependencies, 'mailTable' | 'clock' | 'log'>,
): Promise<void> => {
  const now = secondsNow(clock);
  const set = { state: 'given up', why };
  await mapConcurrently([...new Set(recipients)], async (recipient) => {
    const key = bounceKey(messageId, recipient);
    const isNew = await tryWrite(mailTable, [{ put: { ...key, ...set, since: now, expiresAt: now + recordSeconds }, if: { absent: true } }]);
    if (!isNew) await tryWrite(mailTable, [{ update: key, set, if: { equals: { state: 'sending' } } }]);
  });
  if (recipients.length > 0) log.warn('undeliverable: not bounced', { sesMessageId: messageId, recipients: recipients.length, reason: why });
};

const sendReserved = async (task: BounceTask, { bounces, queue, mailTable, log }: BounceDependencies): Promise<void> => {
  const { messageId, recipients, reason, attempt } = task;
  const details = { sesMessageId: messageId, recipients: recipients.length };
  const setRecords = async (set: Update['set']): Promise<void> => {
    await tryWrite(
      mailTable,
      recipients.map((recipient) => ({ update: bounceKey(messageId, recipient), set, if: { present: true } })),
    );
  };
  const giveUp = (why: string): Promise<void> => {
    log.warn('undeliverable: not bounced', { ...details, reason: why });
    return setRecords({ state: 'given up', why });
  };
  try {
    await bounces.bounce({ messageId, from: senderFor(recipients), recipients, reason });
  } catch (error) {
    if (error instanceof MailRefused) return giveUp('refused by SES');
    if (attempt >= maxAttempts) return giveUp('SES unavailable');
    const isCertain = error instanceof MailSenderUnavailable;
    if (isCertain) await setRecords({ since: 0 });
    return enqueueBounce(queue, { ...task, attempt: attempt + 1 }, isCertain ? pauseAfter(attempt) : leaseSeconds);
  }
  log.warn('undeliverable: bounced', details);
  return setRecords({ state: 'sent' });
};
