import { createHash } from 'node:crypto';
import {
  accountCapabilities, blobLimits, capability, coreLimits, mailLimits, webSocketSubscriptionCapability, webSocketSubscriptionLimits, submissionLimits,
} from '../../contract/jmap/core.ts';
import type { JsonObject } from '../../contract/jmap/data-type.ts';
import { email } from '../../contract/jmap/email.ts';
import { eventSourcePath } from '../../contract/jmap/push.ts';
import type { Membership } from '../../core/directory/principals.ts';
import type { Caller } from './caller.ts';

/** Where the deployment is reached; URLs without a slash at the end. */
export type Places = {
  readonly jmapUrl: string;
  readonly webSocketUrl: string;
  readonly mailDomain: string;
  /** Reads the public key that push services know us by (RFC 9749 §3); without one Web Push is not offered. */
  readonly applicationServerKey?: () => Promise<string>;
};

/** What the session advertises whatever else is there. */
const capabilitiesOf = (places: Places): { readonly [uri: string]: JsonObject } => ({
  [capability.core]: coreLimits,
  [capability.mail]: { mayCreateTopLevelMailbox: true },
  [capability.submission]: {},
  [capability.vacationResponse]: {},
  [capability.webSocket]: { url: places.webSocketUrl, supportsPush: true },
  [webSocketSubscriptionCapability(places.mailDomain)]: webSocketSubscriptionLimits,
  [capability.quota]: {},
  [capability.blob]: {},
});

/** Everything `using` may name, which is everything the session advertises. */
export const usableCapabilities = (places: Places): ReadonlySet<string> =>
  new Set([...Object.keys(capabilitiesOf(places)), ...(places.applicationServerKey ? [capability.webPushVapid] : [])]);

/** A member who may only read, or whose token permits no more, sees the account as read-only (docs/specification.md#jmap-accounts). */
const isReadOnly = (membership: Membership, caller: Caller) => membership.role === 'READ' || !caller.permits('MAIL_WRITE');

const accountOf = (membership: Membership, caller: Caller) => ({
  name: membership.accountName,
  isPersonal: membership.isOwner,
  isReadOnly: isReadOnly(membership, caller),
  accountCapabilities: {
    [capability.core]: {},
    [capability.mail]: { ...mailLimits, emailQuerySortOptions: email.sorts, mayCreateTopLevelMailbox: !isReadOnly(membership, caller) },
    [capability.submission]: submissionLimits,
    [capability.vacationResponse]: {},
    [capability.quota]: {},
    [capability.blob]: blobLimits,
  } satisfies { readonly [C in (typeof accountCapabilities)[number]]: object },
});

/** The caller's own account comes first, then by id, so that the same memberships always give the same session. */
const inOrder = (memberships: readonly Membership[]) =>
  memberships.toSorted((one, other) => Number(other.isOwner) - Number(one.isOwner) || (one.accountId < other.accountId ? -1 : 1));

/** The session resource (RFC 8620 §2) but for Web Push. `state` is a digest of all the rest: it moves when anything a client saw did. */
export const sessionOf = (caller: Caller, places: Places) => {
  const memberships = inOrder(caller.memberships);
  const primary = memberships[0]?.accountId;
  const session = {
    capabilities: capabilitiesOf(places),
    accounts: Object.fromEntries(memberships.map((membership) => [membership.accountId, accountOf(membership, caller)])),
    primaryAccounts: primary === undefined ? {} : Object.fromEntries(accountCapabilities.map((uri) => [uri, primary])),
    username: caller.username,
    apiUrl: `${places.jmapUrl}/jmap`,
    downloadUrl: `${places.jmapUrl}/download?accountId={accountId}&blobId={blobId}&type={type}&name={name}`,
    uploadUrl: `${places.jmapUrl}/upload/{accountId}`,
    eventSourceUrl: `${places.jmapUrl}${eventSourcePath}?types={types}&closeafter={closeafter}&ping={ping}`,
    webSocketUrl: places.webSocketUrl,
  };
  return { ...session, state: createHash('sha256').update(JSON.stringify(session)).digest('base64url').slice(0, 22) };
};

/** The session resource with the key for Web Push, which never changes and so has no part in `state`. */
export const sessionWithWebPush = (session: ReturnType<typeof sessionOf>, applicationServerKey: string | undefined) => (applicationServerKey === undefined ? session
  : { ...session, capabilities: { ...session.capabilities, [capability.webPushVapid]: { applicationServerKey } } });
