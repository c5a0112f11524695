import { parseArgs } from 'node:util';
import { coldStart } from '../../bench/cpu/cold-start.ts';
import { fixedWorkCpu } from '../../bench/cpu/fixed-work.ts';
import { cpuLine, isOver, reportTable, type ReportLine } from '../../bench/report-table.ts';
import { maxGroupMembers } from '../../contract/admin/aliases.ts';
import { usdOf } from '../../preflight/cost/aws-prices.ts';
import { sentMailUnits } from './cost/cost-model.ts';
import { countDirectory, directorySize } from './counts/directory-counts.ts';
import { countDestroys, countDynamodb, destroyedTogether, type DynamodbCounts } from './counts/dynamodb-counts.ts';
import { countGroup } from './counts/group-counts.ts';
import { countPushes, priceOf, prices, type PushCounts } from './counts/push-counts.ts';
import { countSentMail, together } from './counts/sent-mail-counts.ts';
import type { TableUsage } from './counts/table-meter.ts';
import { coldOpen, type ColdOpen } from './cpu/cold-open.ts';
import { memoryPerMessage, openingRequestCpu, slowestQueryCpu } from './cpu/cpu-and-memory.ts';
import { searchFigures } from './cpu/search-figures.ts';
import { worstParse } from './cpu/worst-parse.ts';

/** `npm run bench [-- --sizes 1000,10000 --cold-sizes 10000]`: see README.md beside this file. */
const { values } = parseArgs({
  options: { sizes: { type: 'string', default: '1000,10000,100000' }, 'cold-sizes': { type: 'string', default: '10000,100000,1000000' } },
});
const sizes = values.sizes.split(',').map(Number);
const coldSizes = values['cold-sizes'].split(',').map(Number);

/** The budgets for serial round trips. */
const tripBudgets = { mailboxes: 1, changes: 1, page: 2, opening: 2, set: 2, delivery: 4 } as const;
type Operation = keyof typeof tripBudgets;
const operationTitles: Record<Operation, string> = {
  mailboxes: 'Mailbox/get, all',
  changes: 'Email/changes',
  page: 'Email/query 50 + Email/get',
  opening: 'opening request of four calls',
  set: 'Email/set of one',
  delivery: 'delivery, with the read of the message from S3',
};

const size = (messages: number): string => `${messages.toLocaleString('en')} messages`;
const lines: ReportLine[] = [];
/** CPU milliseconds of one unit of CPU budgets. */
const unit = fixedWorkCpu();
const add = (...more: ReportLine[]) => lines.push(...more);

const counted: DynamodbCounts[] = [];
for (const messages of sizes) {
  process.stderr.write(`counting at ${size(messages)} …\n`);
  counted.push(await countDynamodb(messages));
}

for (const [operation, what] of Object.entries(operationTitles) as [Operation, string][]) {
  const worst = Math.max(...counted.map((each) => each[operation].trips));
  add({ what: `trips: ${what}`, figure: worst, atMost: tripBudgets[operation], note: `in series, at ${sizes.map(size).join(', ')}` });
}
for (const [operation, what] of Object.entries(operationTitles) as [Operation, string][]) {
  const units = (reading: TableUsage) =>
    operation === 'set' || operation === 'delivery' ? `${reading.readUnits} + ${reading.writeUnits} written` : String(reading.readUnits);
  add({
    what: `read units: ${what}`,
    figure: counted.at(-1)![operation].readUnits,
    note: counted.map((each) => `${size(each.messages)}: ${units(each[operation])}`).join(' · '),
  });
}
for (const operation of ['page', 'opening'] as const) {
  const units = counted.map((each) => each[operation].readUnits);
  add({ what: `read units, largest to smallest account: ${operationTitles[operation]}`, figure: Math.max(...units) / Math.min(...units), atMost: 1.1 });
}
add(
  { what: 'write units: Email/set of one', figure: Math.max(...counted.map(({ set }) => set.writeUnits)) },
  { what: 'write units: delivery', figure: Math.max(...counted.map(({ delivery }) => delivery.writeUnits)), atMost: 16 },
  { what: 'write units: delivery of an answer', figure: Math.max(...counted.map(({ answer }) => answer.writeUnits)), atMost: 18 },
  { what: 'S3 objects written: delivery', figure: Math.max(...counted.map(({ delivery }) => delivery.objectsWritten)), atMost: 1 },
);

const group = await countGroup();
add(
  {
    what: `trips: a message for a group of ${maxGroupMembers}`,
    figure: group.first.trips,
    atMost: 4,
    note: `with the read of the message from S3, then ${group.records} records at the same time, each ${group.record.trips}`,
  },
  {
    what: 'write units a member: a message for a group',
    figure: group.writeUnitsOfMember,
    atMost: 17,
    note: `${group.readUnitsOfMember.toFixed(1)} read units`,
  },
);

