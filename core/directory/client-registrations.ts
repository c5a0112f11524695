import { registrationLimits } from '../../contract/registration.ts';
import type { Clock } from '../runtime/clock.ts';
import { WriteRefused, type Item, type Table, type Write } from '../storage/table.ts';
import { retryOnConflict } from '../storage/retry-on-conflict.ts';

/** A client that registered itself, as it is known for ever. */
export type RegisteredClient = { readonly clientId: string; readonly registeredAt: Date };

/** What a client said of itself that is kept. */
export type ClientDescription = { readonly name: string; readonly redirectUris: readonly string[] };

/** Where a registration stands when somebody asks for it. */
export type RegistrationStatus =
  | { readonly is: 'registered'; readonly client: RegisteredClient }
  /** Somebody else is at it. */
  | { readonly is: 'under way' }
  /** It is ours to make; `isRepeated` when somebody was at it before, and may have made the app. */
  | { readonly is: 'ours'; readonly isRepeated: boolean }
  /** There were too many new ones; there is room again at that time. */
  | { readonly is: 'too many'; readonly until: Date };

/**
 * Clients that registered themselves, by the fingerprint of what they asked for. `client-registration`/fingerprint is the registration: a reservation with a lease at
 * first, then the record; `registered-client`/client_id says the same by the client's id; `client-registration-cap`/`slots` holds a slot for each new registration
 * of the last day and for each reservation. The three move in one transaction, and whoever lost the reservation or the slot can't complete anything.
 */
