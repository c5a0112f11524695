import { createHash } from 'node:crypto';
import { maxForwardAddresses } from '../../../contract/deployment/sending.ts';
import { digestAlgorithms, downloadQuery, lookupTypes } from '../../../contract/jmap/blob.ts';
import { contactsCapabilityLimits } from '../../../contract/jmap/contact-card.ts';
import {
  blobLimits,
  capability,
  coreLimits,
  mailLimits,
  webSocketSubscriptionCapability,
  webSocketSubscriptionLimits,
  type Capability,
} from '../../../contract/jmap/core.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { submissionExtensions, submissionLimits } from '../../../contract/jmap/email-submission.ts';
import { email } from '../../../contract/jmap/email.ts';
import { eventSourcePath } from '../../../contract/jmap/push.ts';
import { isComplete } from '../../../contract/jmap/record-types.ts';
import { scopes } from '../../../contract/oauth/oauth.ts';
import { keysOf } from '../../../contract/values/typed-entries.ts';
import { mayWrite, type Membership } from '../../../core/directory/users/principals.ts';
import type { Caller } from './caller.ts';
import type { Methods } from './method.ts';

const allPermissions = keysOf(scopes);

/** The deployment's settings that are part of the session. URLs have no slash at the end. */
export type SessionSettings = {
  readonly jmapUrl: string;
  /** The URL of uploads without the account's id. */
  readonly uploadUrl: string;
  readonly downloadUrl: string;
  readonly webSocketUrl: string;
  readonly mailDomain: string;
  /** Whether accounts may forward mail to addresses outside. */
  readonly mayForwardOutside: boolean;
  /** Reads the VAPID public key (RFC 9749 §3). Undefined when the deployment has no Web Push. */
  readonly applicationServerKey?: () => Promise<string>;
};

/**
 * The values of a capability in the session's `capabilities` and in an account's `accountCapabilities` (RFC 8620 §2).
 */
type CapabilityValue = { readonly session: JsonObject; readonly account: (rights: AccountRights, settings: SessionSettings) => JsonObject };

/** The rights of a caller in an account. `mayAdminister`: those of the role ADMIN. */
type AccountRights = { readonly mayWrite: boolean; readonly mayAdminister: boolean };

/** The value of each capability that has methods, by URI. */
const methodCapabilities: { readonly [uri: string]: CapabilityValue } = {
  [capability.core]: { session: coreLimits, account: () => ({}) },
  [capability.quota]: { session: {}, account: () => ({}) },
  [capability.vacationResponse]: { session: {}, account: () => ({}) },
  [capability.forwarding]: {
    session: {},
    account: ({ mayAdminister }, { mayForwardOutside }) => ({ maxAddresses: maxForwardAddresses, mayForwardOutside, mayChange: mayAdminister }),
  },
  [capability.mail]: {
    session: { mayCreateTopLevelMailbox: true },
    account: ({ mayWrite }) => ({ ...mailLimits, emailQuerySortOptions: Object.keys(email.sorts), mayCreateTopLevelMailbox: mayWrite }),
  },
  [capability.submission]: { session: {}, account: () => ({ maxDelayedSend: submissionLimits.maxDelayedSend, submissionExtensions }) },
  [capability.contacts]: { session: {}, account: ({ mayWrite }) => ({ ...contactsCapabilityLimits, mayCreateAddressBook: mayWrite }) },
  [capability.blob]: {
    session: {},
    account: () => ({ ...blobLimits, supportedTypeNames: Object.keys(lookupTypes), supportedDigestAlgorithms: Object.keys(digestAlgorithms) }),
  },
};

type CapabilityValues = readonly (readonly [uri: string, value: CapabilityValue])[];

/**
 * The capabilities of the methods. `all`: of any method; the others are advertised, because every method of theirs
 * exists.
 */
type MethodCapabilities = { readonly all: ReadonlySet<Capability>; readonly advertised: CapabilityValues };

/** The capabilities of each set of methods, computed once for each instance. */
const knownCapabilities = new WeakMap<Methods, MethodCapabilities>();

/** @throws Error for a capability without a value. */
const capabilitiesOf = (methods: Methods): MethodCapabilities => {
  const known = knownCapabilities.get(methods);
  if (known) return known;
  const all = new Set([...methods.values()].map(({ capability: uri }) => uri));
  const advertised = [...all]
    .filter((uri) => isComplete(uri, (name) => methods.has(name)))
    .map((uri) => {
      const value = methodCapabilities[uri];
      if (!value) throw new Error(`the capability ${uri} has methods, but no value in session.ts`);
      return [uri, value] as const;
    });
  knownCapabilities.set(methods, { all, advertised });
  return { all, advertised };
};

