import { pushTypes, type StateChange, type TypeState } from '../../../contract/jmap/push.ts';
import { changedAfter, type AccountStates } from '../../store/push/account-states.ts';
import { pushStateOf, toldBy, type Told } from '../../store/push/push-state.ts';

/** What a client knows by its own word; nothing when it says none, or what never was a push state: it is told everything then. */
export const knownBy = (pushState: string | null | undefined, accountIds: readonly string[]): Told =>
  (typeof pushState === 'string' ? toldBy(pushState, accountIds) : undefined) ?? new Map();

/** Of the types that a client asked for, those that there are; null stays null, for all. Names that a server does not know are passed over (RFC 8620 §7.1). */
export const typesThere = (names: readonly string[] | null): readonly string[] | null => names && pushTypes.filter((type) => names.includes(type));

/** Where the accounts stand. */
export const standing = (accounts: readonly AccountStates[]): Told => new Map(accounts.map(({ accountId, sequence }) => [accountId, sequence]));

/** What happened since a client was told, by account: its newest states, once for each type that changed. */
export const newsSince = (accounts: readonly AccountStates[], told: Told, types: readonly string[] | null): ReadonlyMap<string, TypeState> =>
  new Map(accounts.flatMap((account) => {
    const changed = changedAfter(account, told.get(account.accountId) ?? 0, types);
    return changed ? [[account.accountId, changed] as const] : [];
  }));

/** @param now where the client stands when it has read it; without it the client keeps the push state that it had. */
export const stateChange = (changed: ReadonlyMap<string, TypeState>, now?: Told): StateChange =>
  ({ '@type': 'StateChange', changed: Object.fromEntries(changed), ...(now && { pushState: pushStateOf(now) }) });
