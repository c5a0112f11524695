import { capability } from './core.ts';
import { recordType, verbs } from './record.ts';

/** The path of the page at which the owner of an address outside confirms it, and the parameter with the token of the link. */
export const confirmationPage = { path: '/forwarding', token: 'token' } as const;

/** The id of the only Forwarding of an account. */
export const forwardingId = 'singleton';

/**
 * Forwarding (docs/specification.md#forwarding), an extension of ours: where an account forwards the mail that it receives.
 * Every account has one, with these defaults until an admin of the account, or of the deployment, changes them.
 */
export const forwarding = recordType({
  name: 'Forwarding',
  capability: capability.forwarding,
  // The records are in the directory, so the verbs of the account's log do not apply.
  methods: [
    { name: 'Forwarding/get', capability: capability.forwarding, ...verbs.get },
    { name: 'Forwarding/set', capability: capability.forwarding, ...verbs.set },
  ],
  isSingleton: true,
  properties: {
    id: { type: 'Id', immutable: true, serverSet: true },
    /** The addresses, at most {@link maxForwardAddresses} of contract/deployment/sending.ts. Empty: nothing is forwarded. */
    addresses: { type: { list: 'String' }, default: [] },
    /** Whether forwarded mail is in the account too. */
    keepsCopy: { type: 'Boolean', default: true },
    /** Those of the addresses whose owner has not opened the link that was mailed to it. Nothing is forwarded to them yet. */
    unconfirmed: { type: { list: 'String' }, serverSet: true, default: [] },
  },
});
