import { randomBytes } from 'node:crypto';
import { setTimeout as timer } from 'node:timers/promises';
import { defaultQuota, type QuotaAmounts } from '../../../contract/jmap/quota.ts';
import type { AccountIndex } from '../../account-index/account-index.ts';
import { accountOpener } from '../../account-index/account-opener.ts';
import type { AccountView } from '../../account-index/account-view.ts';
import { changesSince, recordsChangedSince } from '../../account-index/changes.ts';
import { commitPlan } from '../../account-index/commit.ts';
import type { AccountReader } from '../../account-index/open-account.ts';
import { appendCommit, writersIn, type CommitDependencies } from '../../account-log/append-commit.ts';
import { headKey } from '../../account-log/keys.ts';
import type { Operation, StoredTypes } from '../../account-log/records/stored-type.ts';
import { systemClock, type Clock, type Pause } from '../../runtime/clock.ts';
import { findItemIn, type Table, type Write } from '../../storage/table.ts';
import { accountIdentitiesIn, type IdentityStore } from '../account-identities.ts';
import { deliverEmails } from '../delivery/deliver-emails.ts';
import { HeldEmailContents } from '../email/held-email-contents.ts';
import { readQuota, readQuotas, setQuota } from '../quota/set-quota.ts';
import type { MailStore, RecordStore } from './mail-store.ts';
import { commitRecords } from './record-commit.ts';
import { storedTypes } from './stored-types.ts';

/** Writes the account's head and its first records as its first commit: {@link MailStore.createAccount}. */
export const createAccount = (
  dependencies: CommitDependencies,
  accountId: string,
  additionalWrites: readonly Write[],
  furtherRecords: Parameters<RecordStore['createAccount']>[2] = {},
): Promise<boolean> => {
  const { table, types, newId } = dependencies;
  const operations = [...types.values()].flatMap((type): Operation[] =>
    [...(type.records?.initialRecords?.(newId) ?? []), ...(furtherRecords[type.name] ?? [])].map((record) => ({ type, kind: 'create', record })),
  );
  return appendCommit<boolean, boolean>(dependencies, {
    async read(last, logItems) {
      const find = findItemIn(last === 'none' ? [] : await table.batchGet([headKey(accountId), ...logItems]));
      return { state: find(headKey(accountId)) !== undefined, writerOf: writersIn(types, find) };
    },
    plan: (exists) =>
      exists ? { result: false } : { changes: [{ accountId, head: undefined, operations }], additionalWrites, made: () => ({ result: true }) },
  });
};

/** An id of 96 random bits. */
const randomId = (): string => randomBytes(12).toString('base64url');

type MailStoreDependencies = {
  readonly table: Table;
  readonly types?: StoredTypes;
  /** The bucket with the indexer's snapshots. Undefined: accounts are loaded from their records. */
  readonly snapshots?: AccountReader['snapshots'];
  /** The quotas of accounts without their own quota. */
  readonly quotaDefaults?: QuotaAmounts;
  /** Seconds for which destroyed Emails can be restored. Default: 0, they can't be restored. */
  readonly recoverableSeconds?: number | undefined;
  /** Maximum characters of Email records in memory. */
  readonly heldCharacters?: number;
  readonly clock?: Clock;
  readonly newId?: () => string;
  readonly pause?: Pause;
};

/**
 * Makes a {@link MailStore} in a {@link Table}, once for each instance of a Lambda, because the store keeps opened
 * accounts in memory.
 */
export const mailStore = ({
  table,
  types = storedTypes,
  snapshots,
  quotaDefaults = defaultQuota,
  recoverableSeconds = 0,
  heldCharacters,
  clock = systemClock,
  newId = randomId,
  pause = timer,
}: MailStoreDependencies): MailStore => {
  const opener = accountOpener({ table, types, snapshots });
  const heldRecords = new HeldEmailContents(heldCharacters);
  /** The index of each view that was returned. */
  const indexes = new WeakMap<AccountView, AccountIndex>();

  const viewOf = (account: AccountIndex): AccountView => {
    const view = account.view();
    indexes.set(view, account);
    return view;
  };
  const indexOf = (view: AccountView): AccountIndex => {
    const account = indexes.get(view);
    if (!account) throw new Error('the view was opened by another store');
    return account;
  };
  const parts = { table, types, clock, newId, pause, recoverableSeconds };

  return {
    createAccount: (accountId, additionalWrites = [], furtherRecords = {}) => createAccount(parts, accountId, additionalWrites, furtherRecords),
    async open(accountId, since = []) {
      const account = await opener.open(accountId, since);
      return account && viewOf(account);
    },
    holds: (accountId) => opener.held(accountId) !== undefined,
    changes: (view, type, sinceState, maxChanges, member) => changesSince(table, indexOf(view), type, sinceState, maxChanges, member),
    changedRecords: (view, type, sinceState, member) => recordsChangedSince(table, indexOf(view), type, sinceState, member),
    async commit(view, plan) {
      const account = await commitPlan({ ...parts, reopen: (known) => opener.reopen(known) }, indexOf(view), (newest) =>
        plan(newest.sequence === view.sequence ? view : newest),
      );
      return account.head.sequence === view.sequence ? view : viewOf(account);
    },
    commitRecords: (named, plan) => commitRecords(parts, named, plan),
    emailContents: (accountId, ids) => heldRecords.read(table, accountId, ids, opener.held(accountId)),
    async deliver(accountId, email) {
      const {
        outcomes: [outcome],
      } = await deliverEmails(parts, accountId, [email], quotaDefaults);
      return outcome!;
    },
    deliverAll: (accountId, delivered) => deliverEmails(parts, accountId, delivered, quotaDefaults),
    quota: (accountId) => readQuota(table, accountId, quotaDefaults),
    quotas: (accountIds) => readQuotas(table, accountIds, quotaDefaults),
    setQuota: (accountId, changes) => setQuota(parts, accountId, changes, quotaDefaults),
  };
};

/** An {@link IdentityStore} in the mail table. */
export const storedAccountIdentities = (
  table: Table,
  { clock = systemClock, newId = randomId }: Pick<MailStoreDependencies, 'clock' | 'newId'> = {},
): IdentityStore => accountIdentitiesIn({ table, types: storedTypes, clock, newId });
