import type { DynamoDBRecord } from 'aws-lambda';
import { memberLookupIn, principalsIn } from '../../core/directory/users/principals.ts';
import { mailStore } from '../../core/mail/mail-store/table-mail-store.ts';
import { subscriptionItem, type PushSubscription } from '../../core/push/listeners/push-subscription.ts';
import { socketListenerItem, type SocketListener } from '../../core/push/listeners/socket-listener.ts';
import type { SocketRetry } from '../../core/push/web-socket/socket-retry.ts';
import { webSocketConnectionsIn } from '../../core/push/web-socket/web-socket-connections.ts';
import { notifyBatch, type NotifierDependencies } from '../../lambdas/notify/notify-batch.ts';
import { retrySocket, type RetrySocketDependencies } from '../../lambdas/push-delivery/retry-socket.ts';
import { memoryLog } from '../fakes/memory-log.ts';
import { memoryQueue } from '../fakes/memory-queue.ts';
import { memoryTable } from '../fakes/memory-table.ts';
import { memoryWebSocketSender } from '../fakes/memory-web-socket-sender.ts';
import { newEmail } from './email-fixtures.ts';
import { streamedTable } from './table-stream.ts';

export const now = new Date('2026-11-21T12:00:00Z');
export const seconds = now.getTime() / 1000;

type Parts = { readonly [P in keyof NotifierDependencies]?: (given: NotifierDependencies[P]) => NotifierDependencies[P] };

/**
 * The notify Lambda over fakes: accounts whose commits are stream records, users, and clients with WebSockets.
 * @param wrapped replaces ports of the notifier.
 */
export const notifierInMemory = (wrapped: Parts = {}) => {
  const [mail, directory] = [streamedTable(memoryTable()), streamedTable(memoryTable())];
  const [webSocketSender, deliveryQueue, log] = [memoryWebSocketSender(), memoryQueue(), memoryLog()];
  const waitQueues = new Map<string, ReturnType<typeof memoryQueue>>();
  const waitQueue = (url: string) => {
    const queue = waitQueues.get(url) ?? memoryQueue();
    waitQueues.set(url, queue);
    return queue;
  };
  const dependencies: NotifierDependencies = {
    mail,
    members: memberLookupIn(directory),
    webSocketSender,
    deliveryQueue,
    waitQueue,
    clock: () => now,
    random: () => 0,
    log,
  };
  const wrap = <P extends keyof NotifierDependencies>(name: P): NotifierDependencies[P] => wrapped[name]?.(dependencies[name]) ?? dependencies[name];
  const notify = notifyBatch({
    mail: wrap('mail'),
    members: wrap('members'),
    webSocketSender: wrap('webSocketSender'),
    deliveryQueue: wrap('deliveryQueue'),
    waitQueue: wrap('waitQueue'),
    clock: wrap('clock'),
    random: wrap('random'),
    log: wrap('log'),
  });
  const store = mailStore({ table: mail });
  let delivered = 0;
  let retries = 0;
  return {
    mail,
    directory,
    webSocketSender,
    deliveryQueue,
    waitQueue,
    log,
    store,
    dependencies,
    notify,
    /** The stream records since the last call. */
    takeStreamRecords: (): DynamoDBRecord[] => [...mail.records.splice(0), ...directory.records.splice(0)],
    person: async (userId: string, profile: { is_active?: boolean; is_deleted?: boolean; tokens_revoked_at?: string } = {}): Promise<void> => {
      const rights = { is_active: true, is_deleted: false, ...profile };
      await directory.write([{ put: { pk: 'user', sk: userId, ...rights } }, { put: { pk: `member#${userId}`, sk: 'profile', ...rights } }]);
    },
    account: async (accountId: string, ...members: string[]): Promise<void> => {
      await store.createAccount(accountId);
      await directory.write(
        members.flatMap((member) => [
          { put: { pk: `account-member#${accountId}`, sk: member, role: 'READ' } },
          { put: { pk: `member#${member}`, sk: accountId, role: 'READ', account_name: '', is_owner: false } },
        ]),
      );
    },
    leave: (accountId: string, member: string) => directory.write([{ delete: { pk: `account-member#${accountId}`, sk: member } }]),
    deliver: (accountId: string) => store.deliver(accountId, newEmail(delivered++)),
    sequenceOf: async (accountId: string) => (await mail.get({ pk: `${accountId}#log`, sk: 'HEAD' }))!['sequence'] as number,
    /** Connects a client that requests notifications. Default: all types by StateChange. */
    socket: async (principalId: string, connectionId: string, more: Partial<SocketListener> = {}): Promise<void> => {
      const socket: SocketListener = {
        connectionId,
        principalId,
        authenticatedAt: 0,
        openedAt: 0,
        expiresAt: seconds + 3600,
        dataTypes: null,
        subscriptions: [],
        notifiedUpTo: new Map(),
        ...more,
      };
      await webSocketConnectionsIn(mail).put({
        connectionId,
        principalId,
        isMachine: false,
        scopes: [],
        authenticatedAt: socket.authenticatedAt,
        openedAt: 0,
        expiresAt: socket.expiresAt,
      });
      await mail.write([{ put: socketListenerItem(socket) }]);
      webSocketSender.open(connectionId);
    },
    subscription: async (principalId: string, id: string, more: Partial<PushSubscription> = {}): Promise<void> => {
      await mail.write([
        {
          put: subscriptionItem({
            id,
            principalId,
            deviceClientId: 'device',
            url: 'https://push.example.net/1',
            verificationCode: 'code',
            isVerified: true,
            createdAt: seconds,
            expiresAt: seconds + 3600,
            types: null,
            notifiedUpTo: new Map(),
            ...more,
          }),
        },
      ]);
    },
    listeners: async (principalId: string) => (await mail.query({ pk: `push#${principalId}` })).map(({ sk }) => sk),
    /** Handles a batch. @returns the index of the record from which the stream repeats the batch; empty without a failure. */
    run: async (records: readonly DynamoDBRecord[]): Promise<number[]> => {
      const { batchItemFailures } = await notify({ Records: [...records] });
      return batchItemFailures.map(({ itemIdentifier }) => records.findIndex(({ dynamodb }) => dynamodb!.SequenceNumber === itemIdentifier));
    },
    /**
     * Handles the queued retries of sockets, including the retries that they enqueue.
     * @param more further ports of the push-delivery Lambda.
     */
    retrySockets: async (more: Partial<RetrySocketDependencies> = {}): Promise<void> => {
      for (let late = 0; retries < deliveryQueue.messages.length && late < 100_000; retries++) {
        const { message, delaySeconds } = deliveryQueue.messages[retries]!;
        if (!('connectionId' in (message as object))) continue;
        late += delaySeconds;
        const time = new Date(now.getTime() + late * 1000);
        await retrySocket(
          { mail, webSocketSender, principals: principalsIn(directory), queue: deliveryQueue, clock: () => time, random: () => 0, log, ...more },
          message as SocketRetry,
        );
      }
    },
    received: (connectionId: string): unknown[] => webSocketSender.received(connectionId).map((text) => JSON.parse(text) as unknown),
  };
};
export type NotifierInMemory = ReturnType<typeof notifierInMemory>;
