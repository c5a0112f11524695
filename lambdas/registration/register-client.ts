import { createHash } from 'node:crypto';
import type { RegistrationRequest } from '../../contract/oauth/registration.ts';
import type { ClientRegistrar } from '../../core/aws/cognito-client-registrar.ts';
import { ProviderRefusal } from '../../core/aws/provider-errors.ts';
import {
  reservationLease,
  type ClientRegistrations,
  type RegisteredClient,
  type ReservationOutcome,
} from '../../core/directory/clients/client-registrations.ts';
import { updateAppClient } from '../../core/directory/clients/update-app-client.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { StoreConflict } from '../../core/runtime/domain-errors.ts';
import { errorLogFields } from '../../core/runtime/error-log-fields.ts';
import type { Log } from '../../core/runtime/log.ts';

const groupsOf = (part: string): string[] => part.split(':').filter((group) => group !== '');

/** The first 64 bits of an IPv6 address, which are one network (RFC 4291 §2.5.4): four groups without leading zeros. */
const prefixOf = (address: string): string => {
  const [start = '', end = ''] = address.split('::');
  const zeros = Array.from({ length: 8 - groupsOf(start).length - groupsOf(end).length }, () => '0');
  const groups = [...groupsOf(start), ...zeros, ...groupsOf(end)];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
};

/**
 * The network of an IP address, as four hexadecimal digits: that of an IPv4 address, or of the first 64 bits of an IPv6
 * address. So few digits tell the callers of a day apart, but nobody finds an address by them.
 */
const networkDigest = (address: string): string =>
  createHash('sha256')
    .update(address.includes('.') ? address : prefixOf(address))
    .digest('hex')
    .slice(0, 4);

export type RegistrationDependencies = {
  readonly registrations: ClientRegistrations;
  readonly registrar: ClientRegistrar;
  readonly clock: Clock;
  readonly pause: (milliseconds: number) => Promise<unknown>;
  /** Returns a unique id for the holder of a reservation. */
  readonly newHolderId: () => string;
  readonly log: Log;
};

type RegistrationOutcome =
  | { readonly outcome: 'created' | 'existing'; readonly client: RegisteredClient }
  /** The limit of new registrations, of the deployment or of the caller's network, is reached until `until`. */
  | { readonly outcome: 'cap reached'; readonly of: 'deployment' | 'network'; readonly until: Date }
  /** Another request registers the same client, and did not finish in time. */
  | { readonly outcome: 'conflict' };

/** Maximum milliseconds to wait for another request for the same client: longer than its reservation's lease. */
const maxWait = 14_000;
const [firstPause, longestPause] = [60, 600];

type ClientDescription = Pick<RegistrationRequest, 'client_name' | 'redirect_uris'>;

/**
 * The fingerprint of a client's name and redirect URIs, as 64 hexadecimal digits
 * (docs/specification.md#client-registration).
 */
export const registrationFingerprint = ({ client_name: name, redirect_uris: uris }: ClientDescription): string =>
  createHash('sha256')
    .update(JSON.stringify([[...uris].sort(), name]))
    .digest('hex');

/** An attempt to register a client. `appClientId`: created, but not recorded yet. */
type Attempt = {
  readonly fingerprint: string;
  readonly holderId: string;
  readonly network: string;
  readonly description: ClientDescription;
  appClientId?: string;
};

const reserve = async ({ registrations }: RegistrationDependencies, { fingerprint, holderId, network }: Attempt): Promise<ReservationOutcome> => {
  try {
    return await registrations.reserve(fingerprint, holderId, network);
  } catch (error) {
    if (error instanceof StoreConflict) return { kind: 'in progress' };
    throw error;
  }
};

/** Finds the app client that an interrupted attempt may have created, or creates one. */
const findOrCreateAppClient = async ({ registrar }: RegistrationDependencies, { fingerprint, description }: Attempt, mayExist: boolean): Promise<string> => {
  const existing = mayExist ? (await registrar.list()).find((app) => app.fingerprint === fingerprint) : undefined;
  return existing?.clientId ?? registrar.create(fingerprint, description.redirect_uris);
};

