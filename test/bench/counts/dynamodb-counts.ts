import { accountId, openingRequest, pageRequest } from '../../../bench/fixtures/alice.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { mailboxesOf } from '../../../core/mail/mailbox/mailbox-record.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { deliverLambda, jmapLambda, tablesWithMessages } from '../fixtures/lambdas-in-memory.ts';
import { TableMeter, type TableUsage } from './table-meter.ts';

/** The DynamoDB usage of requests and deliveries by a warm Lambda, for an account of one size. */
export type DynamodbCounts = {
  readonly messages: number;
  readonly mailboxes: TableUsage;
  readonly changes: TableUsage;
  readonly page: TableUsage;
  readonly opening: TableUsage;
  readonly set: TableUsage;
  readonly delivery: TableUsage & { readonly objectsWritten: number };
  /** The delivery of an answer to the delivered message, which joins its thread. */
  readonly answer: TableUsage;
};

/** Measures all requests and a delivery in an account with this many messages. */
export const countDynamodb = async (messages: number): Promise<DynamodbCounts> => {
  const meter = new TableMeter();
  const tables = await tablesWithMessages(messages);
  const [directory, mail] = [meter.watch(tables.directory), meter.watch(tables.mail)];
  const jmap = jmapLambda(directory, mail);
  const arrivals = deliverLambda(directory, mail, meter.watch(memoryTable()), (objects) => ({ get: meter.watchReads(objects).get }));
  await jmap.sendAndParse(['Mailbox/get', { accountId, ids: null }, 'a']);
  const view = (await jmap.store.open(accountId))!;
  const inbox = mailboxesOf(view)
    .all()
    .find(({ role }) => role === 'inbox')!.id;
  const [newest] = emailsOf(view).query({ inMailbox: inbox }, []).slice(0, 1);

  const mailboxes = await meter.measure(() => jmap.sendAndParse(['Mailbox/get', { accountId, ids: null }, 'a']));
  const page = await meter.measure(() => jmap.sendAndParse(...pageRequest(inbox)));
  const opening = await meter.measure(() => jmap.sendAndParse(...openingRequest(inbox)));
  const set = await meter.measure(() => jmap.sendAndParse(['Email/set', { accountId, update: { [newest!]: { 'keywords/$flagged': true } } }, 'a']));
  const sinceState = (await jmap.store.open(accountId))!.state('Email');
  const written = arrivals.written();
  const delivery = await meter.measure(() => arrivals.deliver());
  const changes = await meter.measure(() => jmap.sendAndParse(['Email/changes', { accountId, sinceState }, 'a']));
  const objectsWritten = arrivals.written() - written;
  const answer = await meter.measure(() => arrivals.deliver(1));
  return { messages, mailboxes, changes, page, opening, set, delivery: { ...delivery, objectsWritten }, answer };
};

/** Number of Emails that one Email/set destroys. */
export const destroyedTogether = 49;

/** The DynamoDB usage of Email/set with one destroyed Email, and with {@link destroyedTogether}. */
export type DestroyCounts = { readonly one: TableUsage; readonly many: TableUsage };

/**
 * Counts the destruction of Emails in an account of 1,000 messages.
 * @param retentionDays days for which they can be restored; 0: not at all.
 */
export const countDestroys = async (retentionDays?: number): Promise<DestroyCounts> => {
  const meter = new TableMeter();
  const tables = await tablesWithMessages(1000);
  const [directory, mail] = [meter.watch(tables.directory), meter.watch(tables.mail)];
  const jmap = jmapLambda(directory, mail, undefined, undefined, undefined, retentionDays);
  const [first, ...others] = emailsOf((await jmap.store.open(accountId))!)
    .ids()
    .slice(0, destroyedTogether + 1);
  const destroy = (ids: readonly string[]) => meter.measure(() => jmap.sendAndParse(['Email/set', { accountId, destroy: ids }, 'a']));
  return { one: await destroy([first!]), many: await destroy(others) };
};
