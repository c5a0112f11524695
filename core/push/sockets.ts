import { ownWebSocketLimits } from '../../contract/jmap/core.ts';
import { connectionKey, type Connection } from './connections.ts';
import { conflict, retryOnConflict } from '../storage/retry-on-conflict.ts';
import { WriteRefused, type Table, type Write } from '../storage/table.ts';
import type { Told } from './push-state.ts';
import { decodeSocket, socketKey, type OwnSubscription } from './socket.ts';

/** The connection that wants to be told. */
export type Connected = Pick<Connection, 'connectionId' | 'principalId'>;

type Outcome = 'done' | 'refused' | 'closed' | typeof conflict;

const outcomeOf = async (writing: Promise<void>, indexOfConnection?: number): Promise<Outcome> => {
  try {
    await writing;
    return 'done';
  } catch (error) {
    if (!(error instanceof WriteRefused)) throw error;
    if (indexOfConnection !== undefined && error.failed.includes(indexOfConnection)) return 'closed';
    return error.contended ? conflict : 'refused';
  }
};

/** A listener never outlives its connection: it is written only together with the proof that the connection is there. */
const writeWhileOpen = (table: Table, { connectionId }: Connected, write: Write): Promise<Outcome> =>
  outcomeOf(table.write([{ check: connectionKey(connectionId), if: { present: true } }, write]), 0);

/**
 * Has a socket told of changes from now on, by the frames of RFC 8887.
 * @param dataTypes null for all.
 * @param told what its client knows already.
 * @returns false when the connection is closed.
 */
export const enablePush = async (table: Table, connected: Connected, dataTypes: readonly string[] | null, told: Told): Promise<boolean> =>
  await retryOnConflict(() => writeWhileOpen(table, connected, {
    update: socketKey(connected), set: { dataTypes, told: Object.fromEntries(told) }, if: { present: true },
  })) === 'done';

/** Ends what {@link enablePush} began; subscriptions of the service's own kind stay. */
export const disablePush = async (table: Table, connected: Connected): Promise<void> => {
  await retryOnConflict(() => outcomeOf(table.write([{ update: socketKey(connected), remove: ['dataTypes'], if: { present: true } }])));
};

/** Reads the subscriptions and writes what becomes of them, again when another change came between. */
const changeSubscriptions = <Refusal extends string>(
  table: Table, connected: Connected, change: (now: readonly OwnSubscription[]) => readonly OwnSubscription[] | Refusal,
): Promise<'done' | 'closed' | Refusal> => retryOnConflict(async () => {
  const item = await table.get(socketKey(connected));
  if (!item) return 'closed';
  const { subscriptions, revision } = decodeSocket(connected.principalId, item);
  const changed = change(subscriptions);
  if (typeof changed === 'string') return changed;
  const outcome = await writeWhileOpen(table, connected, {
    update: socketKey(connected), set: { subscriptions: changed }, add: { revision: 1 },
    if: revision === undefined ? { lacks: 'revision' } : { equals: { revision } },
  });
  return outcome === 'refused' ? conflict : outcome;
});

/** Adds a subscription of the service's own kind, or puts it in the place of the one with the same id. */
export const subscribe = (table: Table, connected: Connected, subscription: OwnSubscription): Promise<'done' | 'closed' | 'tooMany'> =>
  changeSubscriptions<'tooMany'>(table, connected, (now) => {
    const others = now.filter(({ id }) => id !== subscription.id);
    return others.length < ownWebSocketLimits.maxSubscriptions ? [...others, subscription] : 'tooMany';
  });

/** Takes a subscription away; one that is not there is none afterwards either. */
export const unsubscribe = (table: Table, connected: Connected, id: string): Promise<'done' | 'closed'> =>
  changeSubscriptions<never>(table, connected, (now) => now.filter((subscription) => subscription.id !== id));
