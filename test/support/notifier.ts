import type { DynamoDBRecord } from 'aws-lambda';
import { notifyBatch, type Notifier } from '../../lambdas/notify/notify.ts';
import { connectionsIn } from '../../core/push/connections.ts';
import { audienceIn } from '../../core/directory/audience.ts';
import { mailStore } from '../../core/mail/table-mail-store.ts';
import { socketItem, type Socket } from '../../core/push/socket.ts';
import { subscriptionItem, type PushSubscription } from '../../core/push/push-subscription.ts';
import { memoryLog } from '../fakes/memory-log.ts';
import { memoryQueue } from '../fakes/memory-queue.ts';
import { memorySockets } from '../fakes/memory-sockets.ts';
import { memoryTable } from '../fakes/memory-table.ts';
import { newEmail } from './mail.ts';
import { streamedTable } from './table-stream.ts';

export const now = new Date('2026-11-21T12:00:00Z');
export const seconds = now.getTime() / 1000;

type Parts = { readonly [P in keyof Notifier]?: (given: Notifier[P]) => Notifier[P] };

/** The notifier over memory: accounts whose commits come by a stream, people, and clients with sockets. @param wrapped what the notifier has instead of its ports. */
export const notifierOverMemory = (wrapped: Parts = {}) => {
  const [mail, directory] = [streamedTable(memoryTable()), streamedTable(memoryTable())];
  const [sockets, webPushes, log] = [memorySockets(), memoryQueue(), memoryLog()];
  const parts: Notifier = { mail, audience: audienceIn(directory), sockets, webPushes, now: () => now, log };
  const wrap = <P extends keyof Notifier>(name: P): Notifier[P] => wrapped[name]?.(parts[name]) ?? parts[name];
  const notify = notifyBatch({ mail: wrap('mail'), audience: wrap('audience'), sockets: wrap('sockets'), webPushes: wrap('webPushes'), now: wrap('now'), log: wrap('log') });
  const store = mailStore({ table: mail });
  let delivered = 0;
  return {
    mail, directory, sockets, webPushes, log, store, parts,
    notify,
    /** What the streams brought since this was last asked. */
    news: (): DynamoDBRecord[] => [...mail.records.splice(0), ...directory.records.splice(0)],
    person: async (userId: string, profile: { is_active?: boolean; is_deleted?: boolean } = {}): Promise<void> => {
      await directory.write([{ put: { pk: 'user', sk: userId, is_active: true, is_deleted: false, ...profile } }]);
    },
    account: async (accountId: string, ...members: string[]): Promise<void> => {
      await store.createAccount(accountId);
      await directory.write(members.map((member) => ({ put: { pk: `account-member#${accountId}`, sk: member, role: 'READ' } })));
    },
    leave: (accountId: string, member: string) => directory.write([{ delete: { pk: `account-member#${accountId}`, sk: member } }]),
    deliver: (accountId: string) => store.deliver(accountId, newEmail(delivered++)),
    sequenceOf: async (accountId: string) => (await mail.get({ pk: `${accountId}#log`, sk: 'HEAD' }))!['sequence'] as number,
    /** A client connects and wants to be told, by default of everything by StateChange. */
    socket: async (principalId: string, connectionId: string, more: Partial<Socket> = {}): Promise<void> => {
      const socket: Socket = { connectionId, principalId, expiresAt: seconds + 3600, dataTypes: null, subscriptions: [], told: new Map(), ...more };
      await connectionsIn(mail).put({ connectionId, principalId, isMachine: false, scopes: [], expiresAt: socket.expiresAt });
      await mail.write([{ put: socketItem(socket) }]);
      sockets.open(connectionId);
    },
    subscription: async (principalId: string, id: string, more: Partial<PushSubscription> = {}): Promise<void> => {
      await mail.write([{ put: subscriptionItem({
        id, principalId, deviceClientId: 'device', url: 'https://push.example.net/1', verificationCode: 'code', isVerified: true, expiresAt: seconds + 3600, types: null, told: new Map(), ...more,
      }) }]);
    },
    listeners: async (principalId: string) => (await mail.query({ pk: `push#${principalId}` })).map(({ sk }) => sk),
    /** Hands over what the streams brought. @returns places in the batch of records that come again, with all after them. */
    run: async (records: readonly DynamoDBRecord[]): Promise<number[]> => {
      const { batchItemFailures } = await notify({ Records: [...records] });
      return batchItemFailures.map(({ itemIdentifier }) => records.findIndex(({ dynamodb }) => dynamodb!.SequenceNumber === itemIdentifier));
    },
    received: (connectionId: string): unknown[] => sockets.received(connectionId).map((text) => JSON.parse(text) as unknown),
  };
};
export type NotifierOverMemory = ReturnType<typeof notifierOverMemory>;
