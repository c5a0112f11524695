import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { directoryKeys, directoryPartitions } from '../../../contract/deployment/keys.ts';
import { isIdOf } from '../../../contract/values/ids.ts';
import { NotFound } from '../../runtime/domain-errors.ts';
import { readPage, type Page } from '../../storage/page.ts';
import { retryOnConflict } from '../../storage/retry-on-conflict.ts';
import { contentOf, itemOf, type Item, type Table, type Write } from '../../storage/table.ts';

/** An address to which an account forwards: one of another account here, or one outside. */
export type ForwardTarget = { readonly email: string; readonly account_id?: string };

/** A stored address. One outside gets mail when it is confirmed. */
export type StoredForwardAddress = ForwardTarget & {
  /** The time at which the owner of the address outside opened the link (RFC 3339). */
  readonly confirmed_at?: string;
  /** The time at which the newest link was mailed (RFC 3339). Absent until then. */
  readonly asked_at?: string;
  /** The digest of the token in the newest link. */
  readonly token_digest?: string;
};

/** Where an account forwards its mail; `version` counts the changes. */
export type StoredForwarding = {
  readonly account_id: string;
  readonly addresses: readonly StoredForwardAddress[];
  readonly keep_copy: boolean;
  readonly updated_at: string;
  readonly version: number;
};

/** The new forwarding of an account. Addresses that it has already stay confirmed. */
export type ForwardingChange = { readonly addresses: readonly ForwardTarget[]; readonly keep_copy: boolean };

/** The link for the owner of an address outside: its token, and the write that stores the token's digest. */
export type NewLink = { readonly token: string; readonly write: Write };

/** Days for which a link can be opened. */
export const linkDays = 7;

/** Milliseconds between two links for one address. */
const linkInterval = 3_600_000;

const day = 86_400_000;

/**
 * Forwardings. The item `forwarding`/account_id is the record, which a delivery reads for each account that gets a message.
 * An account without an item forwards nothing.
 */
export type Forwardings = {
  find(accountId: string): Promise<StoredForwarding | undefined>;
  /** The forwardings of those of the accounts that have one, in one BatchGet. */
  findAll(accountIds: readonly string[]): Promise<ReadonlyMap<string, StoredForwarding>>;
  list(after: string | undefined, size: number): Promise<Page<StoredForwarding>>;
  /**
   * Replaces the forwarding of an account that exists. An empty list of addresses removes it.
   * @param ifState the {@link forwardingState} that the forwarding must have.
   * @returns undefined when the account forwards nothing now.
   * @throws NotFound, StoreConflict, ForwardingChanged for another state.
   */
  put(
    accountId: string,
    change: ForwardingChange,
    now: Date,
    additionalWrites?: (before: StoredForwarding | undefined, after: StoredForwarding | undefined) => readonly Write[],
    ifState?: string,
  ): Promise<StoredForwarding | undefined>;
  /** A new link for an address of the forwarding. Earlier links for it can no longer be opened. Its write may be in a transaction of any table. */
  newLink(forwarding: StoredForwarding, address: ForwardTarget, now: Date): NewLink;
  /** Confirms the address to which the link with this token was mailed. @returns undefined for an unknown or old token. */
  confirm(token: string, now: Date): Promise<ForwardTarget | undefined>;
  /** Finds what a token confirms. @returns undefined for an unknown or old token. */
  findByToken(token: string, now: Date): Promise<{ readonly accountId: string; readonly address: StoredForwardAddress } | undefined>;
};

/** The forwarding has another state than the caller requires. */
export class ForwardingChanged extends Error {}

const key = directoryKeys.forwarding;

const forwardingOf = (item: Item): StoredForwarding => ({ ...contentOf<Omit<StoredForwarding, 'account_id'>>(item), account_id: item.sk });

const digestOf = (token: string): string => createHash('sha256').update(token).digest('base64url');

/** Whether mail is forwarded to the address. */
export const isConfirmed = ({ account_id: accountId, confirmed_at: confirmedAt }: StoredForwardAddress): boolean =>
  accountId !== undefined || confirmedAt !== undefined;

/** A text that is another one after each change of what an account forwards to whom. A link that is mailed changes nothing of it. */
export const forwardingState = (forwarding: StoredForwarding | undefined): string => {
  if (!forwarding) return '0';
  const shown = [forwarding.keep_copy, forwarding.addresses.map((address) => [address.email, isConfirmed(address)])];
  return digestOf(JSON.stringify(shown)).slice(0, 16);
};

