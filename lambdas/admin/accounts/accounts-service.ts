import type { accounts } from '../../../contract/admin/accounts.ts';
import type { AccountRemovals } from '../../../core/directory/accounts/account-removals.ts';
import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import type { Domains } from '../../../core/directory/domains/domains.ts';
import type { Members } from '../../../core/directory/users/members.ts';
import type { Users } from '../../../core/directory/users/users.ts';
import type { AccountSendLimits } from '../../../core/mail-types/email-submission/account-send-limits.ts';
import type { MailStore } from '../../../core/mail-types/mail-store/mail-store.ts';
import type { AdminMethods } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { NewId } from '../../../core/runtime/ids.ts';
import type { Queue } from '../../../core/runtime/lambda/queue.ts';
import type { Suppressions } from '../../../core/sending/feedback/suppressions.ts';
import { createAccount } from './create-account.ts';
import { deleteAccountMember } from './members/delete-account-member.ts';
import { deleteAccount } from './delete-account.ts';
import { getAccount } from './get-account.ts';
import { listAccountMembers } from './members/list-account-members.ts';
import { listAccountRemovals } from './list-account-removals.ts';
import { listAccounts } from './list-accounts.ts';
import { putAccountMember } from './members/put-account-member.ts';
import { updateAccount } from './update-account.ts';

export type AccountsDependencies = {
  readonly accounts: Accounts;
  readonly members: Members;
  readonly users: Pick<Users, 'find'>;
  readonly domains: Pick<Domains, 'find'>;
  readonly mailStore: Pick<MailStore, 'createAccount' | 'quota' | 'setQuota'>;
  readonly suppressions: Pick<Suppressions, 'clearingWrites'>;
  readonly sendLimits: AccountSendLimits;
  readonly removals: Pick<AccountRemovals, 'begin' | 'findState' | 'list'>;
  /** Queue of the account-removal Lambda. */
  readonly removalQueue: Queue;
  /** Client ids that can be members like users (docs/specification.md#machine-access). */
  readonly headlessClientIds: readonly string[];
  readonly newId: NewId;
  readonly clock: Clock;
};

/** The methods of /accounts (docs/specification.md#accounts). */
export const accountsService = (dependencies: AccountsDependencies): AdminMethods<typeof accounts> => ({
  ListAccounts: listAccounts(dependencies),
  GetAccount: getAccount(dependencies),
  CreateAccount: createAccount(dependencies),
  UpdateAccount: updateAccount(dependencies),
  DeleteAccount: deleteAccount(dependencies),
  ListAccountRemovals: listAccountRemovals(dependencies),
  ListAccountMembers: listAccountMembers(dependencies),
  PutAccountMember: putAccountMember(dependencies),
  DeleteAccountMember: deleteAccountMember(dependencies),
});
