import type { Clock } from '../../../core/runtime/clock.ts';
import type { AddressRule } from '../../../core/push/public-address.ts';
import type { Queue } from '../../../core/runtime/queue.ts';
import { findAccountStates, currentSequences } from '../../../core/push/account-states.ts';
import { pushSubscriptionsIn, type PushSubscriptions } from '../../../core/push/push-subscriptions.ts';
import type { NotifiedUpTo } from '../../../core/push/listener-record.ts';
import type { Table } from '../../../core/storage/table.ts';

/** What PushSubscriptions are made with. */
export type WebPush = {
  readonly subscriptions: PushSubscriptions;
  /** How far accounts have come. */
  progress(accountIds: readonly string[]): Promise<NotifiedUpTo>;
  /** To the web-push Lambda. */
  readonly queue: Queue;
  readonly isAllowed: AddressRule;
  readonly now: Clock;
};

export const webPushWith = (mailTable: Table, rest: Pick<WebPush, 'queue' | 'isAllowed' | 'now'>): WebPush => ({
  ...rest,
  subscriptions: pushSubscriptionsIn(mailTable),
  progress: async (accountIds) => currentSequences(await findAccountStates(mailTable, accountIds)),
});
