import { pushTypes, type PushType, type TypeState } from '../../contract/jmap/push.ts';
import { decodeHead, type States } from '../mail/head.ts';
import { accountOfHead, headKey } from '../mail/keys.ts';
import { stateAt } from '../mail/state-string.ts';
import type { Item, Table } from '../storage/table.ts';
import type { Told } from './push-state.ts';

/** How far an account has come: its newest commit, and the last one that touched each type. */
export type AccountStates = { readonly accountId: string; readonly sequence: number; readonly states: States };

/** Read from an account's head; undefined for any other item. What a stream brings is read the same way. */
export const accountStatesOf = (item: Item): AccountStates | undefined => {
  const accountId = accountOfHead(item);
  if (accountId === undefined) return undefined;
  const { sequence, states } = decodeHead(item);
  return { accountId, sequence, states };
};

/** The states of accounts in one BatchGet; accounts that are not there are left out. */
export const accountStates = async (table: Table, accountIds: readonly string[]): Promise<AccountStates[]> =>
  (await table.batchGet([...new Set(accountIds)].map(headKey))).flatMap((item) => accountStatesOf(item) ?? []);

/**
 * What changed after a commit, as RFC 8620 §7.1 tells it.
 * @param after sequence number of the last commit that was told of; one that the account has not reached is of another account of that id: everything changed.
 * @param types names that were asked for, unknown ones among them perhaps; null for all.
 * @returns undefined when nothing did that was asked for.
 */
export const changedAfter = ({ sequence, states }: AccountStates, after: number, types: readonly string[] | null): TypeState | undefined => {
  const told = after > sequence ? 0 : after;
  const changed = pushTypes.filter((type: PushType) => states[type] > told && (types === null || types.includes(type)));
  return changed.length === 0 ? undefined : Object.fromEntries(changed.map((type) => [type, stateAt(type, { sequence: states[type] })]));
};

/** Where accounts stand: what somebody was told who was told everything. */
export const standing = (accounts: readonly Pick<AccountStates, 'accountId' | 'sequence'>[]): Told => new Map(accounts.map(({ accountId, sequence }) => [accountId, sequence]));

/** What is new of an account: how far it has come, and the newest state of each type that changed. */
export type AccountNews = { readonly accountId: string; readonly sequence: number; readonly types: TypeState };

/**
 * What happened since somebody was told. An account that they were never told of is new as a whole.
 * @param types as of {@link changedAfter}.
 * @returns those accounts of which anything is new.
 */
export const newsSince = (accounts: readonly AccountStates[], told: Told, types: readonly string[] | null): AccountNews[] => accounts.flatMap((account) => {
  const { accountId, sequence } = account;
  const changed = changedAfter(account, told.get(accountId) ?? 0, types);
  return changed ? [{ accountId, sequence, types: changed }] : [];
});
