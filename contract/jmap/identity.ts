import { capability } from './core.ts';
import { recordType } from './record.ts';

/**
 * Identity (RFC 8621 §6). The server makes one for each address of the account that may send; a client may make
 * additional ones of the same addresses.
 */
export const identity = recordType({
  name: 'Identity',
  capability: capability.submission,
  methods: ['get', 'changes', 'set'],
  properties: {
    id: { type: 'Id', immutable: true, serverSet: true },
    name: { type: 'String', default: '' },
    email: { type: 'String', immutable: true },
    replyTo: { type: { orNull: { list: 'Object' } }, default: null },
    bcc: { type: { orNull: { list: 'Object' } }, default: null },
    textSignature: { type: 'String', default: '' },
    htmlSignature: { type: 'String', default: '' },
    mayDelete: { type: 'Boolean', serverSet: true, computed: true },
  },
});

/** Limits of Identities that the submission capability has no property for. */
export const identityLimits = {
  /** Maximum Identities that clients make in one account, besides those that the server makes. */
  maxIdentities: 50,
  /** Octets of UTF-8 of `name`, and of the name of an address in `replyTo` or `bcc`. */
  maxSizeIdentityName: 500,
  /** Addresses in `replyTo`, and in `bcc`. */
  maxIdentityAddresses: 20,
  /** Octets of UTF-8. */
  maxSizeTextSignature: 10_000,
  maxSizeHtmlSignature: 60_000,
  /** Octets of UTF-8 of all signatures of an account. */
  maxSizeSignatures: 300_000,
} as const;
