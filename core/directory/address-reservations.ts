import type { Alias, Group } from '../../contract/admin/aliases.ts';
import { directoryKeys, directoryPartitions } from '../../contract/deployment/keys.ts';
import { localPartOf, withoutDetail } from '../../contract/values/mail-address.ts';
import { rowOf, type Item, type Key, type Table, type Write } from '../storage/table.ts';

/*
 * An address of an account and a sign-in address of another user exclude each other, also when the sign-in address has a
 * detail: the members of the account would read what is sent to the user.
 */

/** The key of an address of an account. */
export const addressKey = directoryKeys.address;

/** The attributes of the item `address`/address of an account. */
export type AddressRow = Pick<Alias, 'account_id' | 'alias_id' | 'domain_id' | 'is_active' | 'can_send_from' | 'bcc'> & {
  /** The state. `removing`: the account is being removed. */
  readonly state: 'ready' | 'removing';
  /** The time of the deactivation (RFC 3339). */
  readonly inactive_since?: string;
};

/** The attributes of the item `address`/address of a group. */
export type GroupAddressRow = Pick<Group, 'group_id' | 'domain_id' | 'writers'> & { readonly is_active: true; readonly state: 'ready' };

/** The item of an address as an account has it. @returns undefined for the address of a group. */
export const accountAddressRow = (item: Item): AddressRow | undefined => ('group_id' in item ? undefined : rowOf<AddressRow>(item));

/** The item of an address as a group has it. @returns undefined for the address of an account. */
export const groupAddressRow = (item: Item): GroupAddressRow | undefined => ('group_id' in item ? rowOf<GroupAddressRow>(item) : undefined);

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
  const detailed = (await table.query({ pk: directoryPartitions.userEmails, prefix: `${localPartOf(address)}+` })).filter(
    ({ sk, state }) => withoutDetail(sk) === address && state !== 'creating',
  );
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
    if: [{ absent: true }, ...(ownAccountId === undefined ? [] : [{ equals: { account_id: ownAccountId } }])],
  })),
  ...(withoutDetail(signInAddress) === undefined ? [] : [{ update: detailedCountKey, add: { count: 1 } }]),
];