for (const [what, { trips, readUnits }] of Object.entries(await countDirectory())) {
  const isFound = what.includes('found') || what.includes('among');
  const hasUse = what.includes('their use');
  add(
    {
      what: `trips: 50 ${what}`,
      figure: trips,
      atMost: isFound ? 7 : hasUse ? 4 : 2,
      note: `of ${directorySize.people} people, ${directorySize.domains} domains`,
    },
    { what: `read units: 50 ${what}`, figure: readUnits, atMost: isFound ? 210 : hasUse ? 225 : 60 },
  );
}

const [destroys, destroysForGood] = [await countDestroys(), await countDestroys(0)];
add(
  {
    what: 'write units: destroy of one',
    figure: destroys.one.writeUnits,
    atMost: 12,
    note: `${destroysForGood.one.writeUnits} with deletedMailRetentionDays=0`,
  },
  {
    what: `write units an Email: destroy of ${destroyedTogether}`,
    figure: destroys.many.writeUnits / destroyedTogether,
    atMost: 7,
    note: `${(destroysForGood.many.writeUnits / destroyedTogether).toFixed(1)} with deletedMailRetentionDays=0`,
  },
);

/**
 * Counts of one sent message, with budgets. The account writes to the one recipient for the first time: four write units put
 * the person, and the AddressBook, into Recent. A message to more than ten people adds nobody.
 */
const sentMails = [
  { recipients: 1, eventsAtOnce: 1, trips: 7, readUnits: 29, writeUnits: 67 },
  { recipients: 50, eventsAtOnce: 10, trips: 7, readUnits: 101, writeUnits: 246 },
  { recipients: 50, eventsAtOnce: 1, trips: 7, readUnits: 313, writeUnits: 1026 },
] as const;
const pushes = await countPushes();
for (const { recipients, eventsAtOnce, ...budget } of sentMails) {
  const counts = await countSentMail(recipients, eventsAtOnce);
  const events = together(counts.events);
  const all = together([counts.request, counts.submit, events]);
  const what = `sent mail, ${recipients === 1 ? '1 recipient' : `${recipients} recipients, events ${eventsAtOnce === 1 ? 'one by one' : 'in tens'}`}`;
  const shares = (of: 'readUnits' | 'writeUnits') =>
    `${counts.request[of]} by the request, ${counts.submit[of]} by the submit Lambda, ${events[of]} by ${counts.events.length} calls for events`;
  const units = sentMailUnits(counts, pushes.noListener);
  add(
    {
      what: `trips: ${what}, until it is accepted`,
      figure: counts.request.trips,
      atMost: budget.trips,
      note: `until SES is called and that is recorded: ${counts.submit.trips} more`,
    },
    { what: `read units: ${what}`, figure: all.readUnits, atMost: budget.readUnits, note: shares('readUnits') },
    { what: `write units: ${what}`, figure: all.writeUnits, atMost: budget.writeUnits, note: shares('writeUnits') },
    {
      what: `dollars a million: ${what}`,
      figure: usdOf(units, false) * 1e6,
      unit: 'USD',
      note:
        `SES ${(usdOf({ mailOut: units.mailOut! }, false) * 1e6).toFixed(0)} · requests: ${units.lambdaCalls} Lambda, ${units.queueRequests} SQS, ` +
        `${units.topicPublishes} SNS, ${counts.objectsRead + counts.objectsWritten} S3`,
    },
  );
}

const megabytes = (figure: number): string => `${figure.toFixed(0)} MB`;

/**
 * Lines for opening an account in a cold Lambda. Budgets: 300 units of CPU for 100,000 messages; 3 s and 200 MB for a
 * million.
 */
const coldLines = ({ messages, withSnapshot, withoutSnapshot, indexer }: ColdOpen): ReportLine[] => [
  {
    what: `cold Lambda, first request: trips, ${size(messages)}`,
    figure: withSnapshot.trips,
    atMost: 5,
    note: `with a snapshot of ${megabytes(indexer.octets / 1e6)}; without: ${withoutSnapshot.trips}`,
  },
  {
    what: `cold Lambda, first request: read units, ${size(messages)}`,
    figure: withSnapshot.readUnits,
    atMost: 50,
    note: `without: ${withoutSnapshot.readUnits}`,
  },
  cpuLine({
    what: `cold Lambda, first request: CPU, ${size(messages)}`,
    cpu: withSnapshot.cpu,
    unit,
    ...(messages <= 100_000 && { atMost: 300 }),
    note: `without: ${withoutSnapshot.cpu.toFixed(0)} ms and the SDK’s parsing`,
  }),
  ...(messages < 1_000_000
    ? []
    : [
        {
          what: `cold Lambda, first request: time, ${size(messages)}`,
          figure: withSnapshot.milliseconds,
          unit: 'ms',
          atMost: 3000,
          note: 'without the time of S3 and DynamoDB',
        },
      ]),
  {
    what: `cold Lambda, first request: memory, ${size(messages)}`,
    figure: withSnapshot.peak,
    unit: 'MB',
    atMost: 200,
    note: `at its highest; afterwards ${megabytes(withSnapshot.megabytes)}; without: ${megabytes(withoutSnapshot.peak)}`,
  },
  {
    what: `indexer, first snapshot: memory, ${size(messages)}`,
    figure: indexer.peak,
    unit: 'MB',
    atMost: 700,
    note: `from rows; the snapshot alone takes ${indexer.cpu.toFixed(0)} ms of CPU`,
  },
];
for (const messages of coldSizes) {
  process.stderr.write(`opening a cold account of ${size(messages)} …\n`);
  add(...coldLines(coldOpen(messages)));
}

