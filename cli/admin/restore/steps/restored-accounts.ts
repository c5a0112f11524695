import { BatchGetItemCommand, UpdateItemCommand, type AttributeValue } from '@aws-sdk/client-dynamodb';
import { accountOfHead, headKey } from '../../../../core/account-log/keys.ts';
import { parseBlobId } from '../../../../core/mail/email/blob-id.ts';
import { objectKeys } from '../../../../core/storage/object-keys.ts';
import { isAwsError, type RestoreDependencies } from '../restore-clients.ts';
import { timeLabel, type TableRestore } from '../restore-plan.ts';
import { scanTable, type RawItem } from './table-items.ts';

/** The accounts, Emails and raw messages of the restored mail table. */
export type RestoredMail = {
  accounts: number;
  emails: number;
  /** The keys of all raw messages that the table names. */
  readonly messageKeys: Set<string>;
};

/** Maximum concurrent writes of heads. */
const writesAtOnce = 10;

/** Numbers of commits between the last one of the old table and the first one of the restored table. */
const sequenceGap = 1_000_000;

/** The attribute of an account's head that says to which time it was restored. */
const restoredAttribute = 'restoredTo';

/**
 * Moves the head of a restored account beyond every commit that clients know, and beyond those that are made until the
 * switch. Their states are then older than the log, so that they load the account again, and none takes a new commit
 * for one that it has seen. Snapshot and search index are made again by the indexer, which the stream tells.
 */
const advanceHead = async ({ clients: { dynamodb }, time }: RestoreDependencies, target: string, head: RawItem, usedSequence: number): Promise<void> => {
  const next = String(Math.max(Number(head['sequence']!.N), usedSequence) + sequenceGap);
  const states = Object.fromEntries(Object.keys(head['states']?.M ?? {}).map((type): [string, AttributeValue] => [type, { N: next }]));
  try {
    await dynamodb.send(
      new UpdateItemCommand({
        TableName: target,
        Key: { pk: head['pk']!, sk: head['sk']! },
        UpdateExpression: 'SET #sequence = :next, #lowWater = :next, #states = :states, #restored = :time REMOVE #snapshot, #search, #due, #at',
        ConditionExpression: '#sequence = :sequence AND (attribute_not_exists(#restored) OR #restored <> :time)',
        ExpressionAttributeNames: {
          '#sequence': 'sequence',
          '#lowWater': 'lowWater',
          '#states': 'states',
          '#restored': restoredAttribute,
          '#snapshot': 'snapshot',
          '#search': 'search',
          '#due': 'searchDue',
          '#at': 'lowWaterStates',
        },
        ExpressionAttributeValues: { ':next': { N: next }, ':states': { M: states }, ':sequence': head['sequence']!, ':time': { S: timeLabel(time) } },
      }),
    );
  } catch (error) {
    if (!isAwsError(error, 'ConditionalCheckFailedException')) throw error;
  }
};

/** The sequence numbers of accounts in the table that is in use, by account. Accounts that it lacks are left out. */
const sequencesIn = async (
  { clients: { dynamodb } }: RestoreDependencies,
  table: string,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, number>> => {
  const found = new Map<string, number>();
  const toKey = (accountId: string) => ({ pk: { S: headKey(accountId).pk }, sk: { S: headKey(accountId).sk } });
  for (let rest: Record<string, AttributeValue>[] = accountIds.map(toKey); rest.length > 0;) {
    const { Responses = {}, UnprocessedKeys = {} } = await dynamodb.send(
      new BatchGetItemCommand({
        RequestItems: {
          [table]: { Keys: rest.slice(0, 100), ConsistentRead: true, ProjectionExpression: 'pk, sk, #s', ExpressionAttributeNames: { '#s': 'sequence' } },
        },
      }),
    );
    for (const item of Responses[table] ?? []) found.set(accountOfHead({ pk: item['pk']!.S!, sk: item['sk']!.S! })!, Number(item['sequence']!.N));
    rest = [...(UnprocessedKeys[table]?.Keys ?? []), ...rest.slice(100)];
  }
  return found;
};

/** The key of the raw message that a record of an Email, or of a destroyed one that can be restored, names. */
const messageKeyOf = (accountId: string, record: string): string | undefined => {
  const { blobId }: { blobId: string } = JSON.parse(record.slice(0, record.indexOf('\n')));
  const blob = parseBlobId(blobId);
  return blob?.kind === 'message' ? objectKeys.message(accountId, blob.key) : undefined;
};

/**
 * Reads the restored mail table once: finds the raw messages that it names and, before the switch, moves the heads of
 * its accounts.
 */
export const readRestoredMail = async (dependencies: RestoreDependencies, { source, target }: TableRestore, isSwitched: boolean): Promise<RestoredMail> => {
  const {
    clients: { dynamodb },
    time,
  } = dependencies;
  const mail: RestoredMail = { accounts: 0, emails: 0, messageKeys: new Set() };
  await scanTable(dynamodb, target, ['pk', 'sk', 'record', 'sequence', 'states', 'expiresAt', restoredAttribute], async (items) => {
    const heads = new Map<string, RawItem>();
    for (const item of items) {
      const [pk, sk] = [item['pk']!.S!, item['sk']!.S!];
      const accountId = accountOfHead({ pk, sk });
      if (accountId !== undefined) heads.set(accountId, item);
      const record = pk.endsWith('#email') ? item['record']?.S : undefined;
      if (record === undefined) continue;
      if (item['expiresAt'] === undefined) mail.emails += 1;
      const key = messageKeyOf(pk.slice(0, -'#email'.length), record);
      if (key !== undefined) mail.messageKeys.add(key);
    }
    mail.accounts += heads.size;
    const waiting = isSwitched ? [] : [...heads].filter(([, head]) => head[restoredAttribute]?.S !== timeLabel(time));
    const used = await sequencesIn(
      dependencies,
      source,
      waiting.map(([accountId]) => accountId),
    );
    while (waiting.length > 0) {
      await Promise.all(waiting.splice(0, writesAtOnce).map(([accountId, head]) => advanceHead(dependencies, target, head, used.get(accountId) ?? 0)));
    }
  });
  return mail;
};
