import type { accounts, Similar } from '../../../contract/admin/accounts.ts';
import type { PurgeDependencies } from '../../../core/blobs/destroyed-email-purge.ts';
import type { AccountRemovals } from '../../../core/directory/accounts/account-removals.ts';
import type { AccountRestorations } from '../../../core/directory/accounts/account-restorations.ts';
import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import type { Addresses } from '../../../core/directory/aliases/addresses.ts';
import type { Aliases } from '../../../core/directory/aliases/aliases.ts';
import type { SendingRights } from '../../../core/directory/aliases/may-send.ts';
import type { Domains } from '../../../core/directory/domains/domains.ts';
import type { EmailIdentities } from '../../../core/directory/domains/email-identities.ts';
import type { Forwardings } from '../../../core/directory/forwarding/forwardings.ts';
import type { GroupReceivers } from '../../../core/directory/groups/group-receivers.ts';
import type { Groups } from '../../../core/directory/groups/groups.ts';
import type { Members } from '../../../core/directory/users/members.ts';
import type { Users } from '../../../core/directory/users/users.ts';
import type { AccountSendLimits } from '../../../core/mail/account-send-limits.ts';
import type { RestoreDependencies } from '../../../core/mail/email-restoration.ts';
import type { MailStore } from '../../../core/mail/mail-store/mail-store.ts';
import type { AdminMethods } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { NewId } from '../../../core/runtime/ids.ts';
import type { Queue } from '../../../core/runtime/lambda/queue.ts';
import type { Suppressions } from '../../../core/sending/feedback/suppressions.ts';
import { createAccount } from './create-account.ts';
import { deleteAccountMember } from './delete-account-member.ts';
import { deleteAccount } from './delete-account.ts';
import { findAddress } from './find-address.ts';
import { findSimilar } from './find-similar.ts';
import { getAccount } from './get-account.ts';
import { listAccountMembers } from './list-account-members.ts';
import { listAccountRemovals } from './list-account-removals.ts';
import { listAccounts } from './list-accounts.ts';
import { listDestroyedEmails } from './list-destroyed-emails.ts';
import { purgeDestroyedEmails } from './purge-destroyed-emails.ts';
import { putAccountMember } from './put-account-member.ts';
import { removeAccountNow } from './remove-account-now.ts';
import { restoreAccount } from './restore-account.ts';
import { restoreEmails } from './restore-emails.ts';
import { updateAccount } from './update-account.ts';

type AccountsDependencies = {
  readonly accounts: Accounts;
  readonly members: Members;
  readonly users: Pick<Users, 'find'>;
  readonly domains: Pick<Domains, 'find'>;
  readonly mailStore: Pick<MailStore, 'createAccount' | 'quota' | 'quotas' | 'setQuota'>;
  readonly addresses: Pick<Addresses, 'find'>;
  readonly forwardings: Pick<Forwardings, 'find'>;
  readonly aliases: Pick<Aliases, 'find'>;
  readonly groups: Pick<Groups, 'find'>;
  readonly groupReceivers: GroupReceivers;
  readonly identities: Pick<EmailIdentities, 'find'>;
  readonly rights: Pick<SendingRights, 'refusals'>;
  readonly suppressions: Pick<Suppressions, 'clearingWrites' | 'find'>;
  readonly sendLimits: AccountSendLimits;
  readonly removals: Pick<AccountRemovals, 'begin' | 'findState' | 'find' | 'list' | 'endWaiting'>;
  readonly restorations: AccountRestorations;
  /** The queue of the account-removal Lambda. */
  readonly removalQueue: Queue;
  /** Seconds for which a deleted account can be restored. */
  readonly recoverableSeconds: number;
  readonly destroyedMail: RestoreDependencies & PurgeDependencies;
  readonly findSimilar: (query: string) => Promise<Similar[]>;
  readonly newId: NewId;
  readonly clock: Clock;
};

/** The methods of /accounts (docs/specification.md#accounts). */
export const accountsService = (dependencies: AccountsDependencies): AdminMethods<typeof accounts> => ({
  ListAccounts: listAccounts(dependencies),
  GetAccount: getAccount(dependencies),
  FindAddress: findAddress(dependencies),
  FindSimilar: findSimilar(dependencies),
  CreateAccount: createAccount(dependencies),
  UpdateAccount: updateAccount(dependencies),
  DeleteAccount: deleteAccount(dependencies),
  ListAccountRemovals: listAccountRemovals(dependencies),
  RestoreAccount: restoreAccount(dependencies),
  RemoveAccountNow: removeAccountNow(dependencies),
  ListDestroyedEmails: listDestroyedEmails(dependencies),
  RestoreEmails: restoreEmails(dependencies),
  PurgeDestroyedEmails: purgeDestroyedEmails(dependencies),
  ListAccountMembers: listAccountMembers(dependencies),
  PutAccountMember: putAccountMember(dependencies),
  DeleteAccountMember: deleteAccountMember(dependencies),
});
