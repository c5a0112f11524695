import type { AccountStates } from './account-states.ts';
import type { NotifiedUpTo } from './listener-record.ts';

/** New commits of an account: its newest state, and the sequence number of the last commit before them. */
export type AccountChange = { readonly account: AccountStates; readonly after: number };

/** Changes of which a listener was not notified yet. Streams repeat batches; a repeated batch has no such changes. */
export const unseenBy = (notifiedUpTo: NotifiedUpTo, changes: readonly AccountChange[]): AccountChange[] =>
  changes.filter(({ account }) => (notifiedUpTo.get(account.accountId) ?? 0) < account.sequence);

/**
 * The positions of a listener that is notified only of changes during its subscription. For an account of which it was
 * never notified, its position is the beginning of the batch.
 */
export const withBatchStarts = (notifiedUpTo: NotifiedUpTo, changes: readonly AccountChange[]): NotifiedUpTo =>
  new Map([...changes.map(({ account, after }) => [account.accountId, after] as const), ...notifiedUpTo]);
