import type { GroupWriters } from '../../../contract/admin/aliases.ts';
import { directoryKeys, directoryPartitions } from '../../../contract/deployment/keys.ts';
import { isIdOf } from '../../../contract/values/ids.ts';
import { comparableAddress, domainOf } from '../../../contract/values/mail-address.ts';
import { isRoleAddress } from '../../../contract/values/role-addresses.ts';
import { InvalidInput } from '../../runtime/domain-errors.ts';
import { findItemIn, rowOf, type Table } from '../../storage/table.ts';
import { accountRow } from '../account-row.ts';
import {
  accountAddressRow,
  addressHolder,
  addressKey,
  candidatesOf,
  groupAddressRow,
  userEmailKey,
  userEmailRow,
  type AddressRow,
  type GroupAddressRow,
} from '../address-reservations.ts';
import { findRoleMailAccount, type RoleMailAccount } from './role-mail.ts';

/** Maximum characters of an SMTP address (RFC 5321 §4.5.3.1.3, without the angle brackets). */
const maxAddressLength = 254;

/** An address from its parts. @throws InvalidInput for an address that is too long. */
export const addressAt = (localPart: string, domain: string): string => {
  const email = `${localPart}@${domain}`;
  if (email.length > maxAddressLength) {
    throw new InvalidInput(`local_part and domain make an address of more than ${maxAddressLength} characters`);
  }
  return email;
};

/** The account that receives the mail of an address. */
export type Receiver = {
  readonly accountId: string;
  /**
   * The address of the account's alias: the requested address as {@link comparableAddress}, or that address without its
   * detail.
   */
  readonly email: string;
  /** The address that gets a copy of received mail (docs/specification.md#aliases). */
  readonly bcc?: string;
  /** The time at which the account got the address of a deleted account (RFC 3339). */
  readonly heldSince?: string;
};

/** The group that receives the mail of an address. */
export type ReceivingGroup = {
  readonly groupId: string;
  /** The address of the group, as {@link Receiver}'s. */
  readonly email: string;
  readonly writers: GroupWriters;
  /** As {@link Receiver}'s. */
  readonly heldSince?: string;
};

/** The reason why the mail of an address is delivered to nobody. */
export type AddressFault = 'no such address' | 'inactive address' | 'address of a deleted account' | 'the domain does not receive mail';

/** The address of an alias in the directory, whether it receives mail or not. */
export type StoredAddress = {
  /** The address of the alias, without the detail of the requested one. */
  readonly email: string;
  readonly accountId: string;
  readonly aliasId: string;
  readonly isActive: boolean;
  /** Whether the account is deleted. */
  readonly isRemoved: boolean;
  /** Whether nobody else can get the address. False for an address of a deleted account. */
  readonly isTaken: boolean;
  /** The time of the deactivation (RFC 3339). Absent for an active alias. */
  readonly inactiveSince?: string;
};

/** The directory's knowledge of an address. */
export type FoundAddress = {
  /** The requested address as {@link comparableAddress}. */
  readonly email: string;
  /** The alias with this address, or with the address without its detail. Absent if there is none. */
  readonly stored?: StoredAddress;
  /** The group with this address, or with the address without its detail, whether its domain receives mail or not. */
  readonly group?: ReceivingGroup;
  /** Whether there is no such address, and the receiver or the group gets the mail for all of those at the domain. */
  readonly isCatchAll?: true;
  /** Whether the domain is one of the deployment. */
  readonly isDomainHere: boolean;
  /** Whether the domain receives mail. */
  readonly isDomainReceiving: boolean;
  /** Whether the domain may send. */
  readonly isDomainSending: boolean;
  /**
   * The account to which mail is delivered now. Absent if mail is not delivered. For an address without an alias it is the
   * account of {@link findRoleMailAccount}.
   */
  readonly receiver?: Receiver;
};

/** Whether an account or a group has the address, so that its members would read what is sent to somebody who signs in with it. */
export const isHeld = ({ stored, group, isCatchAll }: FoundAddress): boolean => stored?.isTaken === true || (group !== undefined && !isCatchAll);

