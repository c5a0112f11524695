import { pushSecrets, pushSubscription, type pushSubscriptionArguments } from '../../../contract/jmap/push-subscription.ts';
import { coreLimits } from '../../../contract/jmap/core.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { ArgumentsOf } from '../../../contract/jmap/record.ts';
import { MethodError } from '../protocol/errors.ts';
import type { RequestContext } from '../request-context.ts';
import { shown } from './properties.ts';

const secrets: readonly string[] = pushSecrets;
const open = Object.keys(pushSubscription.properties).filter((name) => !secrets.includes(name));

const wanted = (named: readonly string[] | null): ReadonlySet<string> => {
  const secret = named?.find((name) => secrets.includes(name));
  if (secret !== undefined) throw new MethodError('forbidden', `"${secret}" is never told again.`);
  const unknown = named?.find((name) => !open.includes(name));
  if (unknown !== undefined) throw new MethodError('invalidArguments', `"properties" names ${JSON.stringify(unknown)}, which no PushSubscription has.`);
  return new Set(['id', ...named ?? open]);
};

/** RFC 8620 §7.2.1 */
export const getSubscriptions = async (args: ArgumentsOf<typeof pushSubscriptionArguments.get>, { caller, tools }: RequestContext): Promise<JsonObject> => {
  const properties = wanted(args.properties);
  if ((args.ids?.length ?? 0) > coreLimits.maxObjectsInGet) {
    throw new MethodError('requestTooLarge', `maxObjectsInGet: at most ${coreLimits.maxObjectsInGet} records at a time.`);
  }
  const { subscriptions, now } = tools.webPush;
  const all = new Map((await subscriptions.of(caller.principalId, Math.floor(now().getTime() / 1000))).map((each) => [each.id, each]));
  const ids = [...new Set(args.ids ?? all.keys())];
  return {
    list: ids.flatMap((id) => all.get(id) ?? []).map((each) => Object.fromEntries(Object.entries(shown(each)).filter(([name]) => properties.has(name)))),
    notFound: ids.filter((id) => !all.has(id)),
  };
};
