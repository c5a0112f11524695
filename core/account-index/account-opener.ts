import { stateString } from '../account-log/records/state-string.ts';
import type { AccountIndex } from './account-index.ts';
import { advanceAccount, loadAccount, type AccountReader } from './open-account.ts';

/** Maximum records and accounts that one Lambda holds in memory. A record takes about 90 octets. */
const maxRecords = 1_000_000;
const maxAccounts = 200;

/** The accounts that a Lambda has opened. The least recently used account is dropped first. */
class HeldAccounts {
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
    for (const { weight } of this.#accounts.values()) records += weight;
    for (const [accountId, { weight }] of this.#accounts) {
      if (accountId === account.accountId || (records <= maxRecords && this.#accounts.size <= maxAccounts)) break;
      this.#accounts.delete(accountId);
      records -= weight;
    }
    return account;
  }
}

/** Opens accounts, and keeps them in memory. Least recently used accounts are dropped at the limits. */
export type AccountOpener = {
  /** The account in memory. {@link open} then reads only the commits that followed. */
  held(accountId: string): AccountIndex | undefined;
  /**
   * Opens the account at its newest commit.
   * @param since states from which the caller needs the log.
   * @returns undefined when the account does not exist.
   */
  open(accountId: string, since?: readonly string[]): Promise<AccountIndex | undefined>;
  /** Opens the account and keeps the log entries after the index, so that a writer can find its own entry. */
  reopen(account: AccountIndex): Promise<AccountIndex>;
};

/** Makes the opener of a Lambda, once for each instance. */
export const accountOpener = (reader: AccountReader): AccountOpener => {
  const heldAccounts = new HeldAccounts();
  const open = async (accountId: string, since: readonly string[] = []): Promise<AccountIndex | undefined> => {
    const known = heldAccounts.get(accountId);
    try {
      if (known?.isConsistent && (await advanceAccount(reader.table, known, since))) return heldAccounts.keep(known);
    } catch (error) {
      // A failed read leaves the index unchanged. A commit that could not be applied leaves it inconsistent.
      if (known?.isConsistent) throw error;
    }
    heldAccounts.drop(accountId);
    const loaded = await loadAccount(reader, accountId, since);
    return loaded && heldAccounts.keep(loaded);
  };
  return {
    held: (accountId) => heldAccounts.get(accountId),
    open,
    async reopen({ accountId, head }) {
      const newer = await open(accountId, [stateString('Log', { sequence: head.sequence })]);
      if (!newer) throw new Error(`account ${accountId} was removed`);
      return newer;
    },
  };
};
