import { randomBytes } from 'node:crypto';
import { setTimeout as timer } from 'node:timers/promises';
import { systemClock, type Clock } from '../runtime/clock.ts';
import type { Pause } from '../storage/retry-on-conflict.ts';
import type { Table } from '../storage/table.ts';
import type { AccountIndex } from './account-index.ts';
import { changesSince } from './changes.ts';
import { commitPlan } from './commit.ts';
import { createAccount } from './create-account.ts';
import { deliverEmail } from './email/deliver-email.ts';
import { readEmailRecords } from './email/email-record.ts';
import { HeldAccounts } from './held-accounts.ts';
import type { AccountView, MailStore } from './mail-store.ts';
import { advanceAccount, loadAccount } from './open-account.ts';
import { stateString } from './state-string.ts';
import type { StoredTypes } from './stored-type.ts';
import { storedTypes } from './stored-types.ts';

/** 96 random bits. */
const randomId = (): string => randomBytes(12).toString('base64url');

type MailStoreOptions = {
  readonly table: Table;
  readonly types?: StoredTypes;
  readonly clock?: Clock;
  readonly newId?: () => string;
  readonly pause?: Pause;
};

/**
 * A {@link MailStore} in a {@link Table}. A Lambda makes one at its start, because the store holds the opened accounts
 * in memory.
 */
export const mailStore = (
  { table, types = storedTypes, clock = systemClock, newId = randomId, pause = timer }: MailStoreOptions,
): MailStore => {
  const heldAccounts = new HeldAccounts();
  /** The index of each view that was returned. */
  const indexes = new WeakMap<AccountView, AccountIndex>();

  const openIndex = async (accountId: string, since: readonly string[]): Promise<AccountIndex | undefined> => {
    const known = heldAccounts.get(accountId);
    try {
      if (known?.isConsistent && await advanceAccount(table, known, since)) return heldAccounts.keep(known);
    } catch (error) {
      // A failed read leaves the index as it was; a commit that could not be applied does not.
      if (known?.isConsistent) throw error;
    }
    heldAccounts.drop(accountId);
    const loaded = await loadAccount(table, types, accountId, since);
    return loaded && heldAccounts.keep(loaded);
  };
  /** Opens the account with the log after the index, so that a writer finds its own entry in it. */
  const reopen = async ({ accountId, head }: AccountIndex): Promise<AccountIndex> => {
    const newer = await openIndex(accountId, [stateString('Log', { sequence: head.sequence })]);
    if (!newer) throw new Error(`account ${accountId} was removed`);
    return newer;
  };
  const viewOf = (account: AccountIndex): AccountView => {
    const view = account.view();
    indexes.set(view, account);
    return view;
  };
  const indexOf = (view: AccountView): AccountIndex => {
    const account = indexes.get(view);
    if (!account) throw new Error('another store opened this view');
    return account;
  };
  const parts = { table, types, clock, newId, pause };

  return {
    createAccount: (accountId, additionalWrites = []) => createAccount(parts, accountId, additionalWrites),
    async open(accountId, since = []) {
      const account = await openIndex(accountId, since);
      return account && viewOf(account);
    },
    holds: (accountId) => heldAccounts.get(accountId) !== undefined,
    changes: (view, type, sinceState, maxChanges) => changesSince(table, indexOf(view), type, sinceState, maxChanges),
    async commit(view, plan) {
      const account = await commitPlan(
        { ...parts, reopen }, indexOf(view), (newest) => plan(newest.sequence === view.sequence ? view : newest),
      );
      return account.head.sequence === view.sequence ? view : viewOf(account);
    },
    emailRecords: (accountId, ids) => readEmailRecords(table, accountId, ids),
    deliver: (accountId, email) => deliverEmail(parts, accountId, email),
  };
};
