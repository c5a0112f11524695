/** The destination of a push (RFC 8620 §7.2). */
export type PushTarget = {
  readonly url: string;
  /** The client's keys (RFC 8291), both base64url. Without them the push is not encrypted. */
  readonly keys?: { readonly p256dh: string; readonly auth: string };
};

export type PushOptions = {
  /** Seconds for which the push service keeps the push while the client is unreachable (RFC 8030 §5.2). */
  readonly timeToLive: number;
  /** The urgency (RFC 8030 §5.3). A push service may delay pushes of low urgency while the client saves battery. */
  readonly urgency: 'low' | 'normal';
};

export type PushOutcome =
  | { readonly kind: 'accepted' }
  /** The subscription has ended: 404 or 410 (RFC 8030 §7.3). */
  | { readonly kind: 'gone' }
  /** `reason`: the status of the push service, or a text that does not contain the forbidden address. */
  | { readonly kind: 'rejected'; readonly reason: number | string }
  /** `reason`: the status or an error code. `retryAfter`: seconds, if the service sent a time. */
  | { readonly kind: 'unavailable'; readonly reason: number | string; readonly retryAfter?: number };

/** Sends pushes to push services. Adapter: `web-push-service.ts`; a fake is in `test/fakes/`. */
export type PushService = {
  /** Sends a push. It never throws because of the push service. @param message a JSON value. */
  push(target: PushTarget, message: unknown, options: PushOptions): Promise<PushOutcome>;
};

/** Maximum octets of JSON: 4096 (RFC 8030 §7.2) without header, padding and tag (RFC 8291 §4). */
export const maxSizePush = 3993;