/** Finds the accounts to which mail is delivered. */
export type Addresses = {
  /**
   * Finds the accounts of these addresses, by the address as given, in one BatchGet. An address is left out if no
   * account has it, if its alias is not active, or if its domain does not receive mail. `user+detail@` resolves to the
   * address `user@`, unless an alias of an account that is not deleted has exactly that name, active or not (RFC 5233). Role addresses without an alias have
   * the account of {@link findRoleMailAccount}, which takes further reads.
   */
  resolve(emails: readonly string[]): Promise<Map<string, Receiver>>;
  /** Finds the accounts and the groups of these addresses, or why there is none, by the rules of `resolve`. */
  resolveAll(emails: readonly string[]): Promise<Map<string, Receiver | ReceivingGroup | { readonly fault: AddressFault }>>;
  /** Finds what addresses are, by the address as given, by the rules of `resolve`. */
  findAll(emails: readonly string[]): Promise<Map<string, FoundAddress>>;
  /** Finds what an address is, by the rules of `resolve`. */
  find(email: string): Promise<FoundAddress>;
};

const receiverOf = (email: string, { state, is_active: isActive, account_id: accountId, bcc, held_since: heldSince }: AddressRow): Receiver | undefined =>
  state !== 'ready' || !isActive ? undefined : { accountId, email, ...(bcc !== undefined && { bcc }), ...(heldSince !== undefined && { heldSince }) };

const groupOf = (email: string, { group_id: groupId, writers, held_since: heldSince }: GroupAddressRow): ReceivingGroup => ({
  groupId,
  email,
  writers,
  ...(heldSince !== undefined && { heldSince }),
});

const storedAddressOf = (email: string, row: AddressRow): StoredAddress => {
  const { account_id: accountId, alias_id: aliasId, is_active: isActive, state, inactive_since: inactiveSince } = row;
  const [isRemoved, isTaken] = [state !== 'ready', state !== 'freed'];
  return { email, accountId, aliasId, isActive, isRemoved, isTaken, ...(inactiveSince !== undefined && { inactiveSince }) };
};

const catchAllRow = rowOf<{ readonly catch_all?: string }>;

type Requested = { readonly given: string; readonly found: FoundAddress };

const isUnclaimedRole = ({ email, stored, group, isDomainReceiving }: FoundAddress): boolean => isDomainReceiving && !stored && !group && isRoleAddress(email);

/** The address with the account that gets its mail, if it is a role address that no account has. */
const withRoleReceiver = (found: FoundAddress, account: RoleMailAccount | undefined): FoundAddress =>
  account && isUnclaimedRole(found) ? { ...found, receiver: account } : found;

/** Who gets the mail for an address that does not exist: the id of an account or of a group. */
type CatchAllAddress = { readonly email: string; readonly receiverId: string };

const groupRow = rowOf<{ readonly state: string } & Pick<ReceivingGroup, 'email' | 'writers'>>;

/**
 * Finds who gets the mail for addresses that do not exist, in one BatchGet. An address with which a person signs in is left
 * out, unless they own the account: the receiver would read their codes. A receiver that was deleted is left out.
 */
const resolveCatchAlls = async (table: Pick<Table, 'batchGet'>, addresses: readonly CatchAllAddress[]): Promise<Map<string, Receiver | ReceivingGroup>> => {
  if (addresses.length === 0) return new Map();
  const keyOf = (id: string) => (isIdOf('group', id) ? directoryKeys.group(id) : directoryKeys.account(id));
  const find = findItemIn(await table.batchGet(addresses.flatMap(({ email, receiverId }) => [keyOf(receiverId), userEmailKey(email)])));
  return new Map(
    addresses.flatMap(({ email, receiverId }): (readonly [string, Receiver | ReceivingGroup])[] => {
      const [item, signIn] = [find(keyOf(receiverId)), find(userEmailKey(email))];
      const owner = signIn && userEmailRow(signIn).user_id;
      if (!item) return [];
      if (!isIdOf('group', receiverId)) {
        return owner === undefined || owner === accountRow(item).owner_id ? [[email, { accountId: receiverId, email }]] : [];
      }
      const { state, email: ofGroup, writers } = groupRow(item);
      return owner === undefined && state === 'ready' ? [[email, { groupId: receiverId, email: ofGroup, writers }]] : [];
    }),
  );
};

/** The address with the receiver of the domain's other mail, if nobody has the address. */
const withCatchAll = (found: FoundAddress, holder: Receiver | ReceivingGroup | undefined): FoundAddress =>
  !holder || found.receiver ? found : { ...found, isCatchAll: true, ...('groupId' in holder ? { group: holder } : { receiver: holder }) };

