import { accounts as contract, type Account } from '../../../contract/admin/accounts.ts';
import type { Request } from '../../../contract/rpc/rpc.ts';
import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import type { AccountSending, AccountSendLimits, SendLimitChanges } from '../../../core/mail/account-send-limits.ts';
import type { MailStore } from '../../../core/mail/mail-store/mail-store.ts';
import type { AccountQuota as StoredQuota, QuotaChanges } from '../../../core/mail/quota/account-quota.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { changesBetween, type AuditChange } from '../../../core/rpc/audit.ts';
import { notFound } from '../../../core/rpc/rpc-error.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { toAccountQuota } from './get-account.ts';

type Dependencies = {
  readonly accounts: Pick<Accounts, 'rename'>;
  readonly mailStore: Pick<MailStore, 'quota' | 'setQuota'>;
  readonly sendLimits: AccountSendLimits;
  readonly clock: Clock;
};

const limitNames = ['max_octets', 'max_emails', 'max_recipients_per_minute', 'max_recipients_per_day', 'keep_recent_contacts'] as const;
type Limits = Pick<Request<typeof contract.methods.UpdateAccount>, (typeof limitNames)[number]>;

/** The limit in the form of the store: 0 becomes null, which removes the account's own limit. */
const orNull = (limit: number): number | null => (limit === 0 ? null : limit);

const quotaChanges = ({ max_octets: octets, max_emails: emails }: Limits): QuotaChanges => ({
  ...(octets !== undefined && { octets: orNull(octets) }),
  ...(emails !== undefined && { count: orNull(emails) }),
});

const sendLimitChanges = ({
  max_recipients_per_minute: perMinute,
  max_recipients_per_day: perDay,
  keep_recent_contacts: keepsRecentContacts,
}: Limits): SendLimitChanges => ({
  ...(perMinute !== undefined && { perMinute: orNull(perMinute) }),
  ...(perDay !== undefined && { perDay: orNull(perDay) }),
  ...(keepsRecentContacts !== undefined && { keepsRecentContacts }),
});

/** The limits of the account before the call. Undefined when the account does not exist. */
const readLimits = async (
  account_id: string,
  { mailStore, sendLimits }: Pick<Dependencies, 'mailStore' | 'sendLimits'>,
): Promise<{ readonly quota: StoredQuota; readonly sending: AccountSending } | undefined> => {
  const [quota, sending] = await Promise.all([mailStore.quota(account_id), sendLimits.find(account_id)]);
  return quota && sending && { quota, sending };
};

/** The limits that the request changes. */
const limitChanges = (before: Awaited<ReturnType<typeof readLimits>>, limits: Limits): AuditChange[] => {
  const current: Limits = before ? { ...toAccountQuota(before.quota, before.sending), keep_recent_contacts: before.sending.keepsRecentContacts } : {};
  return changesBetween(current, { ...current, ...limits }, limitNames);
};

/**
 * Changes the name first. The limits are in another table, so a call that fails after the name is audited as
 * interrupted.
 */
export const updateAccount = ({ accounts, mailStore, sendLimits, clock }: Dependencies) =>
  adminMethod(contract.methods.UpdateAccount, {
    prefetch: ({ account_id }) => readLimits(account_id, { mailStore, sendLimits }),
    async run({ account_id, name, ...limits }, { audit }, before) {
      const [quotas, sending] = [quotaChanges(limits), sendLimitChanges(limits)];
      const [setsQuota, setsSending] = [quotas, sending].map((changes) => Object.keys(changes).length > 0);
      const account = await accounts.rename(account_id, name, clock(), (accountBefore, after) => {
        audit.describe({ entity_name: after.name, changes: [...changesBetween<Account>(accountBefore, after, ['name']), ...limitChanges(before, limits)] });
        return setsQuota || setsSending ? audit.pendingWrites() : audit.successWrites();
      });
      const quota = setsQuota ? await mailStore.setQuota(account_id, quotas) : before?.quota;
      const limitsOfSending = setsSending ? await sendLimits.set(account_id, sending) : before?.sending;
      if (!quota || !limitsOfSending) throw notFound('account');
      const { keepsRecentContacts: keep_recent_contacts } = limitsOfSending;
      return { account: { ...account, quota: toAccountQuota(quota, limitsOfSending), keep_recent_contacts } };
    },
  });
