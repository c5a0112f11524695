import type { SQSEvent } from 'aws-lambda';
import { defaultSendLimits } from '../../../contract/deployment/sending.ts';
import type { QuotaAmounts } from '../../../contract/jmap/quota.ts';
import type { AccountView } from '../../../core/account-index/account-view.ts';
import { addressesIn } from '../../../core/directory/aliases/addresses.ts';
import { forwardingsIn } from '../../../core/directory/forwarding/forwardings.ts';
import { groupReceiversIn } from '../../../core/directory/groups/group-receivers.ts';
import { groupsIn } from '../../../core/directory/groups/groups.ts';
import { receivedMessagesIn } from '../../../core/mail/delivery/received-messages.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import type { MailStore } from '../../../core/mail/mail-store/mail-store.ts';
import { mailStore } from '../../../core/mail/mail-store/table-mail-store.ts';
import { mailboxesOf } from '../../../core/mail/mailbox/mailbox-record.ts';
import { systemClock } from '../../../core/runtime/clock.ts';
import type { Submission } from '../../../core/sending/submission/submission.ts';
import { submissionsIn } from '../../../core/sending/submission/submissions.ts';
import { objectKeys } from '../../../core/storage/object-keys.ts';
import type { Table } from '../../../core/storage/table.ts';
import { copyMarks } from '../../../lambdas/deliver/copy-marks.ts';
import { deliverBatch } from '../../../lambdas/deliver/deliver-batch.ts';
import type { DeliverDependencies } from '../../../lambdas/deliver/deliver-dependencies.ts';
import { vacationDependencies } from '../../../lambdas/deliver/vacation/send-vacation-response.ts';
import { memoryBounceSender } from '../../fakes/memory-bounce-sender.ts';
import { memoryLog } from '../../fakes/memory-log.ts';
import { memoryObjects, type MemoryObjects } from '../../fakes/memory-objects.ts';
import { memoryQueue } from '../../fakes/memory-queue.ts';
import { memorySubmitQueue } from '../../fakes/memory-submit-queue.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { perTest } from '../../support/per-test.ts';
import { contextWith, failedRecords, snsNotification, sqsEvent } from '../../support/queue-records.ts';

/**
 * Dependencies that replace those of the deployment. A replaced mail store may implement only some of the operations.
 */
type Replaced = Partial<Omit<DeliverDependencies, 'mailStore'>> & { readonly mailStore?: Partial<DeliverDependencies['mailStore']> };

type Verdicts = Readonly<Record<string, string>>;

/** The deliver Lambda in memory: the real mail store and directory over memory tables and a memory bucket. */
export type DeliverDeployment = {
  readonly objects: MemoryObjects;
  readonly mailTable: Table;
  readonly directoryTable: Table;
  readonly sendingTable: Table;
  /** The submissions of the outbox, with their recipients and raw messages. */
  sent(): Promise<{ readonly submission: Submission; readonly to: readonly string[]; readonly raw: string }[]>;
  /** The queue of parts of submissions. */
  readonly submitQueue: ReturnType<typeof memorySubmitQueue>;
  readonly mailStore: MailStore;
  readonly addresses: DeliverDependencies['addresses'];
  readonly log: ReturnType<typeof memoryLog>;
  /** The fake of SES's SendBounce. */
  readonly bounces: ReturnType<typeof memoryBounceSender>;
  /** The messages that the Lambda itself sends to the inbound queue. */
  readonly queue: ReturnType<typeof memoryQueue>;
  /** The dead letters that the Lambda sends. */
  readonly deadLetters: ReturnType<typeof memoryQueue>;
  /**
   * Stores a message in the inbound folder, as SES does for one receipt rule. @returns the body of the queue record with
   * its notification.
   */
  arrive(
    messageId: string,
    raw: string | Buffer,
    recipients: readonly string[],
    more?: { readonly verdicts?: Verdicts; readonly timestamp?: string; readonly sender?: string; readonly rule?: string },
  ): Promise<string>;
  /**
   * Runs the Lambda once for each body, one after the other, as with a batch size of 1.
   * @returns the indexes of the bodies that return to the queue.
   */
  deliver(bodies: readonly string[], replaced?: Replaced): Promise<number[]>;
  /** Runs the Lambda on an event. @returns the message ids that return to the queue, as numbers. */
  deliverRecords(event: SQSEvent, replaced?: Replaced): Promise<number[]>;
  /** Runs the Lambda on a batch. @returns the indexes of the bodies that return to the queue. */
  deliverAtOnce(bodies: readonly string[], replaced?: Replaced): Promise<number[]>;
  /** Reads the account from the table. */
  view(accountId: string): Promise<AccountView>;
  /** Ids of the Emails in the mailbox with this role. */
  emails(accountId: string, role: string): Promise<string[]>;
};

/** The body of a queue record with a message of the inbound topic. */
export const inboundRecord = (message: string): string => snsNotification('inbound', message);

const verdictNames = ['spamVerdict', 'virusVerdict', 'spfVerdict', 'dkimVerdict', 'dmarcVerdict'];

