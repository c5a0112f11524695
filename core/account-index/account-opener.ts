import type { AccountIndex } from './account-index.ts';
import { HeldAccounts } from './held-accounts.ts';
import { advanceAccount, loadAccount, type AccountReader } from './open-account.ts';
import { stateString } from '../account-log/records/state-string.ts';

/** Opens accounts, and holds them in memory until others need the room. */
export type AccountOpener = {
  /** The account in memory. Opening it reads only the commits that followed. */
  held(accountId: string): AccountIndex | undefined;
  /**
   * The account at its newest commit.
   * @param since states of which the log is read too.
   * @returns undefined when the account does not exist.
   */
  open(accountId: string, since?: readonly string[]): Promise<AccountIndex | undefined>;
  /** Opens the account with the log after the index, so that a writer finds its own entry in it. */
  reopen(account: AccountIndex): Promise<AccountIndex>;
};

/** A Lambda makes one at its start. */
export const accountOpener = (reader: AccountReader): AccountOpener => {
  const heldAccounts = new HeldAccounts();
  const open = async (accountId: string, since: readonly string[] = []): Promise<AccountIndex | undefined> => {
    const known = heldAccounts.get(accountId);
    try {
      if (known?.isConsistent && await advanceAccount(reader.table, known, since)) return heldAccounts.keep(known);
    } catch (error) {
      // A failed read leaves the index as it was; a commit that could not be applied does not.
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
