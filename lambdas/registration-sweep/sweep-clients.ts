import { errorLogFields } from '../../core/runtime/errors.ts';
import type { Log } from '../../core/runtime/log.ts';
import type { ClientRegistrar, AppClient } from '../../core/aws/cognito/client-registrar.ts';
import type { ClientRegistrations } from '../../core/directory/client-registrations.ts';

export type SweepPorts = {
  readonly registrations: Pick<ClientRegistrations, 'findRegistered' | 'blockForSweep' | 'release' | 'removeExpired'>;
  readonly registrar: Pick<ClientRegistrar, 'list' | 'remove'>;
  /** A unique id for the holder of a reservation. */
  readonly newHolderId: () => string;
  readonly log: Log;
};

const clientIdsOf = (appClients: readonly AppClient[]): string[] => appClients.map(({ clientId }) => clientId);

/**
 * Removes the app clients of one fingerprint that no registration records. It blocks the fingerprint first, so that no
 * request records one of them meanwhile.
 * @returns how many were removed.
 */
const removeUnrecorded = async (
  { registrations, registrar, newHolderId }: SweepPorts, fingerprint: string, clientIds: readonly string[],
): Promise<number> => {
  const holderId = newHolderId();
  if (!await registrations.blockForSweep(fingerprint, holderId)) return 0;
  const recorded = await registrations.findRegistered(clientIds);
  const unrecorded = clientIds.filter((clientId) => !recorded.has(clientId));
  for (const clientId of unrecorded) await registrar.remove(clientId);
  await registrations.release(fingerprint, holderId, false);
  return unrecorded.length;
};

/**
 * After a failure the fingerprint stays blocked until its lease ends, since the provider may still carry out a removal.
 */
const tryRemoveUnrecorded = async (ports: SweepPorts, fingerprint: string, clientIds: readonly string[]): Promise<number> => {
  try {
    return await removeUnrecorded(ports, fingerprint, clientIds);
  } catch (failure) {
    ports.log.error('unrecorded app clients not removed', { client_ids: clientIds, ...errorLogFields(failure) });
    return 0;
  }
};

/**
 * Removes what interrupted registrations left: app clients that no registration records, and reservations whose lease
 * has ended.
 */
export const sweepClients = async (ports: SweepPorts): Promise<void> => {
  const { registrations, registrar, log } = ports;
  const appClients = await registrar.list();
  const recorded = await registrations.findRegistered(clientIdsOf(appClients));
  const unrecorded = Map.groupBy(appClients.filter(({ clientId }) => !recorded.has(clientId)), ({ fingerprint }) => fingerprint);
  let removed = 0;
  for (const [fingerprint, clients] of unrecorded) removed += await tryRemoveUnrecorded(ports, fingerprint, clientIdsOf(clients));
  const expired = await registrations.removeExpired();
  log.info('client registrations swept', { clients: appClients.length, removed, expired });
};
