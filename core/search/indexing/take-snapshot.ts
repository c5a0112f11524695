import type { AccountOpener } from '../../account-index/account-opener.ts';
import { isSnapshotDue, parseSnapshotName, type SnapshotBounds } from '../../account-index/snapshot/snapshot-name.ts';
import { removeOldSnapshots, writeSnapshotObject } from '../../account-index/snapshot/snapshot-objects.ts';
import { updateHead } from '../../account-log/head-writes.ts';
import { decodeHead, type Head } from '../../account-log/head.ts';
import { headKey } from '../../account-log/keys.ts';
import type { Clock } from '../../runtime/clock.ts';
import { objectKeys } from '../../storage/object-keys.ts';
import type { Objects } from '../../storage/objects.ts';
import { tryWrite } from '../../storage/retry-on-conflict.ts';
import type { Table } from '../../storage/table.ts';

export type SnapshotWriter = {
  readonly table: Table;
  readonly opener: AccountOpener;
  readonly objects: Pick<Objects, 'put' | 'list' | 'remove'>;
  /** Returns a value that makes the name of a snapshot unique. */
  readonly newNonce: () => string;
  readonly clock: Clock;
  readonly bounds?: SnapshotBounds;
};

/**
 * Whether a snapshot of this commit may replace the head's snapshot: the commit is newer, of the same account, and the
 * log after it is complete.
 */
const mayReplace = (head: Head, sequence: number): boolean => {
  const named = head.snapshot === undefined ? undefined : parseSnapshotName(head.snapshot);
  return (named?.sequence ?? 0) < sequence && head.lowWater <= sequence && sequence <= head.sequence;
};

/**
 * Names the snapshot in the head.
 * @returns false when the head already names one that is as new, or the account was removed.
 */
const nameSnapshot = async (
  table: Table,
  accountId: string,
  read: Head,
  { name, sequence }: { readonly name: string; readonly sequence: number },
): Promise<boolean> => {
  for (let head = read; mayReplace(head, sequence);) {
    const { lowWater, snapshot } = head;
    if (await tryWrite(table, [updateHead(accountId, { set: { snapshot: name } }, { equals: { lowWater, snapshot } })])) return true;
    const item = await table.get(headKey(accountId));
    if (!item) return false;
    head = decodeHead(item);
  }
  return false;
};

/**
 * Writes a snapshot of the account if one is due, and names it in the head. Then older snapshots are removed.
 * @returns the head that names the new snapshot; undefined when no snapshot was written.
 */
export const takeSnapshot = async ({ table, opener, objects, newNonce, clock, bounds }: SnapshotWriter, accountId: string): Promise<Head | undefined> => {
  const account = await opener.open(accountId);
  if (!account || !isSnapshotDue(account.head, bounds)) return undefined;
  const { head } = account;
  const name = await writeSnapshotObject(objects, account, newNonce());
  if (!(await nameSnapshot(table, accountId, head, { name, sequence: head.sequence }))) {
    await objects.remove([objectKeys.snapshot(accountId, name)]);
    return undefined;
  }
  await removeOldSnapshots(objects, accountId, { kept: [name, ...(head.snapshot === undefined ? [] : [head.snapshot])], now: clock() });
  return { ...head, snapshot: name };
};
