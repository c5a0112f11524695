import { mailboxesOf } from '../../../core/mail/mailbox/mailbox-record.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import type { SQSEvent } from 'aws-lambda';
import { deliverBatch, type DeliverConnections } from '../../../lambdas/deliver/deliver-message.ts';
import { addressesIn } from '../../../core/directory/addresses.ts';
import type { AccountView, MailStore } from '../../../core/mail/mail-store.ts';
import { mailStore } from '../../../core/mail/table-mail-store.ts';
import type { Table } from '../../../core/storage/table.ts';
import { memoryLog } from '../../fakes/memory-log.ts';
import { memoryObjects, type MemoryObjects } from '../../fakes/memory-objects.ts';
import { memoryTable } from '../../fakes/memory-table.ts';

/** A deployment in memory where mail arrives: real store, real directory, their tables and the bucket in memory. */
export type DeliverDeployment = {
  readonly objects: MemoryObjects;
  readonly mailTable: Table;
  readonly mailStore: MailStore;
  readonly log: ReturnType<typeof memoryLog>;
  /** SES stores a message and announces it. @returns the body of the queue's record. */
  arrive(messageId: string, raw: string | Buffer, recipients: readonly string[], more?: { readonly verdicts?: Record<string, string>; readonly timestamp?: string }): Promise<string>;
  /**
   * The queue hands a batch to the Lambda; each body's record is called by its place.
   * @returns the records that come again.
   */
  deliver(bodies: readonly string[], instead?: Partial<DeliverConnections>, remaining?: () => number): Promise<string[]>;
  /** The account as a client would see it. */
  view(accountId: string): Promise<AccountView>;
  /** Ids of the Emails in the mailbox of that role. */
  emails(accountId: string, role: string): Promise<string[]>;
};

export const wrapped = (message: string): string => JSON.stringify({ Type: 'Notification', MessageId: 'sns', TopicArn: 'arn:aws:sns:us-east-1:000000000000:inbound', Message: message });

export const notification = (messageId: string, recipients: readonly string[], verdicts: Record<string, string> = {}, timestamp = '2026-11-21T08:38:00.000Z') => ({
  notificationType: 'Received',
  mail: { timestamp, source: 'x@elsewhere.test', messageId, destination: recipients, headersTruncated: false, headers: [], commonHeaders: {} },
  receipt: {
    timestamp, processingTimeMillis: 100, recipients,
    ...Object.fromEntries(['spamVerdict', 'virusVerdict', 'spfVerdict', 'dkimVerdict', 'dmarcVerdict'].map((name) => [name, { status: verdicts[name] ?? 'PASS' }])),
    action: { type: 'S3', topicArn: 'arn:aws:sns:us-east-1:000000000000:inbound', bucketName: 'mail', objectKeyPrefix: 'inbound/', objectKey: `inbound/${messageId}` },
  },
});

const sqsEvent = (bodies: readonly string[]): SQSEvent => ({
  Records: bodies.map((body, index) => ({ messageId: String(index), body, attributes: { ApproximateReceiveCount: '1' } })) as unknown as SQSEvent['Records'],
});

const directory = async (table: Table): Promise<void> => {
  const address = (email: string, accountId: string, more: Record<string, string | boolean> = {}) =>
    ({ put: { pk: 'address', sk: email, account_id: accountId, state: 'ready', is_active: true, ...more } });
  await table.write([
    { put: { pk: 'domain-name', sk: 'example.test', domain_id: 'dom_1', receive_enabled: true } },
    { put: { pk: 'domain-name', sk: 'closed.test', domain_id: 'dom_2', receive_enabled: false } },
    address('alice@example.test', 'acc_alice'),
    address('alice.liddell@example.test', 'acc_alice'),
    address('bob@example.test', 'acc_bob'),
    address('former@example.test', 'acc_bob', { is_active: false }),
    address('alice@closed.test', 'acc_alice'),
    address('ghost@example.test', 'acc_ghost'),
  ]);
};

export const deliverDeployment = async (): Promise<DeliverDeployment> => {
  const [directoryTable, mailTable, objects, log] = [memoryTable(), memoryTable(), memoryObjects(), memoryLog()];
  await directory(directoryTable);
  const store = mailStore({ table: mailTable });
  await store.createAccount('acc_alice');
  await store.createAccount('acc_bob');
  const view = async (accountId: string) => (await mailStore({ table: mailTable }).open(accountId))!;
  return {
    objects, mailTable, mailStore: store, log, view,
    async arrive(messageId, raw, recipients, { verdicts, timestamp } = {}) {
      await objects.put(`inbound/${messageId}`, Buffer.from(raw));
      return wrapped(JSON.stringify(notification(messageId, recipients, verdicts, timestamp)));
    },
    async deliver(bodies, instead = {}, remaining = () => 60_000) {
      const handler = deliverBatch({ addresses: addressesIn(directoryTable), objects, mailStore: store, log, ...instead });
      const { batchItemFailures } = await handler(sqsEvent(bodies), { getRemainingTimeInMillis: remaining });
      return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
    },
    async emails(accountId, role) {
      const account = await view(accountId);
      const mailbox = mailboxesOf(account).all().find((candidate) => candidate.role === role);
      return mailbox ? [...emailsOf(account).query({ inMailbox: mailbox.id }, [{ property: 'receivedAt', isAscending: true }])] : [];
    },
  };
};
