import { directoryKeys, directoryPartitions } from '../../../contract/deployment/keys.ts';
import { registrationLimits } from '../../../contract/oauth/registration.ts';
import type { Clock } from '../../runtime/clock.ts';
import { retryOnConflict, tryWrite } from '../../storage/retry-on-conflict.ts';
import { itemOf, rowOf, WriteRefused, type Table, type Write } from '../../storage/table.ts';
import { markRemoved, recordRegisteredClient, type RegisteredClientUse } from './registered-clients.ts';

/** A client that has registered itself. The registration is removed when the client is not used. */
export type RegisteredClient = {
  readonly clientId: string;
  readonly registeredAt: Date;
  readonly redirectUris: readonly string[];
  /** The version of the app client's settings. */
  readonly settingsVersion: string;
};

/** The stored part of a client's metadata, and the version of the app client's settings. */
export type ClientDescription = { readonly name: string; readonly redirectUris: readonly string[]; readonly settingsVersion: string };

export type ReservationOutcome =
  | { readonly kind: 'registered'; readonly client: RegisteredClient }
  /** Another request holds the reservation. */
  | { readonly kind: 'in progress' }
  /** The caller now holds the reservation. `isRepeated`: an earlier holder may have created the app client. */
  | { readonly kind: 'reserved'; readonly isRepeated: boolean }
  /** The limit of new registrations, of the deployment or of the caller's network, is reached until `until`. */
  | { readonly kind: 'cap reached'; readonly of: 'deployment' | 'network'; readonly until: Date };

/**
 * Registrations of clients, by the fingerprint of their metadata. A registration has three items, which are written in
 * one transaction:
 * - `client-registration`/fingerprint: a reservation with a lease, and later the registration.
 * - `registered-client`/client_id: the registration by client id ({@link RegisteredClients}).
 * - `client-registration-cap`/`slots`: a slot for each reservation and for each registration of the last 24 hours.
 * A holder that has lost its reservation or its slot cannot complete a registration.
 */
export type ClientRegistrations = {
  /**
   * Finds the registration, or reserves it for the holder.
   * @param network the caller's network (`network-digest.ts`).
   * @throws StoreConflict when every attempt conflicts.
   */
  reserve(fingerprint: string, holder: string, network: string): Promise<ReservationOutcome>;
  /**
   * Records the app client that was created under the reservation.
   * @returns false when the holder has lost the reservation. Nothing is recorded, and the client id must not be
   * returned to anyone.
   */
  complete(fingerprint: string, holder: string, clientId: string, description: ClientDescription): Promise<RegisteredClient | false>;
  /** Lists the registrations whose app clients have settings of another version, with their fingerprints. */
  listOutdated(settingsVersion: string): Promise<(RegisteredClient & { readonly fingerprint: string })[]>;
  /** Records that the app client of a registration has settings of this version. It does nothing for another app client. */
  recordSettings(fingerprint: string, clientId: string, settingsVersion: string): Promise<void>;
  /**
   * Releases the reservation and its slot, if the holder still has them.
   * @param mayExist whether the app client may have been created; then the next holder looks for it.
   */
  release(fingerprint: string, holder: string, mayExist: boolean): Promise<void>;
  /**
   * Replaces a registration by a reservation of the holder, with the additional writes. The reservation ends with
   * `release` or with the lease. The caller then removes the app client.
   * @returns false if the client was used or registered again since it was read.
   */
  beginRemoval(client: RegisteredClientUse, holder: string, additionalWrites: readonly Write[]): Promise<boolean>;
  /**
   * Blocks registrations of the fingerprint until `release`, or until the lease ends. A registered fingerprint needs no
   * block, because no request creates or looks for its app client.
   * @returns false while a registration is in progress.
   */
  blockForSweep(fingerprint: string, holder: string): Promise<boolean>;
  /** The number of new registrations that count towards the limit of the deployment now. */
  countNew(): Promise<number>;
  /** Removes reservations whose lease has ended. @returns the number of removed reservations. */
  removeExpired(): Promise<number>;
};

/** Milliseconds of the lease of a reservation: longer than the timeout of the identity provider. */
export const reservationLease = 12_000;

/** Milliseconds for which a sweep blocks a registration: longer than a sweep can run. */
export const sweepLease = 15 * 60_000;

const { newInWindow, newOfNetwork, windowSeconds } = registrationLimits;

/** A slot. `until`: the end of the lease, or 24 hours after the registration, in milliseconds since 1970. */
type Slot = { readonly holder: string; readonly network: string; readonly until: number; readonly isRegistered: boolean };

