import { systemActions } from '../../contract/admin/audit.ts';
import type { ClientRegistrar } from '../../core/aws/cognito-client-registrar.ts';
import type { ClientRegistrations } from '../../core/directory/clients/client-registrations.ts';
import { removalReasonOf, type RegisteredClients, type RegisteredClientUse, type RemovalReason } from '../../core/directory/clients/registered-clients.ts';
import { openAudit, systemActor, type AuditDependencies } from '../../core/rpc/audit.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { errorLogFields } from '../../core/runtime/error-log-fields.ts';
import type { Log } from '../../core/runtime/log.ts';

export type RemovalDependencies = {
  readonly registrations: Pick<ClientRegistrations, 'beginRemoval' | 'release'>;
  readonly clients: Pick<RegisteredClients, 'forget'>;
  readonly registrar: Pick<ClientRegistrar, 'remove'>;
  readonly audit: AuditDependencies;
  readonly clock: Clock;
  /** Returns a unique id for the holder of a reservation. */
  readonly newHolderId: () => string;
  readonly log: Log;
};

/** Milliseconds after which a removed client that the provider does not list is deleted from the directory. */
const forgottenAfter = 24 * 60 * 60 * 1000;

/** Opens the audit entry of a removal. */
export const openRemovalAudit = async (audit: AuditDependencies, clientId: string, metadata: Record<string, string>) => {
  const entry = await openAudit(audit, systemActions.removeClient, systemActor('registration-sweep'), clientId);
  entry.describe({ entity_name: clientId, metadata });
  return entry;
};

/**
 * Removes a client: first its registration, so that an equal request waits, then the app client, then the reservation
 * that replaced the registration. The sweep of the next day completes an interrupted removal.
 * @returns false for a client that was used or registered again since it was read.
 */
const removeClient = async (dependencies: RemovalDependencies, client: RegisteredClientUse, reason: RemovalReason): Promise<boolean> => {
  const { registrations, registrar, newHolderId } = dependencies;
  const { clientId, fingerprint, registeredAt, usedOn } = client;
  const audit = await openRemovalAudit(dependencies.audit, clientId, {
    reason,
    registered_at: registeredAt.toISOString(),
    ...(usedOn !== undefined && { used_on: usedOn }),
  });
  const holderId = newHolderId();
  if (!(await registrations.beginRemoval(client, holderId, audit.pendingWrites()))) return false;
  await registrar.remove(clientId);
  await registrations.release(fingerprint, holderId, false);
  await audit.recordSuccess();
  return true;
};

/**
 * Removes a client. After a failure the fingerprint stays blocked until its lease ends, because the provider may still
 * remove the client.
 */
const tryRemoveClient = async (dependencies: RemovalDependencies, client: RegisteredClientUse, reason: RemovalReason): Promise<boolean> => {
  try {
    return await removeClient(dependencies, client, reason);
  } catch (failure) {
    dependencies.log.error('an unused client could not be removed', { client_id: client.clientId, ...errorLogFields(failure) });
    return false;
  }
};

/**
 * Removes the clients without a sign-in for `neverUsedDays` after their registration, and those without a use for
 * `unusedDays` (docs/specification.md#client-registration).
 * @param known the clients, which were just read.
 * @param listed ids of the app clients at the identity provider.
 * @returns the number of removed clients.
 */
export const removeUnusedClients = async (
  dependencies: RemovalDependencies,
  known: readonly RegisteredClientUse[],
  listed: ReadonlySet<string>,
): Promise<number> => {
  const { clients, clock } = dependencies;
  let removed = 0;
  for (const client of known) {
    const now = clock();
    if (client.removedAt !== undefined) {
      if (!listed.has(client.clientId) && now.getTime() - client.removedAt.getTime() >= forgottenAfter) await clients.forget(client);
      continue;
    }
    const reason = removalReasonOf(client, now);
    if (reason) removed += Number(await tryRemoveClient(dependencies, client, reason));
  }
  return removed;
};