/** SES's notification of a received message; verdicts are PASS by default. */
export const receivedNotification = (
  messageId: string,
  recipients: readonly string[],
  verdicts: Verdicts = {},
  timestamp = '2026-11-21T08:38:00.000Z',
  source = 'x@elsewhere.test',
  rule = 'deliver-1',
) => ({
  notificationType: 'Received',
  mail: { timestamp, source, messageId, destination: recipients, headersTruncated: false, headers: [], commonHeaders: {} },
  receipt: {
    timestamp,
    processingTimeMillis: 100,
    recipients,
    ...Object.fromEntries(verdictNames.map((name) => [name, { status: verdicts[name] ?? 'PASS' }])),
    ...(verdicts['dmarcPolicy'] !== undefined && { dmarcPolicy: verdicts['dmarcPolicy'] }),
    action: {
      type: 'S3',
      topicArn: 'arn:aws:sns:us-east-1:000000000000:inbound',
      bucketName: 'mail',
      objectKeyPrefix: objectKeys.inbound(rule, ''),
      objectKey: objectKeys.inbound(rule, messageId),
    },
  },
});

const fillDirectory = async (table: Table): Promise<void> => {
  const address = (email: string, accountId: string, more: Record<string, string | boolean> = {}) => ({
    put: { pk: 'address', sk: email, account_id: accountId, state: 'ready', is_active: true, ...more },
  });
  await table.write([
    { put: { pk: 'domain-name', sk: 'example.test', domain_id: 'dom_1', receive_enabled: true } },
    { put: { pk: 'domain-name', sk: 'closed.test', domain_id: 'dom_2', receive_enabled: false } },
    address('alice@example.test', 'acc_alice'),
    address('alice.liddell@example.test', 'acc_alice'),
    address('bob@example.test', 'acc_bob'),
    address('former@example.test', 'acc_bob', { is_active: false }),
    address('alice@closed.test', 'acc_alice'),
    address('ghost@example.test', 'acc_ghost'),
    address('bob+lists@example.test', 'acc_alice'),
    address('bob+old@example.test', 'acc_bob', { is_active: false }),
    address('+plus@example.test', 'acc_bob'),
  ]);
};

export const deliverDeployment = async (quotaDefaults?: QuotaAmounts): Promise<DeliverDeployment> => {
  const [directoryTable, mailTable, objects, log] = [memoryTable(), memoryTable(), memoryObjects(), memoryLog()];
  const [sendingTable, submitQueue, bounces, queue, deadLetters] = [memoryTable(), memorySubmitQueue(), memoryBounceSender(), memoryQueue(), memoryQueue()];
  await fillDirectory(directoryTable);
  const store = mailStore({ table: mailTable, quotaDefaults });
  await store.createAccount('acc_alice');
  await store.createAccount('acc_bob');
  const view = async (accountId: string) => (await mailStore({ table: mailTable }).open(accountId))!;
  const deliverRecords = async (event: SQSEvent, { mailStore: replacedStore, ...replaced }: Replaced = {}) => {
    const handler = deliverBatch({
      addresses: addressesIn(directoryTable),
      groupReceivers: groupReceiversIn(directoryTable),
      groups: groupsIn(directoryTable),
      forwardings: forwardingsIn(directoryTable),
      sendLimits: defaultSendLimits,
      mayForwardOutside: true,
      recoverableSeconds: 14 * 86_400,
      jmapUrl: 'https://jmap.example.test',
      objects,
      mailStore: { ...store, ...replacedStore },
      log,
      bounces,
      queue,
      mailTable,
      clock: systemClock,
      returnToQueue: async () => {},
      deadLetters,
      received: receivedMessagesIn(sendingTable),
      recordsSubjects: true,
      signInMailFrom: 'no-reply@example.test',
      copyMarks: copyMarks(async () => 'secret', replaced.clock ?? systemClock),
      vacation: vacationDependencies({ directoryTable, sendingTable, queue: submitQueue, objects, log, clock: replaced.clock ?? systemClock }),
      ...replaced,
    });
    return failedRecords(await handler(event, contextWith()));
  };
  const deliverAtOnce = (bodies: readonly string[], replaced?: Replaced) => deliverRecords(sqsEvent(bodies), replaced);
  return {
    objects,
    mailTable,
    directoryTable,
    sendingTable,
    submitQueue,
    mailStore: store,
    addresses: addressesIn(directoryTable),
    log,
    bounces,
    queue,
    deadLetters,
    view,
    async arrive(messageId, raw, recipients, { verdicts, timestamp, sender, rule = 'deliver-1' } = {}) {
      await objects.put(objectKeys.inbound(rule, messageId), Buffer.from(raw));
      return inboundRecord(JSON.stringify(receivedNotification(messageId, recipients, verdicts, timestamp, sender, rule)));
    },
    deliverAtOnce,
    deliverRecords,
    async deliver(bodies, replaced) {
      const failed: number[] = [];
      for (const [index, body] of bodies.entries()) if ((await deliverAtOnce([body], replaced)).length > 0) failed.push(index);
      return failed;
    },
    async sent() {
      const submissions = submissionsIn(sendingTable);
      const entries = await sendingTable.query({ pk: 'outbox' });
      return Promise.all(
        entries.map(async (entry) => {
          const { submission, part } = (await submissions.findPart({ submission_id: entry['submission_id'] as string, part: 0 }))!;
          const { bytes } = (await objects.get(submission.message_key))!;
          return { submission, to: part.recipients.map(({ address }) => address), raw: bytes.toString() };
        }),
      );
    },
    async emails(accountId, role) {
      const account = await view(accountId);
      const mailbox = mailboxesOf(account)
        .all()
        .find((candidate) => candidate.role === role);
      return mailbox ? [...emailsOf(account).query({ inMailbox: mailbox.id }, [{ property: 'receivedAt', isAscending: true }])] : [];
    },
  };
};

/** {@link deliverDeployment}, created anew for each test. */
export const deliverDeploymentPerTest = (quotaDefaults?: QuotaAmounts): DeliverDeployment => perTest(() => deliverDeployment(quotaDefaults));
