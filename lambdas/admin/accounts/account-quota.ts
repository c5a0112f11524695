import type * as z from 'zod';
import type { AccountQuota } from '../../../contract/admin/accounts.ts';
import type { AccountQuota as StoredQuota } from '../../../core/mail/quota/account-quota.ts';

/** An account's quota as the admin API returns it. */
export const toAccountQuota = ({ octets, count }: StoredQuota): z.input<typeof AccountQuota> =>
  ({ octets_used: octets.used, max_octets: octets.hardLimit, emails_used: count.used, max_emails: count.hardLimit });
