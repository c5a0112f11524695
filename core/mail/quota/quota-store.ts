import type { QuotaResource } from '../../../contract/jmap/quota.ts';
import type { AccountQuota } from './account-quota.ts';

/**
 * New hard limits of an account. Null removes the account's own limit, so that the deployment's limit applies again.
 */
export type QuotaChanges = { readonly [resource in QuotaResource]?: number | null };

/** The operations of the store on quotas. They read the account's head only. */
export type QuotaStore = {
  /** @returns undefined when the account does not exist. */
  quota(accountId: string): Promise<AccountQuota | undefined>;
  /**
   * Sets the account's own limits, in one commit. Setting the same limits again changes nothing.
   * @returns undefined when the account does not exist.
   * @throws StoreConflict when other commits were first in every try.
   */
  setQuota(accountId: string, changes: QuotaChanges): Promise<AccountQuota | undefined>;
};
