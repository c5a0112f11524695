import { accounts as contract } from '../../../../contract/admin/accounts.ts';
import type { Accounts } from '../../../../core/directory/accounts/accounts.ts';
import type { AccountSendLimits } from '../../../../core/mail-types/email-submission/account-send-limits.ts';
import type { MailStore } from '../../../../core/mail-types/mail-store/mail-store.ts';
import { adminMethod } from '../../../../core/rpc/admin-method.ts';
import { notFound } from '../../../../core/rpc/rpc-error.ts';
import { toAccountQuota } from './account-quota.ts';

type Dependencies = { readonly accounts: Pick<Accounts, 'find'>; readonly mailStore: Pick<MailStore, 'quota'>; readonly sendLimits: Pick<AccountSendLimits, 'find'> };

export const getAccount = ({ accounts, mailStore, sendLimits }: Dependencies) => adminMethod(contract.methods.GetAccount, {
  async run({ account_id }) {
    const [account, quota, limits] = await Promise.all([
      accounts.find(account_id), mailStore.quota(account_id), sendLimits.find(account_id),
    ]);
    if (!account) throw notFound('account');
    return { account: { ...account, ...(quota && limits && { quota: toAccountQuota(quota, limits), keep_recent_contacts: limits.keepsRecentContacts }) } };
  },
});
