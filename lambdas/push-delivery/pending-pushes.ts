import type { PushVerification, StateChange } from '../../contract/jmap/push.ts';
import { emailDeliveryType } from '../../core/mail-types/email/email-type.ts';
import {
  currentSequences, stateChangesSince, toStateChange, type AccountStateChange, type AccountStates,
} from '../../core/push/listeners/account-states.ts';
import type { NotifiedUpTo } from '../../core/push/listeners/listener-record.ts';
import { maxSizePush, type PushOptions } from '../../core/push/web-push/push-service.ts';
import type { PushSubscription } from '../../core/push/listeners/push-subscription.ts';

/** One push to send, and how far its client is notified once the push service has accepted it. */
export type PendingPush = {
  readonly content: PushVerification | StateChange;
  readonly urgency: PushOptions['urgency'];
  readonly notifiedUpTo: NotifiedUpTo;
};

export const verificationPush = ({ id, verificationCode }: PushSubscription): PendingPush => ({
  content: { '@type': 'PushVerification', pushSubscriptionId: id, verificationCode }, urgency: 'normal', notifiedUpTo: new Map(),
});

/** Groups changes so that every push service takes each message. Nearly always there is one group. */
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
 * The pushes that notify a subscription of everything that is new in its principal's accounts. Every state of an
 * account that the principal joined later is new. New mail has normal urgency; all else may wait until the device is
 * awake.
 */
export const stateChangePushes = (
  { notifiedUpTo, types }: Pick<PushSubscription, 'notifiedUpTo' | 'types'>, accounts: readonly AccountStates[],
): PendingPush[] =>
  groupBySize(stateChangesSince(accounts, notifiedUpTo, types)).map((changes) => {
    const content = toStateChange(changes);
    return { content, urgency: hasNewMail(content) ? 'normal' : 'low', notifiedUpTo: currentSequences(changes) };
  });
