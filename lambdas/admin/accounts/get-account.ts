import type * as z from 'zod';
import { accounts as contract, type AccountQuota, type AccountStorage } from '../../../contract/admin/accounts.ts';
import type { SendLimits } from '../../../contract/deployment/sending.ts';
import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import type { AccountSendLimits } from '../../../core/mail/account-send-limits.ts';
import type { MailStore } from '../../../core/mail/mail-store/mail-store.ts';
import type { AccountQuota as StoredQuota } from '../../../core/mail/quota/account-quota.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { notFound } from '../../../core/rpc/rpc-error.ts';

type Dependencies = {
  readonly accounts: Pick<Accounts, 'find'>;
  readonly mailStore: Pick<MailStore, 'quota'>;
  readonly sendLimits: Pick<AccountSendLimits, 'find'>;
};

/** An account's storage as the admin API returns it. */
export const toAccountStorage = ({ octets, count }: StoredQuota): z.input<typeof AccountStorage> => ({
  octets_used: octets.used,
  max_octets: octets.hardLimit,
  emails_used: count.used,
  max_emails: count.hardLimit,
});

/** An account's quota as the admin API returns it. */
export const toAccountQuota = (quota: StoredQuota, { perMinute, perDay }: SendLimits): z.input<typeof AccountQuota> => ({
  ...toAccountStorage(quota),
  max_recipients_per_minute: perMinute,
  max_recipients_per_day: perDay,
});

export const getAccount = ({ accounts, mailStore, sendLimits }: Dependencies) =>
  adminMethod(contract.methods.GetAccount, {
    async run({ account_id }) {
      const [account, quota, limits] = await Promise.all([accounts.find(account_id), mailStore.quota(account_id), sendLimits.find(account_id)]);
      if (!account) throw notFound('account');
      return { account: { ...account, ...(quota && limits && { quota: toAccountQuota(quota, limits), keep_recent_contacts: limits.keepsRecentContacts }) } };
    },
  });
