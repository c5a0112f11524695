import type { Log } from '../../core/runtime/log.ts';
import { errorLogFields } from '../../core/runtime/errors.ts';
import type { ClientRegistrar, RegisteredClient } from '../../core/aws/cognito/client-registrar.ts';
import type { ClientRegistrations } from '../../core/directory/client-registrations.ts';

export type Sweeping = {
  readonly registrations: Pick<ClientRegistrations, 'registeredAmong' | 'bar' | 'release' | 'removeLapsed'>;
  readonly registrar: Pick<ClientRegistrar, 'list' | 'remove'>;
  /** A word that nobody else has: whose a reservation is. */
  readonly newHolder: () => string;
  readonly log: Log;
};

const idsOf = (apps: readonly RegisteredClient[]): string[] => apps.map(({ clientId }) => clientId);

/**
 * Removes the apps of one registration that no record names. While it is barred nobody records one, so what is not recorded then was never handed out and never will be.
 * @returns how many.
 */
const removeStrays = async ({ registrations, registrar, newHolder }: Sweeping, fingerprint: string, strays: readonly string[]): Promise<number> => {
  const holder = newHolder();
  if (!await registrations.bar(fingerprint, holder)) return 0;
  const recorded = await registrations.registeredAmong(strays);
  const nobodys = strays.filter((clientId) => !recorded.has(clientId));
  for (const clientId of nobodys) await registrar.remove(clientId);
  await registrations.release(fingerprint, holder, false);
  return nobodys.length;
};

/** What could not be removed stays barred until the lease ends: the provider may yet do what it was asked for. */
const removedOrNone = async (sweeping: Sweeping, fingerprint: string, strays: readonly string[]): Promise<number> => {
  try {
    return await removeStrays(sweeping, fingerprint, strays);
  } catch (failure) {
    sweeping.log.error('stray clients were not removed', { client_ids: strays, ...errorLogFields(failure) });
    return 0;
  }
};

/** Removes what crashes left behind: apps at the identity provider that no record names, and reservations whose lease ended. */
export const sweepClients = async (sweeping: Sweeping): Promise<void> => {
  const { registrations, registrar, log } = sweeping;
  const apps = await registrar.list();
  const recorded = await registrations.registeredAmong(idsOf(apps));
  const strays = Map.groupBy(apps.filter(({ clientId }) => !recorded.has(clientId)), ({ fingerprint }) => fingerprint);
  let removed = 0;
  for (const [fingerprint, those] of strays) removed += await removedOrNone(sweeping, fingerprint, idsOf(those));
  const lapsed = await registrations.removeLapsed();
  log.info('swept', { clients: apps.length, removed, lapsed });
};
