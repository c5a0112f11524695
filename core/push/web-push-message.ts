/** What waits in the queue for the web-push Lambda: references, so that what comes late or twice sends what is new then, or nothing. */
export type WebPushMessage = WebPushOfChanges | WebPushOfVerification;

/** Something changed that a PushSubscription wants to be told of. */
export type WebPushOfChanges = {
  readonly principalId: string;
  readonly subscriptionId: string;
  /** By account: the sequence number of the commit after which everything is new, unless the subscription was told of more. */
  readonly changed: { readonly [accountId: string]: number };
};

/** The PushVerification of a new subscription (RFC 8620 §7.2.2). */
export type WebPushOfVerification = { readonly principalId: string; readonly subscriptionId: string; readonly verify: true };
