import type { AccountIndex } from './account-index.ts';

/**
 * Maximum records and accounts that one Lambda holds in memory. A record takes about 90 octets, so all of them take
 * about 90 MB.
 */
const maxRecords = 1_000_000;
const maxAccounts = 200;

/** The accounts that a Lambda has opened. The least recently used account is dropped first. */
export class HeldAccounts {
  readonly #accounts = new Map<string, AccountIndex>();

  get(accountId: string): AccountIndex | undefined {
    return this.#accounts.get(accountId);
  }

  drop(accountId: string): void {
    this.#accounts.delete(accountId);
  }

  /** Adds the account as the most recently used one, and drops others beyond the limits. */
  keep(account: AccountIndex): AccountIndex {
    this.#accounts.delete(account.accountId);
    this.#accounts.set(account.accountId, account);
    let records = 0;
    for (const { size } of this.#accounts.values()) records += size;
    for (const [accountId, { size }] of this.#accounts) {
      if (accountId === account.accountId || (records <= maxRecords && this.#accounts.size <= maxAccounts)) break;
      this.#accounts.delete(accountId);
      records -= size;
    }
    return account;
  }
}
