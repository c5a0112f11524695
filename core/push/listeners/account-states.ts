import type { StateChange, TypeState } from '../../../contract/jmap/push.ts';
import { decodeHead, type States } from '../../account-log/head.ts';
import { accountOfHead, headKey } from '../../account-log/keys.ts';
import { stateString } from '../../account-log/records/state-string.ts';
import { storedTypes } from '../../mail/mail-store/stored-types.ts';
import type { Item, Table } from '../../storage/table.ts';
import type { NotifiedUpTo } from './listener-record.ts';
import { encodePushState } from './push-state.ts';

/** The sequence numbers of an account's newest commit, and of the last commit that changed each type. */
export type AccountStates = { readonly accountId: string; readonly sequence: number; readonly states: States };

/** Decodes an account's head, as the table or its stream returns it. @returns undefined for any other item. */
export const decodeAccountStates = (item: Item): AccountStates | undefined => {
  const accountId = accountOfHead(item);
  if (accountId === undefined) return undefined;
  const { sequence, states } = decodeHead(item);
  return { accountId, sequence, states };
};

/** The states of accounts, in one BatchGet. Accounts that do not exist are left out. */
export const findAccountStates = async (table: Table, accountIds: readonly string[]): Promise<AccountStates[]> =>
  (await table.batchGet([...new Set(accountIds)].map(headKey))).flatMap((item) => decodeAccountStates(item) ?? []);

/** The newest commit of each account: the positions of a client that knows all changes. */
export const currentSequences = (accounts: readonly Pick<AccountStates, 'accountId' | 'sequence'>[]): NotifiedUpTo =>
  new Map(accounts.map(({ accountId, sequence }) => [accountId, sequence]));

/**
 * New states of the types that changed after a commit (TypeState of RFC 8620 §7.1).
 * @param after sequence number of that commit. If the account has not reached this number, it belongs to an earlier
 * account with the same id: then every type changed.
 * @param types the requested types, unknown names included; null for all.
 * @returns undefined when no requested type changed.
 */
export const typeStateAfter = ({ sequence, states }: AccountStates, after: number, types: readonly string[] | null): TypeState | undefined => {
  const start = after > sequence ? 0 : after;
  const changed = Object.entries(states).filter(([type, state]) => state > start && (types === null || types.includes(type)));
  return changed.length === 0 ? undefined : Object.fromEntries(changed.map(([type, state]) => [type, stateString(type, { sequence: state })]));
};

/** The changes of one account for a notification. `sequence` is the newest commit that the notification includes. */
export type AccountStateChange = { readonly accountId: string; readonly sequence: number; readonly typeState: TypeState };

/**
 * State changes of which a client was not notified. They include every state of an account that `notifiedUpTo` does not
 * name.
 * @param types as in {@link typeStateAfter}.
 * @returns only accounts in which a requested type changed.
 */
export const stateChangesSince = (accounts: readonly AccountStates[], notifiedUpTo: NotifiedUpTo, types: readonly string[] | null): AccountStateChange[] =>
  accounts.flatMap((account) => {
    const { accountId, sequence } = account;
    const typeState = typeStateAfter(account, notifiedUpTo.get(accountId) ?? 0, types);
    return typeState ? [{ accountId, sequence, typeState }] : [];
  });

/**
 * The StateChange object for a client (RFC 8620 §7.1).
 * @param notifiedUpTo the client's position after it read the object. Without it, the object has no pushState (RFC 8887
 * §4.3.5.1), and the client keeps its own.
 */
export const toStateChange = (changes: readonly Pick<AccountStateChange, 'accountId' | 'typeState'>[], notifiedUpTo?: NotifiedUpTo): StateChange => ({
  '@type': 'StateChange',
  changed: Object.fromEntries(changes.map(({ accountId, typeState }) => [accountId, typeState])),
  ...(notifiedUpTo && { pushState: encodePushState(notifiedUpTo) }),
});

/**
 * The requested types that this server pushes. Unknown names are ignored (RFC 8620 §7.1). Null, for all types, stays
 * null.
 */
export const supportedPushTypes = (names: readonly string[] | null): readonly string[] | null =>
  names && [...storedTypes.keys()].filter((type) => names.includes(type));

/** New commits of an account: the states after them, and the sequence number of the last commit before them. */
export type AccountChange = { readonly account: AccountStates; readonly after: number };

/**
 * Changes of which a listener was not notified. Streams repeat batches; all changes of a repeated batch were notified.
 */
export const unseenBy = (notifiedUpTo: NotifiedUpTo, changes: readonly AccountChange[]): AccountChange[] =>
  changes.filter(({ account }) => (notifiedUpTo.get(account.accountId) ?? 0) < account.sequence);

/** The positions of a listener. For an account without a position, the position is the beginning of the batch. */
export const withBatchStarts = (notifiedUpTo: NotifiedUpTo, changes: readonly AccountChange[]): NotifiedUpTo =>
  new Map([...changes.map(({ account, after }) => [account.accountId, after] as const), ...notifiedUpTo]);
