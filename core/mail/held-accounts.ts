import type { AccountIndex } from './account-index.ts';

/** What a Lambda holds of the accounts it has opened: some 90 octets a message, so at most about 90 MB. */
const mostMessages = 1_000_000;
const mostAccounts = 200;

/** The accounts opened last; those not asked for the longest are let go first. */
export class HeldAccounts {
  readonly #accounts = new Map<string, AccountIndex>();

  get(accountId: string): AccountIndex | undefined {
    return this.#accounts.get(accountId);
  }

  drop(accountId: string): void {
    this.#accounts.delete(accountId);
  }

  /** Holds the account as the one asked for last. */
  keep(index: AccountIndex): AccountIndex {
    this.#accounts.delete(index.accountId);
    this.#accounts.set(index.accountId, index);
    let messages = 0;
    for (const { emails } of this.#accounts.values()) messages += emails.size;
    for (const [accountId, { emails }] of this.#accounts) {
      if (accountId === index.accountId || (messages <= mostMessages && this.#accounts.size <= mostAccounts)) break;
      this.#accounts.delete(accountId);
      messages -= emails.size;
    }
    return index;
  }
}