/**
 * Records the app client, and retries until the lease ends, because all registrations conflict in the counter of
 * registrations.
 */
const recordAppClient = async (
  { registrations, registrar, clock }: RegistrationDependencies,
  { fingerprint, holderId, description }: Attempt,
  clientId: string,
  leaseEnds: number,
): Promise<RegisteredClient | false> => {
  for (;;) {
    try {
      return await registrations.complete(fingerprint, holderId, clientId, {
        name: description.client_name,
        redirectUris: description.redirect_uris,
        settingsVersion: registrar.settingsVersion,
      });
    } catch (error) {
      if (!(error instanceof StoreConflict) || clock().getTime() >= leaseEnds) throw error;
    }
  }
};

/**
 * Creates the app client, then records it. Only recorded clients are returned to callers. An app client that a crash
 * leaves unrecorded is found by its fingerprint.
 * @returns false when the lease has ended and another request holds the reservation.
 */
const createAndRecord = async (dependencies: RegistrationDependencies, attempt: Attempt, isRepeated: boolean): Promise<RegisteredClient | false> => {
  const { registrations, clock, log } = dependencies;
  const { fingerprint, holderId } = attempt;
  const leaseEnds = clock().getTime() + reservationLease;
  try {
    const clientId = await findOrCreateAppClient(dependencies, attempt, isRepeated);
    attempt.appClientId = clientId;
    return await recordAppClient(dependencies, attempt, clientId, leaseEnds);
  } catch (error) {
    const mayExist = !(error instanceof ProviderRefusal);
    // If this fails too, the reservation ends with its lease.
    await registrations.release(fingerprint, holderId, mayExist).catch((failure: unknown) => log.warn('reservation not released', errorLogFields(failure)));
    throw error;
  }
};

/** Removes an app client that is not the registered one. If this fails, the sweep removes it. */
const removeSurplusAppClient = async ({ registrar, log }: RegistrationDependencies, clientId: string): Promise<void> => {
  await registrar
    .remove(clientId)
    .catch((failure: unknown) => log.warn('a surplus app client could not be removed', { client_id: clientId, ...errorLogFields(failure) }));
};

/**
 * Registers a client, or finds its registration (docs/specification.md#client-registration): first deduplication, then
 * the maximum numbers of registrations, then the identity provider. Of concurrent requests for the same client, one
 * creates the app client and the others wait. When that request fails, a waiting request continues its work.
 * @param address the IP address of the caller.
 * @throws ProviderRefusal; any error of the identity provider and of the directory, after which the caller can try
 * again immediately.
 */
export const registerClient = async (dependencies: RegistrationDependencies, description: ClientDescription, address: string): Promise<RegistrationOutcome> => {
  const { clock, pause } = dependencies;
  const attempt: Attempt = {
    fingerprint: registrationFingerprint(description),
    holderId: dependencies.newHolderId(),
    network: networkDigest(address),
    description,
  };
  const deadline = clock().getTime() + maxWait;
  for (let wait = firstPause; ; wait = Math.min(wait * 1.5, longestPause)) {
    const reservation = await reserve(dependencies, attempt);
    switch (reservation.kind) {
      case 'registered': {
        const { client } = reservation;
        if (attempt.appClientId !== undefined && attempt.appClientId !== client.clientId) {
          await removeSurplusAppClient(dependencies, attempt.appClientId);
        }
        if (client.settingsVersion !== dependencies.registrar.settingsVersion) {
          await updateAppClient(dependencies, attempt.fingerprint, client, dependencies.log.warn);
        }
        return { outcome: 'existing', client };
      }
      case 'cap reached':
        return { outcome: 'cap reached', of: reservation.of, until: reservation.until };
      case 'reserved': {
        const client = await createAndRecord(dependencies, attempt, reservation.isRepeated);
        if (client) return { outcome: 'created', client };
        break;
      }
      case 'in progress':
    }
    if (clock().getTime() >= deadline) return { outcome: 'conflict' };
    await pause(wait * (0.5 + Math.random() / 2));
  }
};
