import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { capability } from '../../contract/jmap/core.ts';
import { accountOpener } from '../../core/account-index/account-opener.ts';
import { mailStore } from '../../core/mail-types/mail-store/table-mail-store.ts';
import { storedTypes as types } from '../../core/mail-types/mail-store/stored-types.ts';
import type { Item, Table } from '../../core/storage/table.ts';
import { cleanUpMail } from '../../lambdas/mail-cleanup/clean-up-mail.ts';
import { memoryLog } from '../fakes/memory-log.ts';
import { memoryObjects } from '../fakes/memory-objects.ts';
import { memoryQueue } from '../fakes/memory-queue.ts';
import { memoryTable } from '../fakes/memory-table.ts';
import { jmapLambda, tokenOf, type Json } from '../support/jmap-lambda.ts';
import { sendPipeline } from '../support/send-pipeline.ts';

/** The data that an earlier commit stored, the messages in its queues, and its responses to JMAP calls. */
type StoredDeployment = {
  readonly now: string;
  readonly directory: readonly Item[];
  readonly mail: readonly Item[];
  readonly sending: readonly Item[];
  readonly objects: readonly { readonly key: string; readonly type: string; readonly bytes: string }[];
  readonly queues: Readonly<Record<'submit' | 'pushes' | 'removals', readonly unknown[]>>;
  readonly answers: readonly { readonly name: string; readonly args: Json; readonly response: Json }[];
};

/** Decodes binary attributes, which are `{"$bytes": base64}` in the file. */
const revive = (_name: string, value: unknown): unknown =>
  (typeof value === 'object' && value !== null && '$bytes' in value ? Buffer.from(value.$bytes as string, 'base64') : value);

const stored = JSON.parse(readFileSync(join(import.meta.dirname, 'stored-by-e3d1fa8.json'), 'utf8'), revive) as StoredDeployment;

const account = 'acc_alice';
const { core, mail, submission, vacationResponse, blob, quota } = capability;
const using = [core, mail, submission, vacationResponse, blob, quota];
const clock = () => new Date(stored.now);

const tableWith = async (items: readonly Item[]): Promise<Table> => {
  const table = memoryTable();
  for (const item of items) await table.write([{ put: item }]);
  return table;
};

/** The JMAP Lambda of this commit over the data of the earlier commit. */
const upgraded = async () => {
  const [directory, mail, sending] = [await tableWith(stored.directory), await tableWith(stored.mail), await tableWith(stored.sending)];
  const [objects, log] = [memoryObjects(clock), memoryLog()];
  for (const { key, bytes, type } of stored.objects) await objects.put(key, Buffer.from(bytes, 'base64'), type);
  const store = mailStore({ table: mail, snapshots: { objects, log }, clock });
  const { perform } = jmapLambda({
    directory, mail, sending, objects, store, removals: memoryQueue(), pushes: memoryQueue(), clock, newId: () => 'New', log, tokens: { alice: tokenOf('alice') },
  });
  const call = async (name: string, args: Json): Promise<Json> =>
    (await perform([[name, { accountId: account, ...args }, 'c']], { using }))[0]![1];
  return { directory, mail, sending, objects, log, store, call };
};

describe('a deployment that commit e3d1fa8 wrote', () => {
  test.each(stored.answers)('is read by $name with the same response', async ({ name, args, response }) => {
    const { call, log } = await upgraded();
    expect(await call(name, args)).toEqual(response);
    expect(log.records).toEqual([]);
  });

  test('takes a new commit, and lists its changes after the earlier ones', async () => {
    const { call } = await upgraded();
    const { args, response } = stored.answers.find(({ name }) => name === 'Email/changes')!;
    const [updated] = response['updated'] as string[];
    await call('Email/set', { destroy: [updated] });
    const changes = await call('Email/changes', args);
    expect(changes['destroyed']).toEqual(expect.arrayContaining([...response['destroyed'] as string[], updated]));
  });

  test('sends a submission of its queue, and one that is on hold in its outbox', async () => {
    const { directory, mail, sending, objects } = await upgraded();
    const pipeline = sendPipeline({ table: sending, mailTable: mail, directory, objects });
    expect(await pipeline.submit(stored.queues.submit as string[])).toEqual([]);
    pipeline.advance(3 * 60 * 60 * 1000);
    await pipeline.sweep();
    expect(await pipeline.submit()).toEqual([]);
    expect(pipeline.sender.sent.map(({ recipients }) => recipients)).toEqual([['bob@example.net'], ['bob@example.net', 'carol@example.net']]);
  });

  test('removes its destroyed Emails by the messages of its queue', async () => {
    const { mail: table, objects, log } = await upgraded();
    const cleanUp = cleanUpMail({ table, objects, opener: accountOpener({ table, types }), clock, log });
    const before = objects.keys().length;
    for (const task of stored.queues.removals) await cleanUp(JSON.stringify(task));
    expect(objects.keys().length).toBeLessThan(before);
  });
});
