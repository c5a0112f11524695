import { directoryPartitions } from '../../../contract/deployment/partitions.ts';
import type { Table } from '../../storage/table.ts';
import { candidatesOf } from '../address-reservations.ts';

/** Finds users whose sign-in address should be theirs alone, but is not. */
export type SignInAddresses = {
  /**
   * The ids of the users whose sign-in address is an address of an account that another user owns. New ones are refused;
   * earlier releases allowed them. It reads all users, addresses and accounts.
   */
  usersAtAddressesOfOthers(): Promise<string[]>;
};

export const signInAddressesIn = (table: Pick<Table, 'query'>): SignInAddresses => ({
  async usersAtAddressesOfOthers() {
    const [users, addresses, accounts] = await Promise.all(
      [directoryPartitions.users, directoryPartitions.addresses, directoryPartitions.accounts].map((pk) => table.query({ pk })),
    );
    const owners = new Map(accounts!.map((account) => [account.sk, account['owner_id']]));
    const ownersOfAddresses = new Map(addresses!.map((address) => [address.sk, owners.get(address['account_id'] as string)]));
    return users!.filter(({ sk: userId, primary_email: email, is_deleted: isDeleted }) => {
      const [address] = candidatesOf(email as string ?? '').filter((candidate) => ownersOfAddresses.has(candidate));
      return isDeleted !== true && address !== undefined && ownersOfAddresses.get(address) !== userId;
    }).map(({ sk }) => sk);
  },
});
