import { setTimeout as pause } from 'node:timers/promises';
import { LambdaClient, ListEventSourceMappingsCommand, UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import { plainMessage, sendRaw } from '../../sandbox/clients/smtp-client.ts';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { isOver, reportTable, type ReportLine } from '../report-table.ts';
import { sandboxAccount, sandboxOptions, type Arguments } from './sandbox-account.ts';

/** `npm run bench:delivery -- --outputs .postrider/sandbox.json [--mails 600]`: see README.md beside this file. */
const { sandbox, mails } = sandboxOptions(600);
const { email, call, upload } = await sandboxAccount(sandbox);

/** Milliseconds a message: 60 messages a second. */
const budget = 1000 / 60;
/** Maximum Emails of one Email/import. */
const importedAtOnce = 50;
/** Milliseconds after which messages count as lost. */
const deliveryTimeout = 180_000;
const smtpConnections = 10;

const lambda = new LambdaClient(awsClientConfig(sandbox));
const { EventSourceMappings: mappings = [] } = await lambda.send(new ListEventSourceMappingsCommand({ FunctionName: `${sandbox.stackName}-deliver` }));

/** Enables or disables the event source mapping by which the deliver Lambda reads its queue. */
const deliver = (isEnabled: boolean) => Promise.all(mappings.map(({ UUID }) => lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: isEnabled }))));

const countEmails = async (): Promise<number> => Number((await call(['Email/query', { limit: 1, calculateTotal: true }]))[0]!['total']);

const messages = (count: number, subject: string): Promise<Buffer<ArrayBuffer>[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, n) =>
      Buffer.from(await plainMessage({ from: 'bench@elsewhere.test', to: [email], subject: `${subject} ${n}`, text: 'Hello '.repeat(300) })),
    ),
  );

const sendAll = async (raws: readonly Buffer[]): Promise<void> => {
  let next = 0;
  const connection = async (): Promise<void> => {
    while (next < raws.length) await sendRaw(sandbox.smtp, { from: 'bench@elsewhere.test', to: [email] }, raws[next++]!);
  };
  await Promise.all(Array.from({ length: smtpConnections }, connection));
};

/** Delivers messages that have waited in the queue. @returns milliseconds a message. */
const timedDelivery = async (run: number): Promise<number> => {
  const before = await countEmails();
  try {
    await deliver(false);
    // The emulator looks at its queues meanwhile.
    await pause(3000);
    await sendAll(await messages(mails, `Delivered ${run}`));
    if ((await countEmails()) !== before) throw new Error('messages were delivered that should have waited');
  } finally {
    await deliver(true);
  }
  const began = performance.now();
  for (let count = before; count < before + mails; count = await countEmails()) {
    if (performance.now() - began > deliveryTimeout) throw new Error(`${before + mails - count} messages did not arrive within ${deliveryTimeout} ms`);
    await pause(200);
  }
  return (performance.now() - began) / mails;
};

/** Imports uploaded messages. @returns milliseconds a message of the Email/import, without the uploads. */
const timedImport = async (run: number): Promise<number> => {
  const [mailboxes] = await call(['Mailbox/query', { filter: { role: 'archive' } }]);
  const [mailboxId] = [mailboxes!['ids']].flat().map(String);
  const blobIds: string[] = [];
  for (const raw of await messages(importedAtOnce, `Imported ${run}`)) blobIds.push(await upload(raw));
  const emails = Object.fromEntries(blobIds.map((blobId, n) => [`e${n}`, { blobId, mailboxIds: { [mailboxId!]: true } } satisfies Arguments]));
  const began = performance.now();
  const [imported] = await call(['Email/import', { emails }]);
  const duration = performance.now() - began;
  const created = Object.keys(imported!['created'] ?? {}).length;
  if (created !== importedAtOnce) throw new Error(`${created} of ${importedAtOnce} messages were imported`);
  return duration / importedAtOnce;
};

const median = (times: readonly number[]): number => times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)]!;
const perSecond = (time: number): string => `${(1000 / time).toFixed(0)} a second`;

const run = Date.now();
const deliveries: number[] = [];
for (let round = 0; round < 3; round++) deliveries.push(await timedDelivery(run + round));
const imports: number[] = [];
for (let round = 0; round < 5; round++) imports.push(await timedImport(run + round));
lambda.destroy();

const [delivered, imported] = [median(deliveries), median(imports)];
const lines: ReportLine[] = [
  {
    what: 'delivery into one account, a message',
    figure: delivered,
    unit: 'ms',
    atMost: budget,
    note: `${perSecond(delivered)}; ${mails} messages that waited in the queue, median of 3 runs`,
  },
  {
    what: 'Email/import of 50, a message',
    figure: imported,
    unit: 'ms',
    atMost: budget,
    note: `${perSecond(imported)}; the call after the uploads, median of 5 runs`,
  },
];
process.stdout.write(`${reportTable(lines)}\n`);
process.exitCode = lines.some(isOver) ? 1 : 0;
