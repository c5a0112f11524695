import type { Clock } from '../../../core/runtime/clock.ts';
import type { AddressRule } from '../../../core/push/web-push/public-address.ts';
import type { Queue } from '../../../core/runtime/lambda/queue.ts';
import { findAccountStates, currentSequences } from '../../../core/push/listeners/account-states.ts';
import { pushSubscriptionsIn, type PushSubscriptions } from '../../../core/push/web-push/push-subscriptions.ts';
import type { NotifiedUpTo } from '../../../core/push/listeners/listener-record.ts';
import type { Table } from '../../../core/storage/table.ts';

/** The dependencies of PushSubscription methods. */
export type WebPushDependencies = {
  readonly subscriptions: PushSubscriptions;
  /** Reads the sequence number of the newest commit of each account. */
  currentSequences(accountIds: readonly string[]): Promise<NotifiedUpTo>;
  /** The queue of the push-delivery Lambda. */
  readonly queue: Queue;
  readonly isAllowedAddress: AddressRule;
  readonly clock: Clock;
};

export const webPushDependencies = (mailTable: Table, rest: Pick<WebPushDependencies, 'queue' | 'isAllowedAddress' | 'clock'>): WebPushDependencies => ({
  ...rest,
  subscriptions: pushSubscriptionsIn(mailTable),
  currentSequences: async (accountIds) => currentSequences(await findAccountStates(mailTable, accountIds)),
});
