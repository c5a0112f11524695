import { capability } from './core.ts';
import { recordType } from './record.ts';

/**
 * PushSubscription (RFC 8620 §7.2). It belongs to the principal that created it, not to an account. MAIL_READ permits
 * PushSubscription/set, because it changes no mail. No method returns `url` and `keys` (RFC 8620 §7.2.1).
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
  /** Maximum and default lifetime in seconds (RFC 8620 §7.2: at least 48 hours, recommended 7 days). */
  maxLife: 14 * 86_400,
  /** Maximum subscriptions of one principal, verified or not (RFC 8620 §8.6). */
  maxSubscriptions: 32,
  /**
   * Maximum subscriptions that a principal may create in a window. Each creation sends a request to a URL that the
   * client chose (RFC 8620 §8.6).
   */
  maxCreations: 20,
  /** Length of the window in seconds. */
  creationWindow: 3600,
  /** Maximum octets of `url`. */
  maxSizeUrl: 2048,
  /** Maximum characters of `deviceClientId`, and of a name in `types`. */
  maxSizeName: 255,
  /** Minimum port of a push service other than 443. Lower ports belong to other services. */
  minPort: 1024,
} as const;
