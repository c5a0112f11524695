/** Where a push goes (RFC 8620 §7.2). */
export type PushTarget = {
  readonly url: string;
  /** The client's keys (RFC 8291), both base64url; without them the push is plain JSON. */
  readonly keys?: { readonly p256dh: string; readonly auth: string };
};

export type PushOptions = {
  /** Seconds that the push service keeps it for a client that is away (RFC 8030 §5.2). */
  readonly timeToLive: number;
  /** RFC 8030 §5.3: a client that saves its battery is told of new mail, and of the rest later. */
  readonly urgency: 'low' | 'normal';
};

/** What became of a push. */
export type PushOutcome =
  | { readonly kind: 'accepted' }
  /** The subscription is no more: 404 or 410 (RFC 8030 §7.3). */
  | { readonly kind: 'gone' }
  /** The push service said no, or is where we do not go. `why` is a status, or words without the address. */
  | { readonly kind: 'rejected'; readonly reason: number | string }
  /** It can't be reached or is busy. `retryAfter` in seconds, when it named a time. */
  | { readonly kind: 'unavailable'; readonly reason: number | string; readonly retryAfter?: number };

/** Push services of the world. Adapter: `web-push-service.ts`; a fake is in `test/fakes/`. */
export type PushService = {
  /** @param message a JSON value. Never throws for what the other side does, and comes to an end within seconds. */
  push(target: PushTarget, message: unknown, options: PushOptions): Promise<PushOutcome>;
};

/** Octets of JSON that every push service takes once it is encrypted: 4096 (RFC 8030 §7.2) less header, padding and tag (RFC 8291 §4). */
export const maxSizePush = 3993;
