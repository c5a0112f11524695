import { pushSubscription } from '../../../contract/jmap/push-subscription.ts';
import { secondsNow } from '../../../core/runtime/clock.ts';
import type { BehaviourOf } from '../request/behaviour.ts';
import { readableRecords } from '../request/plain-records.ts';
import { subscriptionProperties } from './subscription-properties.ts';

/** PushSubscription/get (RFC 8620 §7.2.1), which returns only subscriptions of the caller. */
export const pushSubscriptionGet: BehaviourOf<typeof pushSubscription>['get'] = {
  async records({ caller, dependencies: { webPush } }) {
    const subscriptions = await webPush.subscriptions.list(caller.principalId, secondsNow(webPush.clock));
    return readableRecords(pushSubscription, new Map(subscriptions.map((subscription) => [subscription.id, subscriptionProperties(subscription)])));
  },
};
