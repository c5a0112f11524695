import { defaultQuota, quotaResources, type QuotaAmounts, type QuotaResource } from '../../../contract/jmap/quota.ts';
import type { Head } from '../../account-log/head.ts';
import { RecordRefused } from '../../account-log/records/record-refused.ts';
import type { Indexes, Operation, RevalidateRemaining } from '../../account-log/records/stored-type.ts';
import { optionalSetting } from '../../runtime/lambda/settings.ts';
import type { EmailRow } from '../email/email-content.ts';
import { emailsOf, emailType } from '../email/email-type.ts';
import { ownQuotaOf } from './quota-type.ts';

/**
 * New hard limits of an account. Null removes the account's own limit, so that the deployment's limit applies again.
 */
export type QuotaChanges = { readonly [resource in QuotaResource]?: number | null };

/** The operations of the store on quotas. They read the account's head only. */
export type QuotaStore = {
  /** @returns undefined when the account does not exist. */
  quota(accountId: string): Promise<AccountQuota | undefined>;
  /** The quotas of accounts, in one read, by account id. Accounts that do not exist are left out. */
  quotas(accountIds: readonly string[]): Promise<ReadonlyMap<string, AccountQuota>>;
  /**
   * Sets the account's own limits, in one commit. Setting the same limits again changes nothing.
   * @returns undefined when the account does not exist.
   * @throws StoreConflict when each attempt lost the race with another commit.
   */
  setQuota(accountId: string, changes: QuotaChanges): Promise<AccountQuota | undefined>;
};

/** The use and the hard limit of one resource. */
type QuotaUse = { readonly used: number; readonly hardLimit: number };
/** The use and the hard limits of an account. */
export type AccountQuota = { readonly [resource in QuotaResource]: QuotaUse };

const quotaOf = (used: QuotaAmounts, own: Partial<QuotaAmounts>, defaults: QuotaAmounts): AccountQuota => ({
  octets: { used: used.octets, hardLimit: own.octets ?? defaults.octets },
  count: { used: used.count, hardLimit: own.count ?? defaults.count },
});

/** The quota of an account in memory. @param defaults the limits of the deployment. */
export const quotaOfAccount = (account: Indexes, defaults: QuotaAmounts): AccountQuota => {
  const emails = emailsOf(account);
  const own = Object.fromEntries(
    ownQuotaOf(account)
      .all()
      .map(({ id, hardLimit }) => [id, hardLimit]),
  );
  return quotaOf({ octets: emails.octets, count: emails.size }, own, defaults);
};

/** The quota of an account, from its head. */
export const quotaOfHead = ({ bytes, messages, quota = {} }: Head, defaults: QuotaAmounts): AccountQuota =>
  quotaOf({ octets: bytes, count: messages }, quota, defaults);

/**
 * The resource whose limit would be exceeded by one more message of this size.
 * @returns undefined when there is room.
 */
export const exceededResource = (quota: AccountQuota, octets: number): QuotaResource | undefined => {
  const amounts: QuotaAmounts = { octets, count: 1 };
  return quotaResources.find((resource) => quota[resource].used + amounts[resource] > quota[resource].hardLimit);
};

/** The quota after one more message of this size. */
export const quotaAfter = ({ octets, count }: AccountQuota, size: number): AccountQuota => ({
  octets: { ...octets, used: octets.used + size },
  count: { ...count, used: count.used + 1 },
});

const units: { readonly [resource in QuotaResource]: string } = { octets: 'octets', count: 'messages' };

/**
 * Counts new and destroyed Emails of a change set against the account's quota. It is valid for one view of the account.
 */
export class QuotaRoom {
  #quota: AccountQuota;

  constructor(account: Indexes, defaults: QuotaAmounts) {
    this.#quota = quotaOfAccount(account, defaults);
  }

  /** Counts one more Email. @throws RecordRefused overQuota (RFC 8620 §5.3). */
  take(size: number): void {
    const exceeded = exceededResource(this.#quota, size);
    if (exceeded) {
      throw new RecordRefused(
        'overQuota',
        `The account is full: it may have at most ${this.#quota[exceeded].hardLimit} ${units[exceeded]}. Delete messages, also from Trash, then try again.`,
      );
    }
    this.#quota = quotaAfter(this.#quota, size);
  }

  /** Subtracts an Email that the same change set destroys. */
  release(size: number): void {
    const { octets, count } = this.#quota;
    this.#quota = { octets: { ...octets, used: octets.used - size }, count: { ...count, used: count.used - 1 } };
  }
}

/** Checks the remaining Emails of a partly written commit against the account's quota. */
export const revalidateQuota =
  (defaults: QuotaAmounts): RevalidateRemaining =>
  (account, remaining) => {
    const room = new QuotaRoom(account, defaults);
    const isOfEmails = (operation: Operation): operation is Operation<EmailRow> => operation.type.name === emailType.name;
    for (const operation of remaining) if (isOfEmails(operation) && operation.kind === 'destroy') room.release(operation.from.size);
    return (operation) => {
      if (isOfEmails(operation) && operation.kind === 'create') room.take(operation.record.size);
    };
  };

const isComplete = (amounts: Partial<QuotaAmounts>): amounts is QuotaAmounts => quotaResources.every((resource) => Number.isSafeInteger(amounts[resource]));

/** The limits of the deployment. @throws Error when the setting is not JSON with a number for each resource. */
export const quotaSetting = (): QuotaAmounts => {
  const text = optionalSetting('accountQuota');
  if (text === undefined) return defaultQuota;
  const amounts: Partial<QuotaAmounts> = JSON.parse(text);
  if (!isComplete(amounts)) throw new Error('the setting accountQuota is not valid');
  return amounts;
};
