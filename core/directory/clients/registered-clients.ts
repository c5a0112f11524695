import { directoryKeys, directoryPartitions } from '../../../contract/deployment/keys.ts';
import { registrationLimits } from '../../../contract/oauth/registration.ts';
import { utcDayOf, type Clock } from '../../runtime/clock.ts';
import { rowOf, WriteRefused, type Item, type Table, type Write } from '../../storage/table.ts';

/**
 * A client that registered itself, by its client id: its registration, and the time of its last use. It is kept while
 * the identity provider may issue tokens to the client.
 */
export type RegisteredClientUse = {
  readonly clientId: string;
  readonly fingerprint: string;
  /** The name with which it registered. */
  readonly name: string;
  readonly registeredAt: Date;
  /** The last day, in UTC, on which tokens were issued to the client: `2026-11-22`. */
  readonly usedOn: string | undefined;
  /** The time at which the removal of the client began; undefined while it is registered. */
  readonly removedAt: Date | undefined;
};

/** The reason why a client is removed. */
export type RemovalReason = 'never used' | 'unused';

/** Clients that registered themselves, in the items `registered-client`/client_id of the directory. */
export type RegisteredClients = {
  /** Finds a client. @returns undefined for a client that did not register itself. */
  find(clientId: string): Promise<RegisteredClientUse | undefined>;
  /** Finds those clients that are registered and not being removed. */
  findRegistered(clientIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Lists all clients, including those whose removal has begun. */
  list(): Promise<RegisteredClientUse[]>;
  /**
   * Records that the client gets tokens today. It writes at most once for a client and day, except in concurrent calls.
   */
  recordUse(client: RegisteredClientUse): Promise<void>;
  /** Deletes a client whose removal is complete. */
  forget(client: RegisteredClientUse): Promise<void>;
};

const partition = directoryPartitions.registeredClients;
const day = 24 * 60 * 60 * 1000;

const keyOf = directoryKeys.registeredClient;
const timeOf = (time: string | undefined): Date | undefined => (time === undefined ? undefined : new Date(time));

/** The attributes of the item `registered-client`/client_id. */
type ClientRow = {
  readonly fingerprint: string;
  readonly client_name: string;
  readonly registered_at: string;
  readonly used_on?: string;
  readonly is_removed?: boolean;
  readonly removed_at?: string;
};

const clientRow = rowOf<ClientRow>;

const clientOf = (item: Item): RegisteredClientUse => {
  const { fingerprint, client_name: name, registered_at: registeredAt, used_on: usedOn, removed_at: removedAt } = clientRow(item);
  return { clientId: item.sk, fingerprint, name, registeredAt: new Date(registeredAt), usedOn, removedAt: timeOf(removedAt) };
};

/** The write that records a client after its registration, which may follow an interrupted removal. */
export const recordRegisteredClient = (clientId: string, fingerprint: string, name: string, registeredAt: Date): Write => ({
  put: { ...keyOf(clientId), fingerprint, client_name: name, registered_at: registeredAt.toISOString() },
  if: [{ absent: true }, { equals: { is_removed: true } }],
});

/** Marks a client as being removed, unless it was used since it was read. */
export const markRemoved = ({ clientId, usedOn }: RegisteredClientUse, now: Date): Write => ({
  update: keyOf(clientId),
  set: { is_removed: true, removed_at: now.toISOString() },
  if: usedOn === undefined ? { lacks: 'used_on' } : { equals: { used_on: usedOn } },
});

/**
 * The reason why a client must be removed now (docs/specification.md#client-registration). Undefined for a client that
 * is kept.
 */
export const removalReasonOf = ({ registeredAt, usedOn }: RegisteredClientUse, now: Date): RemovalReason | undefined => {
  const { neverUsedDays, unusedDays } = registrationLimits;
  if (usedOn !== undefined) return now.getTime() - Date.parse(usedOn) >= (unusedDays + 1) * day ? 'unused' : undefined;
  return now.getTime() - registeredAt.getTime() >= neverUsedDays * day ? 'never used' : undefined;
};

/** Makes a write. A failed condition is ignored, because the write is then no longer needed. */
const writeUnlessChanged = async (table: Table, write: Write): Promise<void> => {
  try {
    await table.write([write]);
  } catch (error) {
    if (!(error instanceof WriteRefused)) throw error;
  }
};

export const registeredClientsIn = (table: Table, clock: Clock): RegisteredClients => ({
  async find(clientId) {
    const [item] = await table.batchGet([keyOf(clientId)]);
    return item && clientOf(item);
  },
  findRegistered: async (clientIds) => new Set((await table.batchGet(clientIds.map(keyOf))).filter((item) => item['is_removed'] !== true).map(({ sk }) => sk)),
  list: async () => (await table.query({ pk: partition })).map(clientOf),
  async recordUse({ clientId, fingerprint, usedOn, removedAt }) {
    const today = utcDayOf(clock().toISOString());
    if (removedAt !== undefined || usedOn === today) return;
    await writeUnlessChanged(table, {
      update: keyOf(clientId),
      set: { used_on: today },
      if: { equals: usedOn === undefined ? { fingerprint } : { used_on: usedOn } },
    });
  },
  forget: ({ clientId }) => writeUnlessChanged(table, { delete: keyOf(clientId), if: { equals: { is_removed: true } } }),
});
