import { uploadBlobId, uploadKey } from '../../core/mail-types/email/blob-id.ts';
import { mailboxesOf } from '../../core/mail-types/mailbox/mailbox-record.ts';
import type { MailStore } from '../../core/mail-types/mail-store/mail-store.ts';
import { objectKeys } from '../../core/storage/object-keys.ts';
import { accountId, deliverLambda, jmapLambda, rawMessage, tablesWithMessages } from '../fixtures/lambdas-in-memory.ts';
import { memoryTable } from '../../test/fakes/memory-table.ts';
import { TableMeter } from './table-meter.ts';

/** The costs of a batch of messages to one account. */
type BatchCounts = {
  readonly messages: number;
  readonly trips: number;
  readonly messagesPerCommit: number;
  readonly writeUnitsPerMessage: number;
};

/** Messages in one delivery, and messages in one Email/import. */
const [delivered, imported] = [10, 50];

const sequenceOf = async (store: MailStore): Promise<number> => (await store.open(accountId))!.sequence;

/** Counts the delivery of a batch of the queue, and an Email/import, into an account of 1,000 messages. */
export const countBatches = async (): Promise<{ readonly delivery: BatchCounts; readonly import: BatchCounts }> => {
  const meter = new TableMeter();
  const tables = await tablesWithMessages(1000);
  const [directory, mail] = [meter.watch(tables.directory), meter.watch(tables.mail)];
  const jmap = jmapLambda(directory, mail);
  const arrivals = deliverLambda(directory, mail, meter.watch(memoryTable()));
  const view = (await jmap.store.open(accountId))!;
  const inbox = mailboxesOf(view).all().find(({ role }) => role === 'inbox')!.id;
  const emails = Object.fromEntries(await Promise.all(Array.from({ length: imported }, async (_, number) => {
    const raw = rawMessage(100_000 + number);
    await jmap.objects.put(objectKeys.upload(accountId, uploadKey(raw)), raw);
    return [`c${number}`, { blobId: uploadBlobId(uploadKey(raw)), mailboxIds: { [inbox]: true } }] as const;
  })));

  const count = async (messages: number, act: () => Promise<unknown>): Promise<BatchCounts> => {
    const before = await sequenceOf(jmap.store);
    const { trips, writeUnits } = await meter.measure(act);
    const commits = await sequenceOf(jmap.store) - before;
    return { messages, trips, messagesPerCommit: messages / commits, writeUnitsPerMessage: writeUnits / messages };
  };
  return {
    delivery: await count(delivered, () => arrivals.deliver(delivered)),
    import: await count(imported, () => jmap.sendAndParse(['Email/import', { accountId, emails }, 'import'])),
  };
};
