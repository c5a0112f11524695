import type { DynamoDBRecord } from 'aws-lambda';
import { directoryPartitions } from '../../contract/deployment/keys.ts';
import { isActiveProfile } from '../../core/directory/users/principals.ts';
import { decodeAccountStates, type AccountChange } from '../../core/push/listeners/account-states.ts';
import { webSocketConnectionIdOf } from '../../core/push/web-socket/web-socket-connections.ts';
import { itemOfImage } from '../../core/storage/dynamodb/item-image.ts';
import type { Item, Key } from '../../core/storage/table.ts';

/** A change in the stream. `firstRecord`: index in the batch of the first record of the change. */
type StreamChange = { readonly firstRecord: number };

export type StreamedAccountChange = StreamChange & AccountChange;
/** The expiry of a connection. The stream filter passes no other removals (`lib/jmap/push.ts`). */
type ExpiredConnection = StreamChange & { readonly connectionId: string };
/** A change of a user who is deactivated or deleted, or whose tokens have been revoked. */
type AccessChange = StreamChange & { readonly principalId: string };

/** The changes in a batch of the stream of the mail table, or of the directory. */
type StreamChanges = {
  readonly accountChanges: readonly StreamedAccountChange[];
  readonly expiredConnections: readonly ExpiredConnection[];
  readonly accessChanges: readonly AccessChange[];
};

const keyOf = ({ dynamodb }: DynamoDBRecord): Key => ({ pk: dynamodb?.Keys?.['pk']?.S ?? '', sk: dynamodb?.Keys?.['sk']?.S ?? '' });

/** Decodes a batch. All commits of an account become one change. Other items are ignored. */
export const decodeStreamRecords = (records: readonly DynamoDBRecord[]): StreamChanges => {
  const accountChanges = new Map<string, StreamedAccountChange>();
  const expiredConnections: ExpiredConnection[] = [];
  const accessChanges: AccessChange[] = [];
  for (const [firstRecord, record] of records.entries()) {
    const key = keyOf(record);
    const image = record.dynamodb?.NewImage;
    const connectionId = webSocketConnectionIdOf(key);
    if (record.eventName === 'REMOVE' && connectionId !== undefined) expiredConnections.push({ firstRecord, connectionId });
    if (!image) continue;
    const item: Item = { ...itemOfImage(image), ...key };
    const account = decodeAccountStates(item);
    if (account) {
      const earlier = accountChanges.get(account.accountId);
      accountChanges.set(account.accountId, { firstRecord: earlier?.firstRecord ?? firstRecord, after: earlier?.after ?? account.sequence - 1, account });
    }
    if (key.pk === directoryPartitions.users && (!isActiveProfile(item) || item['tokens_revoked_at'] !== undefined)) {
      accessChanges.push({ firstRecord, principalId: key.sk });
    }
  }
  return { accountChanges: [...accountChanges.values()], expiredConnections, accessChanges };
};