/** The addresses to whose owners a link is due. */
export const addressesToAsk = ({ addresses }: StoredForwarding, now: Date): StoredForwardAddress[] =>
  addresses.filter((address) => !isConfirmed(address) && (address.asked_at === undefined || Date.parse(address.asked_at) + linkInterval <= now.getTime()));

/** A write that replaces a forwarding unless it has changed since it was read. */
const replaced = ({ account_id: accountId, ...forwarding }: StoredForwarding): Write => ({
  put: itemOf(key(accountId), { ...forwarding, version: forwarding.version + 1 }),
  if: { equals: { version: forwarding.version } },
});

const withAddress = (forwarding: StoredForwarding, changed: StoredForwardAddress): StoredForwarding => ({
  ...forwarding,
  addresses: forwarding.addresses.map((address) => (address.email === changed.email ? changed : address)),
});

const hasToken = ({ token_digest: stored, asked_at: askedAt }: StoredForwardAddress, digest: string, now: Date): boolean =>
  stored !== undefined &&
  askedAt !== undefined &&
  Date.parse(askedAt) + linkDays * day > now.getTime() &&
  stored.length === digest.length &&
  timingSafeEqual(Buffer.from(stored), Buffer.from(digest));

export const forwardingsIn = (table: Table): Forwardings => {
  const find = async (accountId: string): Promise<StoredForwarding | undefined> => {
    const item = await table.get(key(accountId));
    return item && forwardingOf(item);
  };

  const findByToken = async (token: string, now: Date) => {
    const accountId = token.slice(0, Math.max(0, token.indexOf('.')));
    if (!isIdOf('account', accountId)) return undefined;
    const [forwarding, digest] = [await find(accountId), digestOf(token)];
    const address = forwarding?.addresses.find((each) => hasToken(each, digest, now));
    return forwarding && address && { accountId, forwarding, address };
  };

  return {
    find,
    async findAll(accountIds) {
      if (accountIds.length === 0) return new Map();
      const items = await table.batchGet([...new Set(accountIds)].map(key));
      return new Map(items.map((item) => [item.sk, forwardingOf(item)]));
    },
    list: (after, size) => readPage(table, directoryPartitions.forwardings, after, size, forwardingOf),
    put: (accountId, { addresses, keep_copy }, now, additionalWrites, ifState) =>
      retryOnConflict(async () => {
        const [before, account] = await Promise.all([find(accountId), table.get(directoryKeys.account(accountId))]);
        if (!account) throw new NotFound('account');
        if (ifState !== undefined && ifState !== forwardingState(before)) throw new ForwardingChanged();
        const known = new Map(before?.addresses.map((address) => [address.email, address]));
        const kept = addresses.map((target): StoredForwardAddress => (target.account_id === undefined ? (known.get(target.email) ?? target) : target));
        const after: StoredForwarding = { account_id: accountId, addresses: kept, keep_copy, updated_at: now.toISOString(), version: before?.version ?? 0 };
        const condition: Write['if'] = before ? { equals: { version: before.version } } : { absent: true };
        const change: readonly Write[] = kept.length > 0 ? [{ ...replaced(after), if: condition }] : before ? [{ delete: key(accountId), if: condition }] : [];
        const stored = kept.length > 0 ? { ...after, version: after.version + 1 } : undefined;
        await table.write([...change, { check: directoryKeys.account(accountId), if: { present: true } }, ...(additionalWrites?.(before, stored) ?? [])]);
        return stored;
      }),
    newLink: (forwarding, { email }, now) => {
      const token = `${forwarding.account_id}.${randomBytes(32).toString('base64url')}`;
      const write = replaced(withAddress(forwarding, { email, asked_at: now.toISOString(), token_digest: digestOf(token) }));
      return { token, write: { ...write, inTable: table.reference } };
    },
    findByToken,
    confirm: (token, now) =>
      retryOnConflict(async () => {
        const found = await findByToken(token, now);
        if (!found) return undefined;
        const { forwarding, address } = found;
        if (!isConfirmed(address)) await table.write([replaced(withAddress(forwarding, { ...address, confirmed_at: now.toISOString() }))]);
        return address;
      }),
  };
};
