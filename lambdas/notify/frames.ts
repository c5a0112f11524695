import type { StateChange, TypeState } from '../../contract/jmap/push.ts';
import type { OwnStateChangeFrame } from '../../contract/jmap/web-socket.ts';
import { changedAfter, standing } from '../../core/push/account-states.ts';
import { pushStateOf, type Told } from '../../core/push/push-state.ts';
import type { Socket } from '../../core/push/socket.ts';
import type { Change } from './news.ts';

/** What a socket is to be sent, and what it was told of then. */
export type Telling = { readonly frames: readonly string[]; readonly told: Told };

/**
 * What is new to a listener; what it was told of before is not, so that a batch that comes again repeats nothing.
 * @param unknown what of an account that it was never told of: all there is, or what the batch brings.
 */
export const newTo = (told: Told, changes: readonly Change[], unknown: 'all' | 'batch'): Change[] => changes.flatMap((change) => {
  const after = told.get(change.account.accountId) ?? (unknown === 'all' ? 0 : change.after);
  return after < change.account.sequence ? [{ ...change, after }] : [];
});

const changedIn = ({ account, after }: Change, types: readonly string[] | null): TypeState | undefined => changedAfter(account, after, types);

/** RFC 8887 §4.3.5.1: all accounts in one, when the client has asked for it and anything is of a type that it wants. */
const stateChange = ({ dataTypes, told }: Socket, changes: readonly Change[]): StateChange | undefined => {
  if (dataTypes === undefined) return undefined;
  const changed = changes.flatMap((change) => {
    const types = changedIn(change, dataTypes);
    return types ? [[change.account.accountId, types] as const] : [];
  });
  if (changed.length === 0) return undefined;
  return { '@type': 'StateChange', changed: Object.fromEntries(changed), pushState: pushStateOf(new Map([...told, ...standing(accountsOf(changes))])) };
};

/** The service's own frame: what is new of the types of all subscriptions to that account (docs/specification.md#websocket). */
const ownStateChange = ({ subscriptions }: Socket, change: Change): OwnStateChangeFrame[] => {
  const { accountId } = change.account;
  const types = subscriptions.filter((subscription) => subscription.accountId === accountId).flatMap((subscription) => subscription.types);
  const changes = changedIn(change, types);
  return changes ? [{ stateChange: { accountId, changes } }] : [];
};

const accountsOf = (changes: readonly Change[]) => changes.map(({ account }) => account);

/**
 * What to send to a socket of these changes; undefined for nothing. A pushState says of each account in it that its client knows everything up to there, so
 * the first StateChange of an account tells all of it.
 */
export const tellingOf = (socket: Socket, changes: readonly Change[]): Telling | undefined => {
  const news = newTo(socket.told, changes, socket.dataTypes === undefined ? 'batch' : 'all');
  const frames = [stateChange(socket, news) ?? [], ...news.map((change) => ownStateChange(socket, change))].flat();
  return frames.length === 0 ? undefined : { frames: frames.map((frame) => JSON.stringify(frame)), told: standing(accountsOf(news)) };
};
