/** The destination of a push (RFC 8620 §7.2). */
export type PushTarget = {
  readonly url: string;
  /** The client's keys (RFC 8291), both base64url. Without them the push is not encrypted. */
  readonly keys?: { readonly p256dh: string; readonly auth: string };
};

export type PushOptions = {
  /** Seconds for which the push service keeps the push while the client is unreachable (RFC 8030 §5.2). */
  readonly timeToLive: number;
  /** RFC 8030 §5.3: a push service may delay pushes of low urgency while the client saves battery. */
  readonly urgency: 'low' | 'normal';
};

export type PushOutcome =
  | { readonly kind: 'accepted' }
  /** The subscription has ended: 404 or 410 (RFC 8030 §7.3). */
  | { readonly kind: 'gone' }
  /**
   * The push service rejected the push, or its address is forbidden. `reason`: the status, or words without the
   * address.
   */
  | { readonly kind: 'rejected'; readonly reason: number | string }
  /**
   * The push service is unreachable or busy. `reason`: the status or an error code. `retryAfter`: seconds, if it named
   * a time.
   */
  | { readonly kind: 'unavailable'; readonly reason: number | string; readonly retryAfter?: number };

/** Sends pushes to push services. Adapter: `web-push-service.ts`; a fake is in `test/fakes/`. */
export type PushService = {
  /**
   * Returns within seconds and does not throw for anything that the push service does.
   * @param message a JSON value.
   */
  push(target: PushTarget, message: unknown, options: PushOptions): Promise<PushOutcome>;
};

/**
 * Maximum octets of JSON that every push service accepts after encryption: 4096 (RFC 8030 §7.2) less header, padding
 * and tag (RFC 8291 §4).
 */
export const maxSizePush = 3993;
