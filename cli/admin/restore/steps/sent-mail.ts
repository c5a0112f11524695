import { TransactWriteItemsCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { sendingPartitions } from '../../../../contract/deployment/keys.ts';
import type { RestoreDependencies } from '../restore-clients.ts';
import type { TableRestore } from '../restore-plan.ts';
import { readPartition, type RawItem } from './table-items.ts';

/**
 * The partition of outbox entries that nobody sends until the services use the restored tables. It prevents that mail
 * which was sent after the time is sent again.
 */
const { outbox, heldOutbox } = sendingPartitions;

const move = async (dynamodb: DynamoDBClient, TableName: string, item: RawItem, from: string, to: string): Promise<void> => {
  await dynamodb.send(
    new TransactWriteItemsCommand({
      TransactItems: [{ Put: { TableName, Item: { ...item, pk: { S: to } } } }, { Delete: { TableName, Key: { pk: { S: from }, sk: item['sk']! } } }],
    }),
  );
};

/** Holds all mail of the restored outbox back. @returns the keys of its raw messages. */
export const holdOutbox = async ({ clients: { dynamodb } }: RestoreDependencies, { target }: TableRestore, isSwitched: boolean): Promise<string[]> => {
  if (!isSwitched) for (const entry of await readPartition(dynamodb, target, outbox)) await move(dynamodb, target, entry, outbox, heldOutbox);
  const held = await readPartition(dynamodb, target, heldOutbox);
  const submissions = await Promise.all(
    [...new Set(held.map((entry) => entry['submission_id']!.S!))].map((id) => readPartition(dynamodb, target, sendingPartitions.submissions(id))),
  );
  return submissions.flat().flatMap((item) => item['message_key']?.S ?? []);
};

/** Puts items of another table into this one, and deletes the held entry, all at once. A submission has few items. */
const replaceHeld = async (dynamodb: DynamoDBClient, TableName: string, items: readonly RawItem[], held?: RawItem): Promise<void> => {
  await dynamodb.send(
    new TransactWriteItemsCommand({
      TransactItems: [
        ...items.map((Item) => ({ Put: { TableName, Item } })),
        ...(held ? [{ Delete: { TableName, Key: { pk: held['pk']!, sk: held['sk']! } } }] : []),
      ],
    }),
  );
};

/** The numbers of messages that waited to be sent, by what happened to them since. */
export type ReleasedMail = {
  /** Mail that waited at the time and was sent or canceled since. It is not sent again. */ readonly settled: number;
  /** Mail that is sent now: it waited at the time, or was accepted since and waits still. */ readonly released: number;
};

/**
 * Releases the held mail, after the services use the restored tables. The old table has the newer state of a submission,
 * which replaces the restored one. Mail that was accepted after the time and still waits is taken over too.
 */
export const releaseOutbox = async ({ clients: { dynamodb } }: RestoreDependencies, { source, target }: TableRestore): Promise<ReleasedMail> => {
  const [held, waiting] = [await readPartition(dynamodb, target, heldOutbox), await readPartition(dynamodb, source, outbox)];
  const idOf = (entry: RawItem): string => entry['submission_id']!.S!;
  const nameOf = (entry: RawItem): string => `${idOf(entry)}#${entry['part']!.N}`;
  const stillWaiting = new Map(waiting.map((entry) => [nameOf(entry), entry]));
  let [settled, released] = [0, 0];
  for (const entry of held) {
    const known = await readPartition(dynamodb, source, sendingPartitions.submissions(idOf(entry)));
    // The old table may have lost the submission. Then the restored one is the truth.
    const next = known.length === 0 ? entry : stillWaiting.get(nameOf(entry));
    await replaceHeld(dynamodb, target, [...known, ...(next ? [{ ...next, pk: { S: outbox } }] : [])], entry);
    if (next) released += 1;
    else settled += 1;
  }
  const restored = new Set(held.map(nameOf));
  for (const [name, entry] of stillWaiting) {
    if (restored.has(name) || (await readPartition(dynamodb, target, sendingPartitions.submissions(idOf(entry)))).length > 0) continue;
    await replaceHeld(dynamodb, target, [...(await readPartition(dynamodb, source, sendingPartitions.submissions(idOf(entry)))), entry]);
    released += 1;
  }
  return { settled, released };
};
