import { capability } from './core.ts';
import { recordType, verbs } from './record.ts';

/** RFC 8620 §7.2. It belongs to whoever made it and to no account. */
export const pushSubscription = recordType({
  name: 'PushSubscription',
  capability: capability.core,
  methods: ['get', 'set'],
  properties: {
    id: { type: 'Id', immutable: true, serverSet: true },
    deviceClientId: { type: 'String', immutable: true },
    url: { type: 'String', immutable: true },
    keys: { type: { orNull: 'Object' }, immutable: true, default: null },
    verificationCode: { type: { orNull: 'String' }, default: null },
    expires: { type: { orNull: 'UTCDate' }, default: null },
    types: { type: { orNull: { list: 'String' } }, default: null },
  },
});

/** Never told again, to nobody (RFC 8620 §7.2.1). */
export const pushSecrets = ['url', 'keys'] as const satisfies readonly (keyof typeof pushSubscription.properties)[];

const { accountId: _of, ...get } = verbs.get.arguments;
const { accountId: _in, ifInState: _state, ...set } = verbs.set.arguments;

/** As the standard methods, but without account and state (RFC 8620 §7.2.1, §7.2.2). */
export const pushSubscriptionArguments = { get, set } as const;

/** What whoever reads mail may do with it: a subscription changes no mail. */
export const pushSubscriptionPermission = 'MAIL_READ';

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
