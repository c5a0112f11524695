/**
 * A message in the queue of the push-delivery Lambda about a PushSubscription. It only refers to a subscription: the
 * Lambda sends the states that are new when it handles the message, or nothing. The queue also has messages about
 * sockets (`socket-retry.ts`).
 */
export type WebPushMessage = StateChangePush | VerificationPush;

/** A change that a PushSubscription wants to be notified of. */
export type StateChangePush = {
  readonly principalId: string;
  readonly subscriptionId: string;
  /** By account id, the sequence number of the commit after which everything is new. */
  readonly changed: { readonly [accountId: string]: number };
};

/** The PushVerification of a new subscription (RFC 8620 §7.2.2). */
type VerificationPush = { readonly principalId: string; readonly subscriptionId: string; readonly verify: true };

/**
 * A message as the push-delivery Lambda receives it. `retryAt` (seconds since 1970) is set on a message that the Lambda
 * requeued after a failed push. While pushes of a subscription fail, only that message is requeued; others are dropped,
 * since it sends everything that is new.
 */
export type QueuedWebPush = WebPushMessage & { readonly retryAt?: number };
