/**
 * A message in the queue of the push-delivery Lambda about a PushSubscription. It contains only the subscription's key.
 * The Lambda sends the states that are new when it handles the message, if there are any. The queue also has messages
 * about sockets (`socket-retry.ts`).
 */
export type WebPushMessage = StateChangePush | VerificationPush;

/** A change of which the owner of a PushSubscription is to be notified. */
export type StateChangePush = {
  readonly principalId: string;
  readonly subscriptionId: string;
  /** By account id, the sequence number of the commit after which all states are new. */
  readonly changed: { readonly [accountId: string]: number };
};

/** The PushVerification of a new subscription (RFC 8620 §7.2.2). */
type VerificationPush = { readonly principalId: string; readonly subscriptionId: string; readonly verify: true };

/**
 * A message as the push-delivery Lambda receives it. `retryAt` (seconds since 1970) is set on a message that the Lambda
 * requeued after a failed push. While pushes of a subscription fail, only that message is requeued. Other messages are
 * dropped, because the requeued one sends all new states.
 */
export type QueuedWebPush = WebPushMessage & { readonly retryAt?: number };
