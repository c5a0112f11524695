import { capability } from './core.ts';
import { recordType } from './record.ts';

/**
 * RFC 8620 §7.2. It belongs to the principal that created it and to no account. MAIL_READ is enough to create one: a subscription changes no mail.
 * `url` and `keys` are never returned (RFC 8620 §7.2.1).
 */
export const pushSubscription = recordType({
  name: 'PushSubscription',
  capability: capability.core,
  methods: ['get', 'set'],
  owner: 'principal',
  permissions: { set: 'MAIL_READ' },
  properties: {
    id: { type: 'Id', immutable: true, serverSet: true },
    deviceClientId: { type: 'String', immutable: true },
    url: { type: 'String', immutable: true, writeOnly: true },
    keys: { type: { orNull: 'Object' }, immutable: true, writeOnly: true, default: null },
    verificationCode: { type: { orNull: 'String' }, default: null },
    expires: { type: { orNull: 'UTCDate' }, default: null },
    types: { type: { orNull: { list: 'String' } }, default: null },
  },
});

export const pushSubscriptionLimits = {
  /** Seconds until a subscription expires, unless its client asks for less (RFC 8620 §7.2: 48 hours at least, better 7 days). */
  maxLife: 14 * 86_400,
  /** Subscriptions of one principal, those included that are not verified (RFC 8620 §8.6). */
  maxSubscriptions: 32,
  /** Subscriptions that a principal may create in a window, each of which sends a request to an address of its choice (RFC 8620 §8.6). */
  maxCreations: 20,
  /** Seconds. */
  creationWindow: 3600,
  /** Octets. */
  maxSizeUrl: 2048,
  /** Characters of a deviceClientId and of a type's name. */
  maxSizeName: 255,
  /** A port that a push service may have besides 443: below are those of other services, which no push service needs. */
  minPort: 1024,
} as const;