const partition = directoryPartitions.clientRegistrations;
const registrationKey = directoryKeys.clientRegistration;
const capKey = directoryKeys.clientRegistrationCap;

/** The attributes of the item `client-registration`/fingerprint. */
type RegistrationRow = ReservedRow | RegisteredRow;
type ReservedRow = { readonly state: 'reserved'; readonly holder: string; readonly lease_until: number };
type RegisteredRow = {
  readonly state: 'registered';
  readonly client_id: string;
  readonly client_name: string;
  readonly redirect_uris: readonly string[];
  readonly registered_at: string;
  readonly settings_version: string;
};

const registrationRow = rowOf<RegistrationRow>;

type CapRow = { readonly slots: readonly Slot[]; readonly version: number };

const capRow = rowOf<CapRow>;

const clientOf = (row: RegisteredRow): RegisteredClient => ({
  clientId: row.client_id,
  registeredAt: new Date(row.registered_at),
  redirectUris: row.redirect_uris,
  settingsVersion: row.settings_version,
});

const isHeld = (row: ReservedRow | undefined, now: number): boolean => row !== undefined && row.lease_until > now;

const slotsOf = (cap: CapRow | undefined): readonly Slot[] => cap?.slots ?? [];

/**
 * The maximum that the slots have reached, until the earliest of them ends; undefined when there is room for the
 * network.
 */
const reachedCap = (slots: readonly Slot[], network: string): ReservationOutcome | undefined => {
  const ofNetwork = slots.filter((slot) => slot.network === network);
  const until = (full: readonly Slot[]): Date => new Date(Math.min(...full.map((slot) => slot.until)));
  if (slots.length >= newInWindow) return { kind: 'cap reached', of: 'deployment', until: until(slots) };
  return ofNetwork.length >= newOfNetwork ? { kind: 'cap reached', of: 'network', until: until(ofNetwork) } : undefined;
};

const capWrite = (cap: CapRow | undefined, slots: readonly Slot[]): Write => ({
  put: itemOf(capKey, { slots, version: (cap?.version ?? 0) + 1 } satisfies CapRow),
  if: cap ? { equals: { version: cap.version } } : { absent: true },
});

/** The condition that the holder has the reservation. */
const heldBy = (holder: string) => ({ equals: { state: 'reserved', holder } }) as const;

const reservation = (fingerprint: string, holder: string, until: number, current: ReservedRow | undefined): Write => ({
  put: itemOf(registrationKey(fingerprint), { state: 'reserved', holder, lease_until: until } satisfies RegistrationRow),
  if: current ? heldBy(current.holder) : { absent: true },
});

const currentSlots = (cap: CapRow | undefined, now: number): readonly Slot[] => slotsOf(cap).filter((slot) => slot.until > now);

const readRegistration = async (table: Table, fingerprint: string): Promise<{ current: RegistrationRow | undefined; cap: CapRow | undefined }> => {
  const items = await table.batchGet([registrationKey(fingerprint), capKey]);
  const [current, cap] = [partition, capKey.pk].map((kind) => items.find(({ pk }) => pk === kind));
  return { current: current && registrationRow(current), cap: cap && capRow(cap) };
};

const reserve = async (table: Table, clock: Clock, fingerprint: string, holder: string, network: string): Promise<ReservationOutcome> => {
  const { current, cap } = await readRegistration(table, fingerprint);
  if (current?.state === 'registered') return { kind: 'registered', client: clientOf(current) };
  // The lease begins after the read, so that it is as long as the identity provider needs.
  const now = clock().getTime();
  if (isHeld(current, now)) return { kind: 'in progress' };
  const slots = currentSlots(cap, now);
  const full = reachedCap(slots, network);
  if (full) return full;
  const until = now + reservationLease;
  await table.write([reservation(fingerprint, holder, until, current), capWrite(cap, [...slots, { holder, network, until, isRegistered: false }])]);
  return { kind: 'reserved', isRepeated: current !== undefined };
};

