import type { Alias, Group } from '../../contract/admin/aliases.ts';
import { directoryKeys, directoryPartitions } from '../../contract/deployment/keys.ts';
import { localPartOf, withoutDetail } from '../../contract/values/mail-address.ts';
import { rowOf, type Condition, type Item, type Key, type Table, type Write } from '../storage/table.ts';

/*
 * An address of an account and a sign-in address of another user exclude each other, also when the sign-in address has a
 * detail: the members of the account would read what is sent to the user.
 */

/** The key of an address of an account. */
export const addressKey = directoryKeys.address;

/** The attributes of the item `address`/address of an account. */
export type AddressRow = Pick<Alias, 'account_id' | 'alias_id' | 'domain_id' | 'is_active' | 'can_send_from' | 'bcc'> & {
  /**
   * The state. `freed`: the account is deleted. The row says so until the removal ends, or until somebody else takes the address.
   * `removing`: an earlier version deleted the account; its address stays taken, and counts at its domain, until the removal ends.
   */
  readonly state: 'ready' | 'freed' | 'removing';
  /**
   * The time at which the account got the address of a deleted account (RFC 3339). Mail that arrived before is not delivered to it.
   */
  readonly held_since?: string;
  /** The time of the deactivation (RFC 3339). */
  readonly inactive_since?: string;
};

/** The attributes of the item `address`/address of a group. */
export type GroupAddressRow = Pick<Group, 'group_id' | 'domain_id' | 'writers' | 'members_may_send'> &
  Pick<AddressRow, 'held_since'> & { readonly is_active: true; readonly state: 'ready' };

/** The holder of an address, an account or a group, and the state of the item `address`/address. */
export const addressHolder = rowOf<Partial<Pick<AddressRow, 'account_id' | 'alias_id'> & Pick<Group, 'group_id'>> & Pick<AddressRow, 'state'>>;

/** The item of an address as an account has it. @returns undefined for the address of a group. */
export const accountAddressRow = (item: Item): AddressRow | undefined => ('group_id' in item ? undefined : rowOf<AddressRow>(item));

/** The item of an address as a group has it. @returns undefined for the address of an account. */
export const groupAddressRow = (item: Item): GroupAddressRow | undefined => ('group_id' in item ? rowOf<GroupAddressRow>(item) : undefined);

/** The conditions under which nobody has an address. */
export const isFree: readonly Condition[] = [{ absent: true }, { equals: { state: 'freed' } }];

/** The time since which a new alias or group has the address of a deleted account. Undefined for another address. */
export const heldSince = ({ created_at: createdAt }: Pick<Alias, 'created_at'>, former: Item | undefined): string | undefined =>
  former && addressHolder(former).state === 'freed' ? createdAt : undefined;

/** The condition of the write of a new address. @param since the result of {@link heldSince}. */
export const isFreeFor = (since: string | undefined): Condition | readonly Condition[] => (since === undefined ? { absent: true } : isFree);

/** The key of a sign-in address. */
export const userEmailKey = directoryKeys.userEmail;

export const userEmailRow = rowOf<{ readonly user_id: string; readonly state: 'creating' | 'ready' | 'changing' }>;

/** The names under which an address may be stored, in the order of precedence: the address, and the one without detail. */
export const candidatesOf = (email: string): string[] => {
  const user = withoutDetail(email);
  return user === undefined ? [email] : [email, user];
};

/** The error message for an address of an account that receives the mail to a sign-in address of another user. */
export const signInAddressTaken = 'the address is the sign-in address of another user, or that address without its detail (+...)';

/**
 * The item that counts how often a user got a sign-in address with a detail. A transaction can't check a range of keys, but
 * it can check that nobody got one since the range was read. No address is `+`.
 */
const detailedCountKey: Key = userEmailKey('+');
const detailedCountRow = rowOf<{ readonly count: number }>;

/** Reads the sign-in addresses that are the address with a detail. */
const detailedSignInAddresses = async (table: Pick<Table, 'query'>, address: string): Promise<readonly Item[]> =>
  (await table.query({ pk: directoryPartitions.userEmails, prefix: `${localPartOf(address)}+` })).filter(
    ({ sk, state }) => withoutDetail(sk) === address && state !== 'creating',
  );

/** Finds the user whose sign-in address excludes an address of an account with this owner. */
export const signInHolderOf = async (table: Pick<Table, 'get' | 'query'>, address: string, ownerId: string): Promise<string | undefined> => {
  const [exact, detailed] = await Promise.all([table.get(userEmailKey(address)), detailedSignInAddresses(table, address)]);
  const holders = [...(exact && exact['state'] !== 'creating' ? [exact] : []), ...detailed].map((item) => userEmailRow(item).user_id);
  return holders.find((userId) => userId !== ownerId);
};

/**
 * Reads which sign-in addresses exclude an address of an account: the address itself, and those that are the address with
 * a detail. A reservation whose user is not complete does not count: its completion checks the addresses of accounts.
 * @returns a function that checks them for the account's owner. It returns `taken`, or the checks for the transaction that
 * stores the address: the failure of the first means `taken`, that of the second that they must be read again.
 */
export const readSignInAddresses = async (
  table: Pick<Table, 'get' | 'query'>,
  address: string,
): Promise<(ownerId: string) => 'taken' | readonly [Write, Write]> => {
  // The count is read first, so that an address that comes between the two reads changes it.
  const counted = await table.get(detailedCountKey);
  const count = counted && detailedCountRow(counted).count;
  const detailed = await detailedSignInAddresses(table, address);
  return (ownerId) =>
    detailed.some(({ user_id: userId }) => userId !== ownerId)
      ? 'taken'
      : [
          { check: userEmailKey(address), if: [{ absent: true }, { equals: { user_id: ownerId } }, { equals: { state: 'creating' } }] },
          { check: detailedCountKey, if: count === undefined ? { absent: true } : { equals: { count } } },
        ];
};

/**
 * The writes with which a transaction gives a user a sign-in address. They fail if an account receives the mail to it.
 * @param ownAccountId the account of the user that may receive it. A new user has none.
 */
export const signInAddressWrites = (signInAddress: string, ownAccountId?: string): Write[] => [
  ...candidatesOf(signInAddress).map((address): Write => ({
    check: addressKey(address),
    if: [...isFree, ...(ownAccountId === undefined ? [] : [{ equals: { account_id: ownAccountId } }])],
  })),
  ...(withoutDetail(signInAddress) === undefined ? [] : [{ update: detailedCountKey, add: { count: 1 } }]),
];
