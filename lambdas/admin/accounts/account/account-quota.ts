import type * as z from 'zod';
import type { AccountQuota } from '../../../../contract/admin/accounts.ts';
import type { SendLimits } from '../../../../contract/deployment/sending.ts';
import type { AccountQuota as StoredQuota } from '../../../../core/mail-types/quota/account-quota.ts';

/** An account's quota as the admin API returns it. */
export const toAccountQuota = ({ octets, count }: StoredQuota, { perMinute, perDay }: SendLimits): z.input<typeof AccountQuota> => ({
  octets_used: octets.used, max_octets: octets.hardLimit, emails_used: count.used, max_emails: count.hardLimit,
  max_recipients_per_minute: perMinute, max_recipients_per_day: perDay,
});
