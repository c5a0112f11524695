import { pushSubscription } from '../../../contract/jmap/push-subscription.ts';
import { secondsNow } from '../../../core/runtime/clock.ts';
import type { BehaviourOf } from '../request/behaviour.ts';
import { pushSubscriptionChangeSet } from './set.ts';
import { readableRecords } from '../request/plain-records.ts';
import { subscriptionProperties } from './subscription-properties.ts';

/** PushSubscription (RFC 8620 §7.2). Callers have access only to their own subscriptions. */
export const pushSubscriptionBehaviour: BehaviourOf<typeof pushSubscription> = {
  get: {
    async records(_args, _account, { caller, dependencies: { webPush } }) {
      const subscriptions = await webPush.subscriptions.list(caller.principalId, secondsNow(webPush.clock));
      return readableRecords(
        pushSubscription, new Map(subscriptions.map((subscription) => [subscription.id, subscriptionProperties(subscription)])),
      );
    },
  },
  set: { beginChangeSet: pushSubscriptionChangeSet },
};
