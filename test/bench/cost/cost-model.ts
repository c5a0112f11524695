import { accountId } from '../../../bench/fixtures/alice.ts';
import { accountPartitions, partitionOf } from '../../../contract/deployment/keys.ts';
import { maxConnectionAge } from '../../../contract/jmap/web-socket.ts';
import type { Units } from '../../../preflight/cost/aws-prices.ts';
import { add, assumed, call, hours, idleUnits, minutes, noUsage, times, type Template } from '../../../preflight/cost/idle-units.ts';
import { countDestroys, countDynamodb } from '../counts/dynamodb-counts.ts';
import { itemSize } from '../counts/dynamodb-units.ts';
import { countPushes } from '../counts/push-counts.ts';
import { countSentMail, type SentMailCounts } from '../counts/sent-mail-counts.ts';
import { countSnapshot } from '../counts/snapshot-counts.ts';
import type { TableUsage } from '../counts/table-meter.ts';
import { tablesWithMessages } from '../fixtures/lambdas-in-memory.ts';

/**
 * Units of the indexer for one delivery: a separate call, because no other commit is made in the same minute; a share
 * of a snapshot; and the removal of the log item after a month.
 */
const indexerUnits = async (): Promise<Units> => {
  const { deliveries, objectsRead, objectsWritten, ...usage } = await countSnapshot(assumed.mailboxSize);
  const snapshot = add(call(1, usage), { s3Reads: objectsRead, s3Writes: objectsWritten });
  return add(call(1, noUsage), times(1 / deliveries, snapshot), { writeUnits: 1 });
};

/**
 * Units of one sent message: the request, the send, SES's events, and the commits that the notifier sees. SES bills
 * each recipient. A part and a batch of events each take two queue requests, to receive and to delete; each
 * message takes one, to send it.
 */
export const sentMailUnits = ({ recipients, request, submit, events, commits, objectsRead, objectsWritten }: SentMailCounts, notified: TableUsage): Units =>
  add(
    call(1, request),
    { httpRequests: 1, s3Reads: objectsRead, s3Writes: objectsWritten },
    call(0.75, submit),
    { mailOut: recipients, queueRequests: 3 },
    times(1 + recipients, { topicPublishes: 1, queueRequests: 1 }),
    ...events.map((batch) => add(call(0.5, batch), { queueRequests: 2 })),
    times(commits, call(0.5, notified)),
  );

/** Units of 1,000 messages: receiving and storing, or sending and recording. */
const mailUnits = async (delivery: TableUsage & { readonly objectsWritten: number }): Promise<Record<string, Units>> => {
  const { noListener, oneSocket } = await countPushes();
  const indexed = await indexerUnits();
  const received = add(
    { mailIn: 1, mailInChunks: 1, topicPublishes: 1, queueRequests: 3, s3Writes: 1 + delivery.objectsWritten, s3Reads: 1 },
    call(1, delivery),
    call(0.5, oneSocket),
    { socketMessages: oneSocket.posts },
    indexed,
  );
  const sent = async (recipients: number, eventsAtOnce: number) =>
    times(1000, add(sentMailUnits(await countSentMail(recipients, eventsAtOnce), noListener), indexed));
  const destroyed = add(call(1, (await countDestroys()).one), { httpRequests: 1 }, call(0.5, noListener));
  return {
    '1,000 messages in, with a WebSocket that is notified': times(1000, received),
    '1,000 messages destroyed, by one request each': times(1000, destroyed),
    '1,000 messages out, to one recipient each': await sent(1, 1),
    '1,000 messages out, to fifty recipients each, their events in tens': await sent(50, 10),
    '1,000 messages out, to fifty recipients each, their events one by one': await sent(50, 1),
  };
};

/** Octets of the items of one message in the mail table: the mean of the generated mailbox. */
const itemOctets = async (): Promise<number> => {
  const { mail } = await tablesWithMessages(assumed.mailboxSize);
  const { log, row, email, reference } = accountPartitions;
  const items = await Promise.all([log, row, email, reference].map((partition) => mail.query({ pk: partitionOf(accountId, partition) })));
  // DynamoDB bills 100 octets for each item in addition.
  return items.flat().reduce((sum, item) => sum + itemSize(item) + 100, 0) / assumed.mailboxSize;
};

/** Units of stored mail, as long as it is kept. */
const storedUnits = async (gigabytes: number): Promise<Units> => {
  const tables = (gigabytes / assumed.messageOctets) * (await itemOctets());
  return { s3Gigabytes: gigabytes, tableGigabytes: tables, recoveryGigabytes: tables };
};

/** The bills of docs/cost.md: title, and the units of each line. */
export const costBills = async (template: Template): Promise<Record<string, Record<string, Units>>> => {
  const { opening, changes, delivery, page } = await countDynamodb(assumed.mailboxSize);
  const request = (usage: TableUsage): Units => add(call(1, usage), { httpRequests: 1 });
  const days = hours / 24;
  const keptByPerson = await storedUnits(10);
  const connections = Math.ceil((minutes * 60) / maxConnectionAge);
  return {
    'An idle deployment, a month': idleUnits(template),
    Mail: await mailUnits(delivery),
    'A client, a month': {
      [`${assumed.openingsOfDay} openings of the mailbox a day`]: times(days * assumed.openingsOfDay, request(opening)),
      [`${assumed.changesOfDay} synchronizations a day`]: times(days * assumed.changesOfDay, add(request(changes), request(page))),
      [`${assumed.partsOfDay} downloads a day`]: times(days * assumed.partsOfDay, add(call(1, noUsage), { restRequests: 1, readUnits: 1, s3Reads: 1 })),
      'a WebSocket that is always connected': add({ socketMinutes: minutes }, times(connections, add(call(0.5, noUsage), { writeUnits: 8, readUnits: 4 }))),
      'the person': { activeUsers: 1 },
    },
    'Stored mail, a month': { 'a person with 10 GB': keptByPerson, 'forty people with 10 GB each': times(40, keptByPerson) },
    'A million requests': {
      'a million opening requests of four calls': times(1e6, request(opening)),
      'a million Email/changes without a change': times(1e6, request(changes)),
    },
  };
};
