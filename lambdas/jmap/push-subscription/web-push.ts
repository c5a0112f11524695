import type { Clock } from '../../platform/clock.ts';
import type { AddressRule } from '../../providers/public-address.ts';
import type { Queue } from '../../providers/queue.ts';
import { accountStates, standing } from '../../store/push/account-states.ts';
import { pushSubscriptionsIn, type PushSubscriptions } from '../../store/push/push-subscriptions.ts';
import type { Told } from '../../store/push/push-state.ts';
import type { Table } from '../../store/table.ts';

/** What PushSubscriptions are made with. */
export type WebPush = {
  readonly subscriptions: PushSubscriptions;
  /** How far accounts have come. */
  progress(accountIds: readonly string[]): Promise<Told>;
  /** To the web-push Lambda. */
  readonly queue: Queue;
  readonly isAllowed: AddressRule;
  readonly now: Clock;
};

export const webPushWith = (mailTable: Table, rest: Pick<WebPush, 'queue' | 'isAllowed' | 'now'>): WebPush => ({
  ...rest,
  subscriptions: pushSubscriptionsIn(mailTable),
  progress: async (accountIds) => standing(await accountStates(mailTable, accountIds)),
});
