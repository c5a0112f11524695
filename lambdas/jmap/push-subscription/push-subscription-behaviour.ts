import { pushSubscription, pushSubscriptionArguments, pushSubscriptionPermission } from '../../../contract/jmap/push-subscription.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { Arguments, ArgumentsOf } from '../../../contract/jmap/record.ts';
import { decodeArguments } from '../protocol/decode-arguments.ts';
import type { Method } from '../protocol/method.ts';
import type { RequestContext } from '../request-context.ts';
import { getSubscriptions } from './get.ts';
import { setSubscriptions } from './push-subscription-draft.ts';

const method = <A extends Arguments>(stated: A, answer: (args: ArgumentsOf<A>, context: RequestContext) => Promise<JsonObject>): Method => ({
  capability: pushSubscription.capability,
  run(given, context) {
    context.requires(pushSubscriptionPermission);
    return answer(decodeArguments(stated, given), context);
  },
});

/** PushSubscription/get and /set (RFC 8620 §7.2): of the caller, and so without the account that the verbs of other types begin with. */
export const pushSubscriptionMethods: readonly (readonly [name: string, method: Method])[] = [
  [`${pushSubscription.name}/get`, method(pushSubscriptionArguments.get, getSubscriptions)],
  [`${pushSubscription.name}/set`, method(pushSubscriptionArguments.set, setSubscriptions)],
];