/**
 * Finds addresses, in one BatchGet, and one more lookup for role addresses that no account has, and for those of a catch-all.
 * An empty address is left out.
 */
const findAddresses = async (table: Table, emails: readonly string[]): Promise<readonly Requested[]> => {
  const requested = await readAddresses(table, emails);
  const missing = requested.flatMap(({ found: { email, stored, group }, catchAll: receiverId }) =>
    stored || group || receiverId === undefined ? [] : [{ email, receiverId }],
  );
  const [account, catchAlls] = await Promise.all([
    requested.some(({ found }) => isUnclaimedRole(found)) ? findRoleMailAccount(table) : undefined,
    resolveCatchAlls(table, missing),
  ]);
  return requested.map(({ given, found }) => ({ given, found: withCatchAll(withRoleReceiver(found, account), catchAlls.get(found.email)) }));
};

const readAddresses = async (
  table: Pick<Table, 'batchGet'>,
  emails: readonly string[],
): Promise<readonly (Requested & { readonly catchAll: string | undefined })[]> => {
  const requested = emails.map((given) => ({ given, email: comparableAddress(given) })).filter(({ email }) => email !== '');
  const items = await table.batchGet([
    ...requested.flatMap(({ email }) => candidatesOf(email).map(addressKey)),
    ...requested.flatMap(({ email }) => (domainOf(email) ? [directoryKeys.domainName(domainOf(email))] : [])),
  ]);
  const domains = new Map(items.filter(({ pk }) => pk === directoryPartitions.domainNames).map((item) => [item.sk, item]));
  const addresses = new Map(items.filter(({ pk }) => pk === addressKey('').pk).map((item) => [item.sk, item]));
  return requested.map(({ given, email }) => {
    const found = candidatesOf(email).flatMap((candidate) => addresses.get(candidate) ?? []);
    const item = found.find((candidate) => addressHolder(candidate).state !== 'freed') ?? found[0];
    const domain = domains.get(domainOf(email));
    const isDomainReceiving = domain?.['receive_enabled'] === true;
    const row = item && accountAddressRow(item);
    const groupRow = item && groupAddressRow(item);
    const receiver = item && row && isDomainReceiving ? receiverOf(item.sk, row) : undefined;
    return {
      given,
      catchAll: domain && isDomainReceiving ? catchAllRow(domain).catch_all : undefined,
      found: {
        email,
        ...(item && row && { stored: storedAddressOf(item.sk, row) }),
        ...(item && groupRow && { group: groupOf(item.sk, groupRow) }),
        isDomainHere: domain !== undefined && domain['state'] !== 'creating',
        isDomainReceiving,
        isDomainSending: domain?.['send_enabled'] === true,
        ...(receiver && { receiver }),
      },
    };
  });
};

const faultOf = ({ stored, isDomainReceiving }: FoundAddress): AddressFault => {
  if (!isDomainReceiving) return 'the domain does not receive mail';
  if (!stored) return 'no such address';
  return stored.isRemoved ? 'address of a deleted account' : 'inactive address';
};

/** Finds what addresses are, in one BatchGet: without who gets the mail for role addresses without an alias, and for those of a catch-all. */
export const storedAddressesIn = (table: Pick<Table, 'batchGet'>): Pick<Addresses, 'findAll'> => ({
  findAll: async (emails) => new Map((await readAddresses(table, emails)).map(({ given, found }) => [given, found])),
});

export const addressesIn = (table: Table): Addresses => ({
  async resolve(emails) {
    const requested = await findAddresses(table, emails);
    return new Map(requested.flatMap(({ given, found: { receiver } }) => (receiver ? [[given, receiver] as const] : [])));
  },
  async resolveAll(emails) {
    const requested = await findAddresses(table, emails);
    return new Map(
      requested.map(({ given, found }) => [given, found.receiver ?? (found.isDomainReceiving ? found.group : undefined) ?? { fault: faultOf(found) }]),
    );
  },
  findAll: async (emails) => new Map((await findAddresses(table, emails)).map(({ given, found }) => [given, found])),
  async find(email) {
    const [requested] = await findAddresses(table, [email]);
    return requested?.found ?? { email: '', isDomainHere: false, isDomainReceiving: false, isDomainSending: false };
  },
});
