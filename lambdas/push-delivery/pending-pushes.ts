import type { PushVerification, StateChange } from '../../contract/jmap/push.ts';
import { emailDeliveryType } from '../../core/mail/email/email-type.ts';
import { currentSequences, stateChangesSince, toStateChange, type AccountStateChange, type AccountStates } from '../../core/push/listeners/account-states.ts';
import type { NotifiedUpTo } from '../../core/push/listeners/listener-record.ts';
import type { PushSubscription } from '../../core/push/listeners/push-subscription.ts';
import { maxSizePush, type PushOptions } from '../../core/push/web-push/web-push-service.ts';

/** A push to send, and the commits up to which the client is notified once the push service has accepted it. */
export type PendingPush = { readonly content: PushVerification | StateChange; readonly urgency: PushOptions['urgency']; readonly notifiedUpTo: NotifiedUpTo };

export const verificationPush = ({ id, verificationCode }: PushSubscription): PendingPush => ({
  content: { '@type': 'PushVerification', pushSubscriptionId: id, verificationCode },
  urgency: 'normal',
  notifiedUpTo: new Map(),
});

/** Groups changes so that each message fits the limit of every push service. Usually there is one group. */
const groupBySize = (changes: readonly AccountStateChange[]): AccountStateChange[][] => {
  const groups: AccountStateChange[][] = [];
  for (const change of changes) {
    const last = groups.at(-1);
    if (last && Buffer.byteLength(JSON.stringify(toStateChange([...last, change]))) <= maxSizePush) last.push(change);
    else groups.push([change]);
  }
  return groups;
};

const hasNewMail = ({ changed }: StateChange): boolean => Object.values(changed).some((typeState) => emailDeliveryType.name in typeState);

/**
 * The pushes that notify a subscription of all new states in its principal's accounts. If the principal has joined an
 * account since, all of its states are new. New mail has normal urgency; other changes may wait until the device is
 * awake.
 */
export const stateChangePushes = (
  { notifiedUpTo, types }: Pick<PushSubscription, 'notifiedUpTo' | 'types'>,
  accounts: readonly AccountStates[],
): PendingPush[] =>
  groupBySize(stateChangesSince(accounts, notifiedUpTo, types)).map((changes) => {
    const content = toStateChange(changes);
    return { content, urgency: hasNewMail(content) ? 'normal' : 'low', notifiedUpTo: currentSequences(changes) };
  });