const complete = async (
  table: Table,
  clock: Clock,
  fingerprint: string,
  holder: string,
  clientId: string,
  { name, redirectUris, settingsVersion }: ClientDescription,
): Promise<RegisteredClient | false> => {
  const item = await table.get(capKey);
  const cap = item && capRow(item);
  const slots = slotsOf(cap);
  // The lease has ended and another registration has the slot, so this one would exceed the maximum.
  if (!slots.some((slot) => slot.holder === holder && !slot.isRegistered)) return false;
  const registeredAt = clock();
  const until = registeredAt.getTime() + windowSeconds * 1000;
  const record: RegisteredRow = {
    state: 'registered',
    client_id: clientId,
    client_name: name,
    redirect_uris: redirectUris,
    registered_at: registeredAt.toISOString(),
    settings_version: settingsVersion,
  };
  try {
    await table.write([
      { put: { ...registrationKey(fingerprint), ...record }, if: heldBy(holder) },
      recordRegisteredClient(clientId, fingerprint, name, registeredAt),
      capWrite(
        cap,
        slots.map((slot) => (slot.holder === holder && !slot.isRegistered ? { ...slot, until, isRegistered: true } : slot)),
      ),
    ]);
  } catch (error) {
    if (error instanceof WriteRefused && error.failed.includes(0)) return false;
    throw error;
  }
  return { clientId, registeredAt, redirectUris, settingsVersion };
};

const release = async (table: Table, fingerprint: string, holder: string, mayExist: boolean): Promise<void> => {
  const { current, cap } = await readRegistration(table, fingerprint);
  const slots = slotsOf(cap);
  const others = slots.filter((slot) => slot.holder !== holder || slot.isRegistered);
  const isOurs = current?.state === 'reserved' && current.holder === holder;
  const key = registrationKey(fingerprint);
  const reserved: Write = mayExist ? { update: key, set: { lease_until: 0 }, if: heldBy(holder) } : { delete: key, if: heldBy(holder) };
  await table.write([...(isOurs ? [reserved] : []), ...(others.length < slots.length ? [capWrite(cap, others)] : [])]);
};

const blockForSweep = async (table: Table, clock: Clock, fingerprint: string, holder: string): Promise<boolean> => {
  const item = await table.get(registrationKey(fingerprint));
  const current = item && registrationRow(item);
  if (current?.state === 'registered') return true;
  const now = clock().getTime();
  if (isHeld(current, now)) return false;
  await table.write([reservation(fingerprint, holder, now + sweepLease, current)]);
  return true;
};

const removeExpired = async (table: Table, clock: Clock): Promise<number> => {
  const items = await table.query({ pk: partition });
  const now = clock().getTime();
  const expired = items.flatMap((item) => {
    const row = registrationRow(item);
    return row.state === 'reserved' && !isHeld(row, now) ? [{ fingerprint: item.sk, holder: row.holder }] : [];
  });
  const removed = await Promise.all(
    expired.map(async ({ fingerprint, holder }) => {
      try {
        await table.write([{ delete: registrationKey(fingerprint), if: heldBy(holder) }]);
        return 1;
      } catch (error) {
        if (error instanceof WriteRefused) return 0;
        throw error;
      }
    }),
  );
  return removed.reduce((sum: number, each) => sum + each, 0);
};

export const clientRegistrationsIn = (table: Table, clock: Clock): ClientRegistrations => ({
  reserve: (fingerprint, holder, network) => retryOnConflict(() => reserve(table, clock, fingerprint, holder, network)),
  complete: (fingerprint, holder, clientId, description) => retryOnConflict(() => complete(table, clock, fingerprint, holder, clientId, description)),
  listOutdated: async (settingsVersion) =>
    (await table.query({ pk: partition })).flatMap((item) => {
      const row = registrationRow(item);
      return row.state === 'registered' && row.settings_version !== settingsVersion ? [{ ...clientOf(row), fingerprint: item.sk }] : [];
    }),
  async recordSettings(fingerprint, clientId, settingsVersion) {
    await tryWrite(table, [
      { update: registrationKey(fingerprint), set: { settings_version: settingsVersion }, if: { equals: { state: 'registered', client_id: clientId } } },
    ]);
  },
  release: (fingerprint, holder, mayExist) => retryOnConflict(() => release(table, fingerprint, holder, mayExist)),
  beginRemoval: (client, holder, additionalWrites) =>
    tryWrite(table, [
      {
        put: itemOf(registrationKey(client.fingerprint), { state: 'reserved', holder, lease_until: clock().getTime() + sweepLease } satisfies RegistrationRow),
        if: { equals: { state: 'registered', client_id: client.clientId } },
      },
      markRemoved(client, clock()),
      ...additionalWrites,
    ]),
  blockForSweep: (fingerprint, holder) => retryOnConflict(() => blockForSweep(table, clock, fingerprint, holder)),
  async countNew() {
    const item = await table.get(capKey);
    return currentSlots(item && capRow(item), clock().getTime()).length;
  },
  removeExpired: () => removeExpired(table, clock),
});
