import type { ClientRegistrar, AppClient } from '../../core/aws/cognito-client-registrar.ts';
import type { ClientRegistrations } from '../../core/directory/clients/client-registrations.ts';
import type { RegisteredClients } from '../../core/directory/clients/registered-clients.ts';
import { updateAppClient } from '../../core/directory/clients/update-app-client.ts';
import { errorLogFields } from '../../core/runtime/error-log-fields.ts';
import { openRemovalAudit, removeUnusedClients, type RemovalDependencies } from './remove-unused-clients.ts';

export type SweepDependencies = RemovalDependencies & {
  readonly registrations: Pick<ClientRegistrations, 'blockForSweep' | 'listOutdated' | 'recordSettings' | 'removeExpired'>;
  readonly clients: Pick<RegisteredClients, 'list' | 'findRegistered'>;
  readonly registrar: Pick<ClientRegistrar, 'list' | 'count' | 'settingsVersion' | 'update'>;
};

const clientIdsOf = (appClients: readonly AppClient[]): string[] => appClients.map(({ clientId }) => clientId);

/** App clients with one fingerprint, and which of them an interrupted removal left. */
type Unrecorded = { readonly fingerprint: string; readonly clientIds: readonly string[]; readonly interrupted: ReadonlySet<string> };

/**
 * Removes the app clients with one fingerprint that are in no registration. It blocks the fingerprint first, so that no
 * concurrent request registers one of them.
 * @returns the number of removed app clients.
 */
const removeUnrecorded = async (dependencies: SweepDependencies, { fingerprint, clientIds, interrupted }: Unrecorded): Promise<number> => {
  const { registrations, clients, registrar, newHolderId } = dependencies;
  const holderId = newHolderId();
  if (!(await registrations.blockForSweep(fingerprint, holderId))) return 0;
  const recorded = await clients.findRegistered(clientIds);
  const unrecorded = clientIds.filter((clientId) => !recorded.has(clientId));
  for (const clientId of unrecorded) {
    await registrar.remove(clientId);
    if (interrupted.has(clientId)) await (await openRemovalAudit(dependencies.audit, clientId, { reason: 'interrupted' })).recordSuccess();
  }
  await registrations.release(fingerprint, holderId, false);
  return unrecorded.length;
};

/**
 * Removes app clients. After a failure the fingerprint stays blocked until its lease ends, because the provider may
 * still carry out a removal.
 */
const tryRemoveUnrecorded = async (dependencies: SweepDependencies, unrecorded: Unrecorded): Promise<number> => {
  try {
    return await removeUnrecorded(dependencies, unrecorded);
  } catch (failure) {
    dependencies.log.error('unrecorded app clients could not be removed', { client_ids: unrecorded.clientIds, ...errorLogFields(failure) });
    return 0;
  }
};

/** Gives app clients with older settings those of this release. @returns the number of changed app clients. */
const bringUpToDate = async (dependencies: SweepDependencies): Promise<number> => {
  const { registrations, registrar, log } = dependencies;
  let changed = 0;
  for (const client of await registrations.listOutdated(registrar.settingsVersion)) {
    if (await updateAppClient(dependencies, client.fingerprint, client, log.error)) changed++;
  }
  return changed;
};

/**
 * Removes the remains of interrupted registrations and removals (app clients that no registration records, and
 * reservations whose lease has ended) and unused clients, and updates the settings of the others. Its log record has the
 * number of all app clients of the pool, which an alarm watches (`lib/sign-in/registration.ts`).
 */
export const sweepClients = async (dependencies: SweepDependencies): Promise<void> => {
  const { registrations, clients, registrar, log } = dependencies;
  const appClients = await registrar.list();
  const known = await clients.list();
  const recorded = new Set(known.filter(({ removedAt }) => removedAt === undefined).map(({ clientId }) => clientId));
  const interrupted = new Set(known.filter(({ removedAt }) => removedAt !== undefined).map(({ clientId }) => clientId));
  const byFingerprint = Map.groupBy(
    appClients.filter(({ clientId }) => !recorded.has(clientId)),
    ({ fingerprint }) => fingerprint,
  );
  let removed = 0;
  for (const [fingerprint, unrecorded] of byFingerprint) {
    removed += await tryRemoveUnrecorded(dependencies, { fingerprint, clientIds: clientIdsOf(unrecorded), interrupted });
  }
  const unused = await removeUnusedClients(dependencies, known, new Set(clientIdsOf(appClients)));
  const changed = await bringUpToDate(dependencies);
  const expired = await registrations.removeExpired();
  log.info('client registrations swept', { clients: appClients.length, removed, unused, expired, changed, app_clients: await registrar.count() });
};
