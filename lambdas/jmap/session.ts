import { createHash } from 'node:crypto';
import {
  blobLimits, capability, coreLimits, mailLimits, webSocketSubscriptionCapability, webSocketSubscriptionLimits,
} from '../../contract/jmap/core.ts';
import { digestAlgorithms, lookupTypes } from '../../contract/jmap/blob.ts';
import type { JsonObject } from '../../contract/jmap/data-type.ts';
import { email } from '../../contract/jmap/email.ts';
import { eventSourcePath } from '../../contract/jmap/push.ts';
import type { Membership } from '../../core/directory/principals.ts';
import type { Caller } from './caller.ts';
import type { Methods } from './protocol/method.ts';

/** The deployment's settings that the session contains. URLs have no slash at the end. */
export type SessionSettings = {
  readonly jmapUrl: string;
  readonly webSocketUrl: string;
  readonly mailDomain: string;
  /** Reads the VAPID public key (RFC 9749 §3). Undefined when the deployment has no Web Push. */
  readonly applicationServerKey?: () => Promise<string>;
};

/** A capability's value in the session's `capabilities` and in an account's `accountCapabilities` (RFC 8620 §2). */
type CapabilityValue = { readonly session: JsonObject; readonly account: (mayWrite: boolean) => JsonObject };

/** The values of all capabilities that methods can have. */
const methodCapabilities: { readonly [uri: string]: CapabilityValue } = {
  [capability.core]: { session: coreLimits, account: () => ({}) },
  [capability.quota]: { session: {}, account: () => ({}) },
  [capability.mail]: {
    session: { mayCreateTopLevelMailbox: true },
    account: (mayWrite) => ({ ...mailLimits, emailQuerySortOptions: Object.keys(email.sorts), mayCreateTopLevelMailbox: mayWrite }),
  },
  [capability.blob]: {
    session: {},
    account: () => ({
      ...blobLimits, supportedTypeNames: Object.keys(lookupTypes), supportedDigestAlgorithms: Object.keys(digestAlgorithms),
    }),
  },
};

type CapabilityValues = readonly (readonly [uri: string, value: CapabilityValue])[];

/** The capabilities of these methods. @throws Error for a capability without a value. */
const methodCapabilityValues = (methods: Methods): CapabilityValues =>
  [...new Set([...methods.values()].map(({ capability: uri }) => uri))].map((uri) => {
    const value = methodCapabilities[uri];
    if (!value) throw new Error(`the capability ${uri} has methods, but no value in session.ts`);
    return [uri, value];
  });

const sessionCapabilities = (settings: SessionSettings, values: CapabilityValues): { readonly [uri: string]: JsonObject } => ({
  ...Object.fromEntries(values.map(([uri, { session }]) => [uri, session])),
  [capability.webSocket]: { url: settings.webSocketUrl, supportsPush: true },
  [webSocketSubscriptionCapability(settings.mailDomain)]: webSocketSubscriptionLimits,
});

/** The capabilities that `using` may name: those that the session advertises. */
export const usableCapabilities = (settings: SessionSettings, methods: Methods): ReadonlySet<string> =>
  new Set([
    ...Object.keys(sessionCapabilities(settings, methodCapabilityValues(methods))),
    ...(settings.applicationServerKey ? [capability.webPushVapid] : []),
  ]);

/**
 * An account is read-only for a member with the role READ, and for a token without MAIL_WRITE
 * (docs/specification.md#jmap-accounts).
 */
const isReadOnly = (membership: Membership, caller: Caller) => membership.role === 'READ' || !caller.permits('MAIL_WRITE');

const sessionAccount = (membership: Membership, caller: Caller, values: CapabilityValues) => ({
  name: membership.accountName,
  isPersonal: membership.isOwner,
  isReadOnly: isReadOnly(membership, caller),
  accountCapabilities: Object.fromEntries(
    values.map(([uri, { account }]) => [uri, account(!isReadOnly(membership, caller))]),
  ),
});

/** Own accounts first, then by id, so that the same memberships always give the same session. */
const ownedFirst = (memberships: readonly Membership[]) =>
  memberships.toSorted((one, other) => Number(other.isOwner) - Number(one.isOwner) || (one.accountId < other.accountId ? -1 : 1));

/** The session resource (RFC 8620 §2) without Web Push. `state` is a digest of all other fields. */
export const sessionResource = (caller: Caller, settings: SessionSettings, methods: Methods) => {
  const memberships = ownedFirst(caller.memberships);
  const primary = caller.primaryAccountId;
  const values = methodCapabilityValues(methods);
  const session = {
    capabilities: sessionCapabilities(settings, values),
    accounts: Object.fromEntries(memberships.map((membership) => [membership.accountId, sessionAccount(membership, caller, values)])),
    primaryAccounts: primary === undefined ? {} : Object.fromEntries(values.map(([uri]) => [uri, primary])),
    username: caller.username,
    apiUrl: `${settings.jmapUrl}/jmap`,
    downloadUrl: `${settings.jmapUrl}/download?accountId={accountId}&blobId={blobId}&type={type}&name={name}`,
    uploadUrl: `${settings.jmapUrl}/upload/{accountId}`,
    eventSourceUrl: `${settings.jmapUrl}${eventSourcePath}?types={types}&closeafter={closeafter}&ping={ping}`,
    webSocketUrl: settings.webSocketUrl,
  };
  return { ...session, state: createHash('sha256').update(JSON.stringify(session)).digest('base64url').slice(0, 22) };
};

/**
 * The session resource with the VAPID public key (RFC 9749 §3). The key never changes, so it is not part of `state`.
 */
export const sessionWithWebPush = (session: ReturnType<typeof sessionResource>, applicationServerKey: string | undefined) => {
  if (applicationServerKey === undefined) return session;
  return { ...session, capabilities: { ...session.capabilities, [capability.webPushVapid]: { applicationServerKey } } };
};