const pushed = ({ readUnits, writeUnits, posts, queued }: PushCounts): string => `${readUnits} read, ${writeUnits} written, ${posts} posted, ${queued} queued`;
const perMillion = (push: PushCounts): string => `${pushed(push)} · $${priceOf(push).toFixed(2)} a million changes`;
add(
  {
    what: 'push: trips until a socket is notified',
    figure: pushes.oneSocket.trips,
    atMost: 4,
    note: 'members, listeners, whether still active, and the record of the notification',
  },
  {
    what: 'push: units a change, no listener',
    figure: pushes.noListener.readUnits + pushes.noListener.writeUnits,
    atMost: 2,
    note: perMillion(pushes.noListener),
  },
  { what: 'push: units a change, one socket', figure: pushes.oneSocket.readUnits + pushes.oneSocket.writeUnits, atMost: 4, note: perMillion(pushes.oneSocket) },
  {
    what: 'push: units a change, ten sockets',
    figure: pushes.tenSockets.readUnits + pushes.tenSockets.writeUnits,
    atMost: 13,
    note: perMillion(pushes.tenSockets),
  },
  {
    what: 'push: units a change, one Web Push',
    figure: pushes.oneSubscription.readUnits + pushes.oneSubscription.writeUnits,
    atMost: 3,
    note: `${perMillion(pushes.oneSubscription)}, without the sending`,
  },
  {
    what: 'push: calls for a connected client while nothing happens',
    figure: pushes.tenSockets.idle,
    atMost: 0,
    note: `API Gateway’s connection minutes alone: $${((prices.connectionMinutes * 60 * 730) / 1e6).toFixed(3)} a client and month, day and night`,
  },
);

process.stderr.write('measuring CPU and memory …\n');
const worst = await slowestQueryCpu(100_000);
const search = await searchFigures(50_000);
const { octets, cpu } = coldStart();
const parse = worstParse();
add(
  cpuLine({
    what: 'CPU: opening request, warm, 10,000 messages',
    cpu: await openingRequestCpu(10_000),
    unit,
    atMost: 4,
    note: 'handler, store and DynamoDB’s client, without the socket',
  }),
  cpuLine({ what: 'CPU: Email/query, warm, 100,000 messages', cpu: worst.cpu, unit, atMost: 15, note: `the slowest: ${worst.query}` }),
  {
    what: 'search, two words and a phrase, 50,000 messages: CPU to Email/query',
    figure: search.cpu / search.query.cpu,
    unit: 'times',
    atMost: 3,
    note: `${search.cpu.toFixed(1)} ms to ${search.query.cpu.toFixed(1)} ms of the slowest query there; two words alone ${search.wordsCpu.toFixed(1)} ms`,
  },
  { what: 'search, the same: trips to S3, warm', figure: search.warmTrips, atMost: 1, note: `the first search of a Lambda: ${search.coldTrips}` },
  {
    what: 'search index, octets a message of 340 words',
    figure: search.indexOctets,
    unit: 'octets',
    atMost: 300,
    note: `${search.distinctWords.toFixed(0)} distinct words; beside it ${search.wordOctets.toFixed(0)} of words and ${search.headerOctets.toFixed(0)} of header fields, for phrases`,
  },
  {
    what: 'CPU: Email/query sorted by subject, 50,000 messages',
    figure: search.sortCpu,
    unit: 'ms',
    note: `the first one after a delivery: ${search.firstSortCpu.toFixed(0)} ms`,
  },
  { what: 'search: CPU of indexing a message, without parsing it', figure: search.indexingCpu, unit: 'ms' },
  cpuLine({ what: 'CPU: worst parse of 10 MB', cpu: parse.cpu, unit, atMost: 500, note: parse.message }),
  {
    what: 'worst parse, to one look at its octets',
    figure: parse.cpu / parse.scanCpu,
    unit: 'times',
    atMost: 50,
    note: `a scan for line ends takes ${parse.scanCpu.toFixed(1)} ms`,
  },
  { what: 'memory a message, 100,000 messages', figure: memoryPerMessage(100_000), unit: 'bytes', atMost: 100 },
  { what: 'jmap bundle', figure: octets / 1024, unit: 'KB', atMost: 1024 },
  cpuLine({ what: 'CPU: jmap, load and first answer', cpu, unit, atMost: 250, note: 'a 401, so without DynamoDB' }),
  { what: 'one unit of CPU: the fixed piece of work', figure: unit, unit: 'ms' },
);

process.stdout.write(`\n${reportTable(lines)}\n`);
const over = lines.filter(isOver);
process.stdout.write(over.length === 0 ? '\nEvery budget is held.\n' : `\n${over.length} over budget.\n`);
process.exitCode = over.length === 0 ? 0 : 1;
