import { capability } from './core.ts';
import { recordType } from './record.ts';

/**
 * Identity (RFC 8621 §6). The server makes an Identity for each address of the account that may send. A client may
 * create further Identities for the same addresses.
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

/** Limits of Identities for which the submission capability has no property. */
export const identityLimits = {
  /** Maximum Identities that clients create in one account, in addition to those that the server makes. */
  maxIdentities: 50,
  /** Maximum octets, in UTF-8, of `name`, and of the name of an address in `replyTo` or `bcc`. */
  maxSizeIdentityName: 500,
  /** Maximum addresses in `replyTo`, and in `bcc`. */
  maxIdentityAddresses: 20,
  /** Maximum octets of a text signature in UTF-8. */
  maxSizeTextSignature: 10_000,
  maxSizeHtmlSignature: 60_000,
  /** Maximum octets of all signatures of an account in UTF-8. */
  maxSizeSignatures: 300_000,
} as const;