export type ClientRegistrations = {
  /**
   * Finds the registration, or reserves it for the holder.
   * @throws StoreConflict when others were faster every time.
   */
  begin(fingerprint: string, holder: string): Promise<RegistrationStatus>;
  /**
   * Records the client that was made under the reservation; it is known from then on.
   * @returns false when the reservation is not the holder's any more: nothing was recorded, and nothing may be handed out.
   */
  complete(fingerprint: string, holder: string, clientId: string, description: ClientDescription): Promise<RegisteredClient | false>;
  /** Gives the reservation and its slot back; nothing when they are not the holder's. `mayBeMade`: the next one has to look for an app that was made nevertheless. */
  release(fingerprint: string, holder: string, mayBeMade: boolean): Promise<void>;
  isRegistered(clientId: string): Promise<boolean>;
  /** Those of the client ids that are registered. */
  findRegistered(clientIds: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Keeps everybody from making or finding an app for the fingerprint until `release` or until the lease ends.
   * @returns false while somebody is at it. True for a registered one as well, of which nobody makes or finds an app any more.
   */
  blockForSweep(fingerprint: string, holder: string): Promise<boolean>;
  /** Removes reservations whose lease ended. @returns how many. */
  removeExpired(): Promise<number>;
};

/** Milliseconds for which a registration is its holder's: longer than the identity provider is waited for. */
export const reservationLease = 12_000;

/** Milliseconds for which a sweep bars a registration, longer than a sweep may run: what it asked the provider to remove is removed by then. */
export const sweepLease = 15 * 60_000;

const { newInWindow, windowSeconds } = registrationLimits;

/** `until`: the end of the reservation's lease, or the day after the registration; milliseconds since 1970. */
type Slot = { readonly holder: string; readonly until: number; readonly isRegistered: boolean };

const partition = 'client-registration';
const registrationKey = (fingerprint: string) => ({ pk: partition, sk: fingerprint });
const clientKey = (clientId: string) => ({ pk: 'registered-client', sk: clientId });
const capKey = { pk: 'client-registration-cap', sk: 'slots' } as const;

const clientOf = (item: Item): RegisteredClient | undefined =>
  (item['state'] === 'registered' ? { clientId: item['client_id'] as string, registeredAt: new Date(item['registered_at'] as string) } : undefined);

const isHeld = (item: Item | undefined, now: number): boolean => item?.['state'] === 'reserved' && Number(item['lease_until']) > now;

const slotsOf = (cap: Item | undefined): readonly Slot[] => (cap?.['slots'] ?? []) as readonly Slot[];

const capWrite = (cap: Item | undefined, slots: readonly Slot[]): Write => ({
  put: { ...capKey, slots, version: Number(cap?.['version'] ?? 0) + 1 },
  if: cap ? { equals: { version: Number(cap['version']) } } : { absent: true },
});

/** The write holds while the reservation is this holder's. */
const heldBy = (holder: string) => ({ equals: { state: 'reserved', holder } }) as const;

const reservation = (fingerprint: string, holder: string, until: number, found: Item | undefined): Write => ({
  put: { ...registrationKey(fingerprint), state: 'reserved', holder, lease_until: until },
  if: found ? heldBy(found['holder'] as string) : { absent: true },
});

export const clientRegistrationsIn = (table: Table, clock: Clock): ClientRegistrations => {
  const now = () => clock().getTime();

  const look = async (fingerprint: string): Promise<{ found: Item | undefined; cap: Item | undefined }> => {
    const items = await table.batchGet([registrationKey(fingerprint), capKey]);
    return { found: items.find(({ pk }) => pk === partition), cap: items.find(({ pk }) => pk === capKey.pk) };
  };

  const findRegistered = async (clientIds: readonly string[]): Promise<ReadonlySet<string>> =>
    new Set((await table.batchGet(clientIds.map(clientKey))).map(({ sk }) => sk));

  return {
    begin: (fingerprint, holder) => retryOnConflict(async (): Promise<RegistrationStatus> => {
      const { found, cap } = await look(fingerprint);
      const client = found && clientOf(found);
      if (client) return { is: 'registered', client };
      if (isHeld(found, now())) return { is: 'under way' };
      const slots = slotsOf(cap).filter((slot) => slot.until > now());
      if (slots.length >= newInWindow) return { is: 'too many', until: new Date(Math.min(...slots.map(({ until }) => until))) };
      const until = now() + reservationLease;
      await table.write([reservation(fingerprint, holder, until, found), capWrite(cap, [...slots, { holder, until, isRegistered: false }])]);
      return { is: 'ours', isRepeated: found !== undefined };
    }),

    complete: (fingerprint, holder, clientId, { name, redirectUris }) => retryOnConflict(async () => {
      const cap = await table.get(capKey);
      const slots = slotsOf(cap);
      // Without its slot it would be one too many: the lease ended, and somebody else has the slot.
      if (!slots.some((slot) => slot.holder === holder && !slot.isRegistered)) return false;
      const registeredAt = clock();
      const until = registeredAt.getTime() + windowSeconds * 1000;
      const record = { state: 'registered', client_id: clientId, client_name: name, redirect_uris: redirectUris, registered_at: registeredAt.toISOString() };
      try {
        await table.write([
          { put: { ...registrationKey(fingerprint), ...record }, if: heldBy(holder) },
          { put: { ...clientKey(clientId), fingerprint }, if: { absent: true } },
          capWrite(cap, slots.map((slot) => (slot.holder === holder && !slot.isRegistered ? { holder, until, isRegistered: true } : slot))),
        ]);
      } catch (error) {
        if (error instanceof WriteRefused && error.failed.includes(0)) return false;
        throw error;
      }
      return { clientId, registeredAt };
    }),

    release: (fingerprint, holder, mayBeMade) => retryOnConflict(async () => {
      const { found, cap } = await look(fingerprint);
      const slots = slotsOf(cap);
      const others = slots.filter((slot) => slot.holder !== holder || slot.isRegistered);
      const isOurs = found?.['state'] === 'reserved' && found['holder'] === holder;
      const key = registrationKey(fingerprint);
      const reserved: Write = mayBeMade ? { update: key, set: { lease_until: 0 }, if: heldBy(holder) } : { delete: key, if: heldBy(holder) };
      await table.write([...(isOurs ? [reserved] : []), ...(others.length < slots.length ? [capWrite(cap, others)] : [])]);
    }),

    isRegistered: async (clientId) => (await findRegistered([clientId])).size > 0,
    findRegistered,

    blockForSweep: (fingerprint, holder) => retryOnConflict(async () => {
      const found = await table.get(registrationKey(fingerprint));
      if (found && clientOf(found)) return true;
      if (isHeld(found, now())) return false;
      await table.write([reservation(fingerprint, holder, now() + sweepLease, found)]);
      return true;
    }),

    async removeExpired() {
      const lapsed = (await table.query({ pk: partition })).filter((item) => item['state'] === 'reserved' && !isHeld(item, now()));
      const removed = await Promise.all(lapsed.map(async ({ sk, holder }) => {
        try {
          await table.write([{ delete: registrationKey(sk), if: heldBy(holder as string) }]);
          return 1;
        } catch (error) {
          if (error instanceof WriteRefused) return 0;
          throw error;
        }
      }));
      return removed.reduce((sum: number, each) => sum + each, 0);
    },
  };
};
