import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import type { FoundAddress } from '../../../core/directory/aliases/addresses.ts';
import { mailboxOfAnother } from '../../../core/directory/users/invite-user.ts';

type Dependencies = { readonly accounts: Pick<Accounts, 'isOwnedBy'> };

/** The account of the user that receives the mail of the address, if one does. @throws AlreadyExists for another user's. */
export const ownAccountAt = async ({ stored }: FoundAddress, userId: string, { accounts }: Dependencies): Promise<string | undefined> => {
  if (!stored) return undefined;
  if (await accounts.isOwnedBy(stored.accountId, userId)) return stored.accountId;
  throw mailboxOfAnother();
};
