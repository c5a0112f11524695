import { errorLogFields } from '../../core/runtime/errors.ts';
import type { ClientRegistrar, AppClient } from '../../core/aws/cognito/client-registrar.ts';
import type { ClientRegistrations } from '../../core/directory/clients/client-registrations.ts';
import type { RegisteredClients } from '../../core/directory/clients/registered-clients.ts';
import { openRemovalAudit, removeUnusedClients, type RemovalPorts } from './remove-unused-clients.ts';

export type SweepPorts = RemovalPorts & {
  readonly registrations: Pick<ClientRegistrations, 'blockForSweep' | 'removeExpired'>;
  readonly clients: Pick<RegisteredClients, 'list' | 'findRegistered'>;
  readonly registrar: Pick<ClientRegistrar, 'list' | 'count'>;
};

const clientIdsOf = (appClients: readonly AppClient[]): string[] => appClients.map(({ clientId }) => clientId);

/** App clients of one fingerprint, and which of them are left of an interrupted removal. */
type Unrecorded = { readonly fingerprint: string; readonly clientIds: readonly string[]; readonly interrupted: ReadonlySet<string> };

/**
 * Removes the app clients of one fingerprint that no registration records. It blocks the fingerprint first, so that no
 * request records one of them meanwhile.
 * @returns how many were removed.
 */
const removeUnrecorded = async (ports: SweepPorts, { fingerprint, clientIds, interrupted }: Unrecorded): Promise<number> => {
  const { registrations, clients, registrar, newHolderId } = ports;
  const holderId = newHolderId();
  if (!await registrations.blockForSweep(fingerprint, holderId)) return 0;
  const recorded = await clients.findRegistered(clientIds);
  const unrecorded = clientIds.filter((clientId) => !recorded.has(clientId));
  for (const clientId of unrecorded) {
    await registrar.remove(clientId);
    if (interrupted.has(clientId)) await (await openRemovalAudit(ports.audit, clientId, { reason: 'interrupted' })).recordSuccess();
  }
  await registrations.release(fingerprint, holderId, false);
  return unrecorded.length;
};

/**
 * After a failure the fingerprint stays blocked until its lease ends, since the provider may still carry out a removal.
 */
const tryRemoveUnrecorded = async (ports: SweepPorts, unrecorded: Unrecorded): Promise<number> => {
  try {
    return await removeUnrecorded(ports, unrecorded);
  } catch (failure) {
    ports.log.error('unrecorded app clients not removed', { client_ids: unrecorded.clientIds, ...errorLogFields(failure) });
    return 0;
  }
};

/**
 * Removes what interrupted registrations and removals left (app clients that no registration records, and reservations
 * whose lease has ended) and unused clients. Its log record has the number of all app clients of the
 * pool, which an alarm watches (`lib/registration.ts`).
 */
export const sweepClients = async (ports: SweepPorts): Promise<void> => {
  const { registrations, clients, registrar, log } = ports;
  const appClients = await registrar.list();
  const known = await clients.list();
  const recorded = new Set(known.filter(({ removedAt }) => removedAt === undefined).map(({ clientId }) => clientId));
  const interrupted = new Set(known.filter(({ removedAt }) => removedAt !== undefined).map(({ clientId }) => clientId));
  const byFingerprint = Map.groupBy(appClients.filter(({ clientId }) => !recorded.has(clientId)), ({ fingerprint }) => fingerprint);
  let removed = 0;
  for (const [fingerprint, unrecorded] of byFingerprint) {
    removed += await tryRemoveUnrecorded(ports, { fingerprint, clientIds: clientIdsOf(unrecorded), interrupted });
  }
  const unused = await removeUnusedClients(ports, known, new Set(clientIdsOf(appClients)));
  const expired = await registrations.removeExpired();
  log.info('client registrations swept', {
    clients: appClients.length, removed, unused, expired, app_clients: await registrar.count(),
  });
};
