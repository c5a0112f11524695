import { pushSecrets, pushSubscription, type pushSubscriptionArguments } from '../../../contract/jmap/push-subscription.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { ArgumentsOf } from '../../../contract/jmap/record.ts';
import { secondsNow } from '../../../core/runtime/clock.ts';
import { MethodError } from '../protocol/errors.ts';
import type { RequestContext } from '../request-context.ts';
import { refuseTooManyToGet, wanted } from '../verbs/get.ts';
import { shown } from './subscription-properties.ts';

const secrets: readonly string[] = pushSecrets;

const refuseSecrets = (named: readonly string[] | null): void => {
  const secret = named?.find((name) => secrets.includes(name));
  if (secret !== undefined) throw new MethodError('forbidden', `"${secret}" is never told again.`);
};

/** RFC 8620 §7.2.1 */
export const getSubscriptions = async (args: ArgumentsOf<typeof pushSubscriptionArguments.get>, { caller, tools }: RequestContext): Promise<JsonObject> => {
  refuseSecrets(args.properties);
  const properties = wanted(pushSubscription, args.properties);
  refuseTooManyToGet(args.ids?.length ?? 0);
  const { subscriptions, now } = tools.webPush;
  const all = new Map((await subscriptions.of(caller.principalId, secondsNow(now))).map((each) => [each.id, each]));
  const ids = [...new Set(args.ids ?? all.keys())];
  return {
    list: ids.flatMap((id) => all.get(id) ?? []).map((each) => Object.fromEntries(Object.entries(shown(each)).filter(([name]) => properties.has(name)))),
    notFound: ids.filter((id) => !all.has(id)),
  };
};