const sessionCapabilities = (settings: SessionSettings, values: CapabilityValues): { readonly [uri: string]: JsonObject } => ({
  ...Object.fromEntries(values.map(([uri, { session }]) => [uri, session])),
  [capability.webSocket]: { url: settings.webSocketUrl, supportsPush: true },
  [webSocketSubscriptionCapability(settings.mailDomain)]: webSocketSubscriptionLimits,
});

/** The capabilities that `using` may name: the advertised ones, and those of all methods. */
export const usableCapabilities = (settings: SessionSettings, methods: Methods): ReadonlySet<string> =>
  new Set([
    ...capabilitiesOf(methods).all,
    ...Object.keys(sessionCapabilities(settings, capabilitiesOf(methods).advertised)),
    ...(settings.applicationServerKey ? [capability.webPushVapid] : []),
  ]);

/**
 * An account is read-only for a member with the role READ, and for a token without MAIL_WRITE
 * (docs/specification.md#jmap-accounts).
 */
const isReadOnly = (membership: Membership, caller: Caller) => !mayWrite(membership.role) || !caller.permits('MAIL_WRITE');

const sessionAccount = (membership: Membership, caller: Caller, settings: SessionSettings, values: CapabilityValues) => {
  const mayWriteHere = !isReadOnly(membership, caller);
  const rights = { mayWrite: mayWriteHere, mayAdminister: mayWriteHere && membership.role === 'ADMIN' };
  return {
    name: membership.accountName,
    // A shared mailbox is nobody's own, also not its owner's (RFC 8620 §2).
    isPersonal: membership.isOwner && membership.accountId === caller.primaryAccountId,
    isReadOnly: !mayWriteHere,
    accountCapabilities: Object.fromEntries(values.map(([uri, { account }]) => [uri, account(rights, settings)])),
  };
};

/** Sorts own accounts before others, then by id, so that the same memberships always give the same session. */
const ownedFirst = (memberships: readonly Membership[]) =>
  memberships.toSorted((one, other) => Number(other.isOwner) - Number(one.isOwner) || (one.accountId < other.accountId ? -1 : 1));

/** The session resource (RFC 8620 §2) without Web Push. `state` is a digest of all other fields. */
export const sessionResource = (caller: Caller, settings: SessionSettings, methods: Methods) => {
  const memberships = ownedFirst(caller.memberships);
  const primary = caller.primaryAccountId;
  const values = capabilitiesOf(methods).advertised;
  const session = {
    capabilities: sessionCapabilities(settings, values),
    accounts: Object.fromEntries(memberships.map((membership) => [membership.accountId, sessionAccount(membership, caller, settings, values)])),
    primaryAccounts: primary === undefined ? {} : Object.fromEntries(values.map(([uri]) => [uri, primary])),
    username: caller.username,
    apiUrl: `${settings.jmapUrl}/jmap`,
    downloadUrl: `${settings.downloadUrl}?${downloadQuery}`,
    uploadUrl: `${settings.uploadUrl}/{accountId}`,
    eventSourceUrl: `${settings.jmapUrl}${eventSourcePath}?types={types}&closeafter={closeafter}&ping={ping}`,
    webSocketUrl: settings.webSocketUrl,
  };
  return { ...session, state: createHash('sha256').update(JSON.stringify(session)).digest('base64url').slice(0, 22) };
};

/** Maximum callers whose session state one Lambda remembers. */
const maxStates = 1000;

/**
 * Remembers the session states of callers, because each response contains one (RFC 8620 §3.4). The state is a digest of
 * the whole session. The least recently used state is dropped first.
 */
export class SessionStates {
  /** Session states by all data that a session depends on: the caller, with all memberships and permissions. */
  readonly #states = new Map<string, string>();

  /** The state of the caller's session. @param compute called when the state is not remembered. */
  of(caller: Caller, compute: () => string): string {
    const { principalId, username, memberships, primaryAccountId } = caller;
    const permissions = allPermissions.filter((permission) => caller.permits(permission));
    const key = JSON.stringify([principalId, username, memberships, primaryAccountId, permissions]);
    const state = this.#states.get(key) ?? compute();
    this.#states.delete(key);
    this.#states.set(key, state);
    const [leastRecentlyUsed] = this.#states.keys();
    if (this.#states.size > maxStates) this.#states.delete(leastRecentlyUsed!);
    return state;
  }
}

/**
 * The session resource with the VAPID public key (RFC 9749 §3). The key never changes, so it is not part of `state`.
 */
export const sessionWithWebPush = (session: ReturnType<typeof sessionResource>, applicationServerKey: string | undefined) => {
  if (applicationServerKey === undefined) return session;
  return { ...session, capabilities: { ...session.capabilities, [capability.webPushVapid]: { applicationServerKey } } };
};
