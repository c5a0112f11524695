import { randomBytes } from 'node:crypto';
import { setTimeout as timer } from 'node:timers/promises';
import { systemClock, type Clock } from '../runtime/clock.ts';
import type { Pause } from '../storage/retry-on-conflict.ts';
import type { Table } from '../storage/table.ts';
import { createAccount } from './create-account.ts';
import type { AccountIndex } from './account-index.ts';
import { changesSince } from './changes.ts';
import { commitPlan } from './commit.ts';
import { deliverEmail } from './email/deliver-email.ts';
import { HeldAccounts } from './held-accounts.ts';
import { emailKey } from './keys.ts';
import type { AccountView, MailStore } from './mail-store.ts';
import { advance, load } from './open-account.ts';
import { decodeRecord } from './rows.ts';
import { stateAt } from './state-string.ts';

/** 96 random bits. */
const randomId = (): string => randomBytes(12).toString('base64url');

type Parts = { readonly table: Table; readonly now?: Clock; readonly newId?: () => string; readonly pause?: Pause };

/** The {@link MailStore} over a {@link Table}. One for the life of a Lambda: it holds the accounts it has opened in memory. */
export const mailStore = ({ table, now = systemClock, newId = randomId, pause = timer }: Parts): MailStore => {
  const held = new HeldAccounts();
  /** The index behind each view that was handed out. */
  const behind = new WeakMap<AccountView, AccountIndex>();

  const indexOf = async (accountId: string, since: readonly string[]): Promise<AccountIndex | undefined> => {
    const known = held.get(accountId);
    if (known && await advance(table, known, since)) return held.keep(known);
    held.drop(accountId);
    const loaded = await load(table, accountId, since);
    return loaded && held.keep(loaded);
  };
  const reopen = async (index: AccountIndex): Promise<AccountIndex> => {
    const newer = await indexOf(index.accountId, [stateAt('Email', { sequence: index.head.sequence })]);
    if (!newer) throw new Error(`account ${index.accountId} is gone`);
    return newer;
  };
  const viewOf = (index: AccountIndex): AccountView => {
    const view = index.view();
    behind.set(view, index);
    return view;
  };
  const indexBehind = (view: AccountView): AccountIndex => {
    const index = behind.get(view);
    if (!index) throw new Error('the view is not of this store');
    return index;
  };

  return {
    createAccount: (accountId, also = []) => createAccount(table, accountId, now, newId, pause, also),
    async open(accountId, since = []) {
      const index = await indexOf(accountId, since);
      return index && viewOf(index);
    },
    changes: (view, type, sinceState, maxChanges) => changesSince(table, indexBehind(view), type, sinceState, maxChanges),
    async emailRecords(accountId, ids) {
      const items = await table.batchGet([...new Set(ids)].map((id) => emailKey(accountId, id)));
      return new Map(items.flatMap((item) => {
        const record = decodeRecord(item);
        return record ? [[record.id, record] as const] : [];
      }));
    },
    async commit(view, plan) {
      const index = await commitPlan({ table, now, newId, pause, reopen }, indexBehind(view), (newest) => plan(newest.sequence === view.sequence ? view : newest));
      return index.head.sequence === view.sequence ? view : viewOf(index);
    },
    deliver: (accountId, email) => deliverEmail({ table, now, newId, pause }, accountId, email),
  };
};
