import type { AccountIndex } from './account-index.ts';

/** What one Lambda holds in memory: records at some 90 octets each, so about 90 MB at most, and accounts. */
const maxRecords = 1_000_000;
const maxAccounts = 200;

/** The accounts that a Lambda has opened. The one that was used least recently is dropped first. */
export class HeldAccounts {
  readonly #accounts = new Map<string, AccountIndex>();

  get(accountId: string): AccountIndex | undefined {
    return this.#accounts.get(accountId);
  }

  drop(accountId: string): void {
    this.#accounts.delete(accountId);
  }

  /** Keeps the account as the one used last. */
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
