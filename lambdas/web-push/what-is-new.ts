import type { PushType, StateChange } from '../../contract/jmap/push.ts';
import { maxSizePush } from '../../core/push/push-service.ts';
import { newsSince, standing, type AccountNews, type AccountStates } from '../../core/push/account-states.ts';
import type { PushSubscription } from '../../core/push/push-subscription.ts';
import type { Told } from '../../core/push/push-state.ts';

/** What is to be sent as one message, and what its client was told of with it. */
export type News = { readonly stateChange: StateChange; readonly told: Told };

const stateChange = (changes: readonly AccountNews[]): StateChange =>
  ({ '@type': 'StateChange', changed: Object.fromEntries(changes.map(({ accountId, types }) => [accountId, types])) });

const newsOf = (changes: readonly AccountNews[]): News => ({ stateChange: stateChange(changes), told: standing(changes) });

/** Changes in messages that every push service takes: nearly always it is one. */
const inMessages = (changes: readonly AccountNews[]): News[] => {
  const messages: AccountNews[][] = [];
  for (const change of changes) {
    const last = messages.at(-1);
    if (last && Buffer.byteLength(JSON.stringify(stateChange([...last, change]))) <= maxSizePush) last.push(change);
    else messages.push([change]);
  }
  return messages.map(newsOf);
};

/**
 * What a subscription was not told of yet, by the heads of its principal's accounts. An account that it was never told of, because the principal came to it
 * later, is new as a whole.
 */
export const whatIsNew = ({ told, types }: Pick<PushSubscription, 'told' | 'types'>, heads: readonly AccountStates[]): News[] =>
  inMessages(newsSince(heads, told, types));

/** New mail is what people wait for; the rest may wait for a device that is awake. */
export const isUrgent = ({ changed }: StateChange): boolean => Object.values(changed).some((types) => ('EmailDelivery' satisfies PushType) in types);
