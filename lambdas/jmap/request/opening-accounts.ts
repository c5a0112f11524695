import { blobCopy, blobUpload } from '../../../contract/jmap/blob.ts';
import { coreLimits } from '../../../contract/jmap/core.ts';
import { isObject } from '../../../contract/jmap/data-type.ts';
import type { AccountView } from '../../../core/account-index/account-view.ts';
import type { UploadedOctets, UploadUse } from '../../../core/blobs/uploaded-octets.ts';
import type { MailStore } from '../../../core/mail/mail-store/mail-store.ts';
import type { Caller } from './caller.ts';

/** Maximum remembered pairs of principal and account. */
const maxSeenMembers = 10_000;

/**
 * The principals who were members of an account at their latest request in this Lambda. This only decides which
 * accounts are read early: each request reads its memberships again. The least recently used pair is dropped first.
 */
export class SeenMembers {
  readonly #pairs = new Set<string>();

  has(principalId: string, accountId: string): boolean {
    return this.#pairs.has(`${principalId} ${accountId}`);
  }

  set(principalId: string, accountId: string, isMember: boolean): void {
    const pair = `${principalId} ${accountId}`;
    this.#pairs.delete(pair);
    if (isMember) this.#pairs.add(pair);
    const [leastRecentlySeen] = this.#pairs;
    if (this.#pairs.size > maxSeenMembers) this.#pairs.delete(leastRecentlySeen!);
  }
}

/**
 * Promises of the views of accounts that are being opened, by account id. A promise resolves to undefined when the
 * account has no mail.
 */
export type OpeningViews = ReadonlyMap<string, Promise<AccountView | undefined>>;

/** The space that uploads take in each account to which calls of a request add blobs, by account id. */
export type ReadingUses = ReadonlyMap<string, Promise<UploadUse>>;

/** The name of the argument that has the state after which a method needs the log. Empty for other methods than /changes and /queryChanges. */
const stateArgument = (method: string): string => (method.endsWith('/changes') ? 'sinceState' : method.endsWith('/queryChanges') ? 'sinceQueryState' : '');

/**
 * For each account id, the states after which the /changes and /queryChanges calls of a request need the log, and
 * whether calls add blobs.
 */
type NamedAccounts = ReadonlyMap<string, { readonly states: string[]; addsBlobs: boolean }>;

const addsBlobs = (method: string): boolean => method === blobUpload.name || method === blobCopy.name;

/** The accounts that the method calls of a request name. */
const namedAccounts = (json: unknown): NamedAccounts => {
  const named = new Map<string, { readonly states: string[]; addsBlobs: boolean }>();
  const accountOf = (accountId: string) => {
    const account = named.get(accountId) ?? { states: [], addsBlobs: false };
    named.set(accountId, account);
    return account;
  };
  const calls: unknown = isObject(json) ? json['methodCalls'] : undefined;
  for (const call of Array.isArray(calls) ? calls.slice(0, coreLimits.maxCallsInRequest) : []) {
    const [name, given] = Array.isArray(call) ? (call as unknown[]) : [];
    const { accountId, fromAccountId } = isObject(given) ? given : {};
    if (typeof fromAccountId === 'string') accountOf(fromAccountId);
    if (typeof accountId !== 'string' || typeof name !== 'string') continue;
    const account = accountOf(accountId);
    const state = isObject(given) ? given[stateArgument(name)] : undefined;
    if (typeof state === 'string') account.states.push(state);
    account.addsBlobs ||= addsBlobs(name);
  }
  return named;
};

/**
 * Starts to open the accounts that the method calls name, with the log entries that their /changes and /queryChanges
 * calls need, and to read the use of uploads for the calls that add blobs. Before the caller's memberships are known, it
 * opens only accounts in memory, and only for a caller who was a member at the latest request: this saves a round trip
 * and loads nothing. All other accounts are opened after the memberships are known, and only for members. So a caller
 * can't make a Lambda read the accounts of other people, or drop an account from memory.
 */
export const startOpeningAccounts = (
  { store, uploadedOctets }: { readonly store: MailStore; readonly uploadedOctets: Pick<UploadedOctets, 'read'> },
  seenMembers: SeenMembers,
  principalId: string,
  json: unknown,
) => {
  const named = namedAccounts(json);
  const opening = new Map<string, Promise<AccountView | undefined>>();
  const uses = new Map<string, Promise<UploadUse>>();
  // `openAccount` and `uploadRoom` report a failure to the calls that need the value.
  const started = <T>(value: Promise<T>): Promise<T> => {
    value.catch(() => undefined);
    return value;
  };
  const start = (accountId: string) => {
    const { states, addsBlobs: isUpload } = named.get(accountId)!;
    opening.set(accountId, started(store.open(accountId, states)));
    if (isUpload) uses.set(accountId, started(uploadedOctets.read(accountId)));
  };
  for (const accountId of named.keys()) {
    if (seenMembers.has(principalId, accountId) && store.holds(accountId)) start(accountId);
  }
  return {
    /** Opens the other named accounts if the caller is a member. */
    openForMember({ memberships }: Caller): { readonly views: OpeningViews; readonly uses: ReadingUses } {
      const accountIds = new Set(memberships.map(({ accountId }) => accountId));
      for (const accountId of named.keys()) {
        const isMember = accountIds.has(accountId);
        seenMembers.set(principalId, accountId, isMember);
        if (isMember && !opening.has(accountId)) start(accountId);
      }
      return { views: opening, uses };
    },
  };
};
