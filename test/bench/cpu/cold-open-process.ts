import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accountId, addAlice } from '../../../bench/fixtures/alice.ts';
import { partitionOf } from '../../../contract/deployment/keys.ts';
import { accountOpener } from '../../../core/account-index/account-opener.ts';
import { snapshotBounds } from '../../../core/account-index/snapshot/snapshot-name.ts';
import type { Head } from '../../../core/account-log/head.ts';
import { storedTypes as types } from '../../../core/mail/mail-store/stored-types.ts';
import { takeSnapshot } from '../../../core/search/indexing/take-snapshot.ts';
import type { Item, Table } from '../../../core/storage/table.ts';
import { memoryLog } from '../../fakes/memory-log.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { TableMeter } from '../counts/table-meter.ts';
import { createLargeAccount, deliverLog, fileObjects, withGeneratedRows } from '../fixtures/cold-account.ts';
import { jmapLambda } from '../fixtures/lambdas-in-memory.ts';

/**
 * A process of `cold-open.ts`, which prints its figures as JSON:
 *
 *     node test/bench/cpu/cold-open-process.ts index|request DIRECTORY MESSAGES
 *
 * `index` is a cold indexer: it loads an account from its rows and writes the first snapshot. It leaves the items of the
 * table in DIRECTORY. `request` is a cold JMAP Lambda with its first request, which finds that snapshot and the log
 * after it.
 */
const [mode, directory, count] = process.argv.slice(2) as ['index' | 'request', string, string];
const messages = Number(count);
const objects = fileObjects(directory);
const itemsFile = join(directory, 'items.json');

/** Items of the table without the generated rows, and the Mailboxes by role. */
type Saved = { readonly roles: Head['roles']; readonly items: readonly Item[] };

/** CPU milliseconds, milliseconds and additional memory in MB of `act`. */
const measured = async (act: () => Promise<unknown>) => {
  const held = () => {
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return (heapUsed + arrayBuffers) / 1024 / 1024;
  };
  const before = held();
  const cpu = process.cpuUsage();
  const began = performance.now();
  await act();
  const { user, system } = process.cpuUsage(cpu);
  return { cpu: (user + system) / 1000, milliseconds: performance.now() - began, megabytes: held() - before };
};

/** The memory of the process before it did anything, in MB. */
const memoryAtStart = process.memoryUsage.rss() / 1024 / 1024;

/** The highest additional memory of the process so far, in MB. */
const peakMemory = (): number => process.resourceUsage().maxRSS / 1024 - memoryAtStart;

/** Reads all rows and discards them, as the cost of DynamoDB alone. */
const readRows = async (table: Table): Promise<void> => {
  for (let after: string | undefined; ;) {
    const items = await table.query({ pk: partitionOf(accountId, 'row'), ...(after !== undefined && { after }), limit: 4000 });
    if (items.length < 4000) return;
    after = items.at(-1)!.sk;
  }
};

/** {@link measured}, with trips and read units. */
const metered = async (meter: TableMeter, act: () => Promise<unknown>) => {
  let usage = { trips: 0, readUnits: 0 };
  const figures = await measured(async () => {
    usage = await meter.measure(act);
  });
  return { ...figures, trips: usage.trips, readUnits: usage.readUnits, peak: peakMemory() };
};

const index = async () => {
  const base = memoryTable();
  const roles = await createLargeAccount(base, messages);
  const meter = new TableMeter();
  const table = meter.watch(withGeneratedRows(base, messages, roles));
  const opener = accountOpener({ table, types, snapshots: { objects, log: memoryLog() } });
  const reading = await measured(() => readRows(table));
  const opening = await metered(meter, () => opener.open(accountId));
  const rows = { ...opening, cpu: opening.cpu - reading.cpu };
  const writer = { table, opener, objects, newNonce: () => 'bench', clock: () => new Date() };
  let snapshot: string | undefined;
  const writing = await measured(async () => {
    snapshot = (await takeSnapshot(writer, accountId))?.snapshot;
  });
  if (snapshot === undefined) throw new Error('no snapshot was due');
  const indexer = { ...writing, octets: Number(snapshot.split('-')[3]), peak: peakMemory() };
  await deliverLog(base, snapshotBounds.logBytes - 1000);
  const items = await Promise.all(['log', 'mailbox', 'row'].map((partition) => base.query({ pk: partitionOf(accountId, partition) })));
  writeFileSync(itemsFile, JSON.stringify({ roles, items: items.flat() } satisfies Saved));
  return { rows, indexer };
};

const request = async () => {
  const { roles, items } = JSON.parse(readFileSync(itemsFile, 'utf8')) as Saved;
  const [directoryTable, base] = [memoryTable(), memoryTable()];
  await addAlice(directoryTable);
  for (const item of items) await base.write([{ put: item }]);
  const meter = new TableMeter();
  const mail = meter.watch(withGeneratedRows(base, messages, roles));
  const jmap = jmapLambda(meter.watch(directoryTable), mail, meter.watchReads(objects));
  return metered(meter, () => jmap.sendAndParse(['Mailbox/get', { accountId, ids: null }, 'a']));
};

process.stdout.write(JSON.stringify(await (mode === 'index' ? index() : request())));
