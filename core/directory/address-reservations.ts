import { directoryPartitions } from '../../contract/deployment/partitions.ts';
import { withoutDetail } from '../../contract/values/mail-address.ts';
import type { Key, Write } from '../storage/table.ts';

/*
 * An address of an account and a sign-in address of another user exclude each other. The members of the account would
 * read what is sent to the user.
 */

/** The key of an address of an account. */
export const addressKey = (email: string): Key => ({ pk: directoryPartitions.addresses, sk: email });

/** The key of a sign-in address. */
export const userEmailKey = (email: string): Key => ({ pk: directoryPartitions.userEmails, sk: email });

/** The names under which an address may be stored, in the order of precedence: the address, and the one without detail. */
export const candidatesOf = (email: string): string[] => {
  const user = withoutDetail(email);
  return user === undefined ? [email] : [email, user];
};

/** The error message for an address of an account with which another user signs in. */
export const signInAddressTaken = 'the address is the sign-in address of another user';

/**
 * The check that an address of an account is not the sign-in address of another user than the account's owner. A
 * reservation whose user is not complete does not count: its completion checks the address.
 */
export const signInAddressCheck = (address: string, ownerId: string): Write =>
  ({ check: userEmailKey(address), if: [{ absent: true }, { equals: { user_id: ownerId } }, { equals: { state: 'creating' } }] });

/**
 * The checks that no account receives the mail of a new sign-in address.
 * @param ownAccountId the account of the user that may receive it. A new user has none.
 */
export const noAccountChecks = (signInAddress: string, ownAccountId?: string): Write[] => candidatesOf(signInAddress).map((address) => ({
  check: addressKey(address), if: [{ absent: true }, ...(ownAccountId === undefined ? [] : [{ equals: { account_id: ownAccountId } }])],
}));
