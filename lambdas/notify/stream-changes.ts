import type { DynamoDBRecord } from 'aws-lambda';
import { isActiveProfile } from '../../core/directory/principals.ts';
import { decodeAccountStates, type AccountStates } from '../../core/push/account-states.ts';
import type { NotifiedUpTo } from '../../core/push/listener-record.ts';
import { webSocketConnectionIdOf } from '../../core/push/web-socket-connections.ts';
import { itemOfImage } from '../../core/storage/stream-image.ts';
import type { Key } from '../../core/storage/table.ts';

/** `firstRecord`: index in the batch of the first record of the change. */
type StreamChange = { readonly firstRecord: number };

/**
 * New commits of an account: its newest state in the batch, and the sequence number of the last commit before the
 * batch.
 */
export type AccountChange = StreamChange & { readonly account: AccountStates; readonly after: number };
/**
 * A connection expired, and DynamoDB removed its item. The stream filter lets no other removals through
 * (`lib/push.ts`).
 */
export type ExpiredConnection = StreamChange & { readonly connectionId: string };
/** A user was deactivated or deleted. */
export type UserDeactivation = StreamChange & { readonly principalId: string };

/** The changes in a batch of the mail table's stream, or of the directory's. */
export type StreamChanges = {
  readonly accountChanges: readonly AccountChange[];
  readonly expiredConnections: readonly ExpiredConnection[];
  readonly deactivations: readonly UserDeactivation[];
};

const keyOf = ({ dynamodb }: DynamoDBRecord): Key => ({ pk: dynamodb?.Keys?.['pk']?.S ?? '', sk: dynamodb?.Keys?.['sk']?.S ?? '' });

/**
 * Reads a batch. All commits of an account are one change, up to its newest head. Records of other items are ignored.
 */
export const decodeStreamRecords = (records: readonly DynamoDBRecord[]): StreamChanges => {
  const accountChanges = new Map<string, AccountChange>();
  const expiredConnections: ExpiredConnection[] = [];
  const deactivations: UserDeactivation[] = [];
  for (const [firstRecord, record] of records.entries()) {
    const key = keyOf(record);
    const image = record.dynamodb?.NewImage;
    const connectionId = webSocketConnectionIdOf(key);
    if (record.eventName === 'REMOVE' && connectionId !== undefined) expiredConnections.push({ firstRecord, connectionId });
    if (!image) continue;
    const item = { ...itemOfImage(image), ...key };
    const account = decodeAccountStates(item);
    if (account) {
      const earlier = accountChanges.get(account.accountId);
      accountChanges.set(account.accountId, {
        firstRecord: earlier?.firstRecord ?? firstRecord, after: earlier?.after ?? account.sequence - 1, account,
      });
    }
    if (key.pk === 'user' && !isActiveProfile(item)) deactivations.push({ firstRecord, principalId: key.sk });
  }
  return { accountChanges: [...accountChanges.values()], expiredConnections, deactivations };
};

/** Changes of which a listener was not notified yet. Streams repeat batches: a repeated one has none. */
export const unseenBy = (notifiedUpTo: NotifiedUpTo, changes: readonly AccountChange[]): AccountChange[] =>
  changes.filter(({ account }) => (notifiedUpTo.get(account.accountId) ?? 0) < account.sequence);

/**
 * For a listener that is notified only of what happens while it listens: an account of which it was never notified
 * begins with the batch.
 */
export const withBatchStarts = (notifiedUpTo: NotifiedUpTo, changes: readonly AccountChange[]): NotifiedUpTo =>
  new Map([...changes.map(({ account, after }) => [account.accountId, after] as const), ...notifiedUpTo]);
