import type { QuotaResource } from '../../../contract/jmap/quota.ts';
import type { AccountQuota } from './account-quota.ts';

/** New hard limits of an account; null removes its own limit, so that the deployment's holds again. */
export type QuotaChanges = { readonly [resource in QuotaResource]?: number | null };

/** The operations of the store on quotas. They read the account's head only. */
export type QuotaStore = {
  /** @returns undefined when the account does not exist. */
  quota(accountId: string): Promise<AccountQuota | undefined>;
  /**
   * Sets limits of the account's own, in one commit. Setting the same limits again changes nothing.
   * @returns undefined when the account does not exist.
   * @throws StoreConflict when other commits were first in every try.
   */
  setQuota(accountId: string, changes: QuotaChanges): Promise<AccountQuota | undefined>;
};
