import { createHash } from 'node:crypto';
import type { RegistrationRequest } from '../../contract/registration.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import type { Log } from '../../core/runtime/log.ts';
import { StoreConflict } from '../../core/runtime/domain-errors.ts';
import { errorLogFields } from '../../core/runtime/errors.ts';
import type { ClientRegistrar } from '../../core/aws/cognito/client-registrar.ts';
import { ProviderRefusal } from '../../core/aws/provider-refusal.ts';
import { reservationLease, type ClientRegistrations, type RegisteredClient, type Standing } from '../../core/directory/client-registrations.ts';

export type Registering = {
  readonly registrations: ClientRegistrations;
  readonly registrar: ClientRegistrar;
  readonly clock: Clock;
  /** @param milliseconds how long. */
  readonly pause: (milliseconds: number) => Promise<unknown>;
  /** A word that nobody else has: whose a reservation is. */
  readonly newHolder: () => string;
  readonly log: Log;
};

/** What came of a registration. */
export type Registered =
  | { readonly outcome: 'created' | 'known'; readonly client: RegisteredClient }
  | { readonly outcome: 'too many'; readonly until: Date }
  /** Somebody else is registering the same, and could not be waited for any longer. */
  | { readonly outcome: 'conflict' };

/** Milliseconds for which somebody else's equal registration is waited for: longer than its lease, and the Lambda still has the time for one of its own. */
const waitingTime = 14_000;
const [firstPause, longestPause] = [60, 600];

type Asked = Pick<RegistrationRequest, 'client_name' | 'redirect_uris'>;

/** Equal for the same name and the same redirect URIs in any order, and for nothing else (docs/specification.md#client-registration): 64 hexadecimal digits. */
export const fingerprintOf = ({ client_name: name, redirect_uris: uris }: Asked): string =>
  createHash('sha256').update(JSON.stringify([[...uris].sort(), name])).digest('hex');

/** One request's way through a registration. `made` is an app that it made and could not record. */
type Attempt = { readonly fingerprint: string; readonly holder: string; readonly asked: Asked; made?: string };

const standingOf = async ({ registrations }: Registering, { fingerprint, holder }: Attempt): Promise<Standing> => {
  try {
    return await registrations.begin(fingerprint, holder);
  } catch (error) {
    if (error instanceof StoreConflict) return { is: 'under way' };
    throw error;
  }
};

/** The app of somebody who died before recording it, or a new one. */
const appFor = async ({ registrar }: Registering, { fingerprint, asked }: Attempt, mayBeThere: boolean): Promise<string> => {
  const found = mayBeThere ? (await registrar.list()).find((app) => app.fingerprint === fingerprint) : undefined;
  return found?.clientId ?? registrar.create(fingerprint, asked.redirect_uris);
};

/** Records the app. All new registrations meet at the cap: among many at once it takes more than one try, and the lease is the time for it. */
const record = async ({ registrations, clock }: Registering, { fingerprint, holder, asked }: Attempt, clientId: string, leaseEnds: number): Promise<RegisteredClient | false> => {
  for (;;) {
    try {
      return await registrations.complete(fingerprint, holder, clientId, { name: asked.client_name, redirectUris: asked.redirect_uris });
    } catch (error) {
      if (!(error instanceof StoreConflict) || clock().getTime() >= leaseEnds) throw error;
    }
  }
};

/**
 * Makes the app and records it, in this order: what is handed out is recorded, and what a crash leaves unrecorded is found by its fingerprint.
 * @returns false when it took longer than the lease, and the registration is somebody else's by now.
 */
const make = async (registering: Registering, attempt: Attempt, isRepeated: boolean): Promise<RegisteredClient | false> => {
  const { registrations, clock, log } = registering;
  const { fingerprint, holder } = attempt;
  const leaseEnds = clock().getTime() + reservationLease;
  try {
    const clientId = await appFor(registering, attempt, isRepeated);
    attempt.made = clientId;
    return await record(registering, attempt, clientId, leaseEnds);
  } catch (error) {
    const mayBeMade = !(error instanceof ProviderRefusal);
    // Should this fail too, the lease ends by itself.
    await registrations.release(fingerprint, holder, mayBeMade).catch((failure: unknown) => log.warn('a reservation was not given back', errorLogFields(failure)));
    throw error;
  }
};

/** Another request recorded another app: ours is nobody's. The sweep would find it as well. */
const removeSurplus = async ({ registrar, log }: Registering, clientId: string): Promise<void> => {
  await registrar.remove(clientId).catch((failure: unknown) => log.warn('a surplus client was not removed', { client_id: clientId, ...errorLogFields(failure) }));
};

/**
 * Registers a client, or finds it registered: the permanent deduplication, then the cap, then the identity provider (docs/specification.md#client-registration). Of equal requests at once one
 * makes the app and the others wait for it; whoever finds that the one died goes on in its place.
 * @throws ProviderRefusal; whatever the identity provider and the directory throw. A repetition begins anew at once.
 */
export const registerClient = async (registering: Registering, asked: Asked): Promise<Registered> => {
  const { clock, pause } = registering;
  const attempt: Attempt = { fingerprint: fingerprintOf(asked), holder: registering.newHolder(), asked };
  const deadline = clock().getTime() + waitingTime;
  for (let wait = firstPause; ; wait = Math.min(wait * 1.5, longestPause)) {
    const standing = await standingOf(registering, attempt);
    switch (standing.is) {
      case 'registered': {
        if (attempt.made !== undefined && attempt.made !== standing.client.clientId) await removeSurplus(registering, attempt.made);
        return { outcome: 'known', client: standing.client };
      }
      case 'too many': return { outcome: 'too many', until: standing.until };
      case 'ours': {
        const client = await make(registering, attempt, standing.isRepeated);
        if (client) return { outcome: 'created', client };
        break;
      }
      case 'under way':
    }
    if (clock().getTime() >= deadline) return { outcome: 'conflict' };
    await pause(wait * (0.5 + Math.random() / 2));
  }
};
