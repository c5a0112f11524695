import type { DynamoDBRecord } from 'aws-lambda';
import { isActiveProfile } from '../../core/directory/audience.ts';
import { connectionOf } from '../../core/push/connections.ts';
import { accountStatesOf, type AccountStates } from '../../core/push/account-states.ts';
import { itemOfImage } from '../../core/storage/stream-image.ts';
import type { Key } from '../../core/storage/table.ts';

/** Something that came by a stream; `first` is the place in the batch of the first record that told of it. */
type News = { readonly first: number };

/** An account has changed: how far it has come, and after which commit that begins. */
export type Change = News & { readonly account: AccountStates; readonly after: number };
/** A connection's time was over. */
export type EndedConnection = News & { readonly connectionId: string };
/** Somebody was deactivated or deleted. */
export type Deactivation = News & { readonly principalId: string };

export type AllNews = { readonly changes: readonly Change[]; readonly endedConnections: readonly EndedConnection[]; readonly deactivations: readonly Deactivation[] };

const keyOf = ({ dynamodb }: DynamoDBRecord): Key => ({ pk: dynamodb?.Keys?.['pk']?.S ?? '', sk: dynamodb?.Keys?.['sk']?.S ?? '' });

/** What a batch of the mail table's stream, or of the directory's, tells; the changes of an account are one, up to its newest head. Anything else is left out. */
export const newsIn = (records: readonly DynamoDBRecord[]): AllNews => {
  const changes = new Map<string, Change>();
  const endedConnections: EndedConnection[] = [];
  const deactivations: Deactivation[] = [];
  for (const [first, record] of records.entries()) {
    const key = keyOf(record);
    const image = record.dynamodb?.NewImage;
    const connectionId = connectionOf(key);
    if (record.eventName === 'REMOVE' && connectionId !== undefined) endedConnections.push({ first, connectionId });
    if (!image) continue;
    const item = { ...itemOfImage(image), ...key };
    const account = accountStatesOf(item);
    if (account) {
      const before = changes.get(account.accountId);
      changes.set(account.accountId, { first: before?.first ?? first, after: before?.after ?? account.sequence - 1, account });
    }
    if (key.pk === 'user' && !isActiveProfile(item)) deactivations.push({ first, principalId: key.sk });
  }
  return { changes: [...changes.values()], endedConnections, deactivations };
};
