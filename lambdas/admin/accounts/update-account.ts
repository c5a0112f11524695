import { accounts as contract, type Account } from '../../../contract/admin/accounts.ts';
import type { Request } from '../../../contract/rpc.ts';
import type { Accounts } from '../../../core/directory/accounts.ts';
import type { MailStore } from '../../../core/mail/mail-store.ts';
import type { AccountQuota as StoredQuota } from '../../../core/mail/quota/account-quota.ts';
import type { QuotaChanges } from '../../../core/mail/quota/quota-store.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { changesBetween, type AuditChange } from '../../../core/rpc/audit.ts';
import { notFound } from '../../../core/rpc/rpc-error.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { toAccountQuota } from './account-quota.ts';

type Connections = {
  readonly accounts: Pick<Accounts, 'rename'>;
  readonly mailStore: Pick<MailStore, 'quota' | 'setQuota'>;
  readonly clock: Clock;
};

type Limits = Pick<Request<typeof contract.methods.UpdateAccount>, 'max_octets' | 'max_emails'>;

/** A limit of 0 removes the account's own. */
const quotaChanges = ({ max_octets: octets, max_emails: emails }: Limits): QuotaChanges => ({
  ...(octets !== undefined && { octets: octets === 0 ? null : octets }),
  ...(emails !== undefined && { count: emails === 0 ? null : emails }),
});

/** The limits that the request sets to other values. */
const limitChanges = (before: StoredQuota | undefined, limits: Limits): AuditChange[] => {
  const current: Limits = before ? toAccountQuota(before) : {};
  return changesBetween(current, { ...current, ...limits }, ['max_octets', 'max_emails']);
};

/** Renames first. The limits are in another table: a call that fails between is audited as interrupted. */
export const updateAccount = ({ accounts, mailStore, clock }: Connections) => adminMethod(contract.methods.UpdateAccount, {
  prefetch: ({ account_id }) => mailStore.quota(account_id),
  async run({ account_id, name, ...limits }, { audit }, quotaBefore) {
    const changes = quotaChanges(limits);
    const setsQuota = Object.keys(changes).length > 0;
    const account = await accounts.rename(account_id, name, clock(), (before, after) => {
      audit.describe({
        entity_name: after.name, changes: [...changesBetween<Account>(before, after, ['name']), ...limitChanges(quotaBefore, limits)],
      });
      return setsQuota ? audit.pendingWrites() : audit.successWrites();
    });
    const quota = setsQuota ? await mailStore.setQuota(account_id, changes) : quotaBefore;
    if (!quota) throw notFound('account');
    return { account: { ...account, quota: toAccountQuota(quota) } };
  },
});
