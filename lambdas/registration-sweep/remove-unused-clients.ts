import { systemActions } from '../../contract/admin/audit.ts';
import type { ClientRegistrar } from '../../core/aws/cognito/client-registrar.ts';
import type { ClientRegistrations } from '../../core/directory/clients/client-registrations.ts';
import {
  removalReasonOf, type RegisteredClients, type RegisteredClientUse, type RemovalReason,
} from '../../core/directory/clients/registered-clients.ts';
import { openAudit, systemActor, type AuditConnections } from '../../core/rpc/audit.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { errorLogFields } from '../../core/runtime/errors.ts';
import type { Log } from '../../core/runtime/log.ts';

export type RemovalPorts = {
  readonly registrations: Pick<ClientRegistrations, 'beginRemoval' | 'release'>;
  readonly clients: Pick<RegisteredClients, 'forget'>;
  readonly registrar: Pick<ClientRegistrar, 'remove'>;
  readonly audit: AuditConnections;
  readonly clock: Clock;
  /** A unique id for the holder of a reservation. */
  readonly newHolderId: () => string;
  readonly log: Log;
};

/**
 * Milliseconds after which a removed client is forgotten, when the identity provider does not list it any more. No
 * token is issued to it by then.
 */
const forgottenAfter = 24 * 60 * 60 * 1000;

/** Opens the audit entry of a removal. */
export const openRemovalAudit = async (audit: AuditConnections, clientId: string, metadata: Record<string, string>) => {
  const entry = await openAudit(audit, systemActions.removeClient, systemActor('registration-sweep'), clientId);
  entry.describe({ entity_name: clientId, metadata });
  return entry;
};

/**
 * Removes a client: first its registration, so that an equal request waits, then the app client, then the reservation
 * that it left. A sweep of the next day completes an interrupted removal.
 * @returns false for a client that was used or registered anew since it was read.
 */
const removeClient = async (ports: RemovalPorts, client: RegisteredClientUse, reason: RemovalReason): Promise<boolean> => {
  const { registrations, registrar, newHolderId } = ports;
  const { clientId, fingerprint, registeredAt, usedOn } = client;
  const audit = await openRemovalAudit(ports.audit, clientId, {
    reason, registered_at: registeredAt.toISOString(), ...(usedOn !== undefined && { used_on: usedOn }),
  });
  const holderId = newHolderId();
  if (!await registrations.beginRemoval(client, holderId, audit.pendingWrites())) return false;
  await registrar.remove(clientId);
  await registrations.release(fingerprint, holderId, false);
  await audit.recordSuccess();
  return true;
};

/**
 * After a failure the fingerprint stays blocked until its lease ends, since the provider may still carry out the
 * removal.
 */
const tryRemoveClient = async (ports: RemovalPorts, client: RegisteredClientUse, reason: RemovalReason): Promise<boolean> => {
  try {
    return await removeClient(ports, client, reason);
  } catch (failure) {
    ports.log.error('unused client not removed', { client_id: client.clientId, ...errorLogFields(failure) });
    return false;
  }
};

/**
 * Removes the clients without a sign-in for `neverUsedDays` after their registration, and those without a use for
 * `unusedDays` (docs/specification.md#client-registration).
 * @param known the clients as just read.
 * @param listed ids of the app clients that the identity provider has.
 * @returns how many were removed.
 */
export const removeUnusedClients = async (
  ports: RemovalPorts, known: readonly RegisteredClientUse[], listed: ReadonlySet<string>,
): Promise<number> => {
  const { clients, clock } = ports;
  let removed = 0;
  for (const client of known) {
    const now = clock();
    if (client.removedAt !== undefined) {
      if (!listed.has(client.clientId) && now.getTime() - client.removedAt.getTime() >= forgottenAfter) await clients.forget(client);
      continue;
    }
    const reason = removalReasonOf(client, now);
    if (reason) removed += Number(await tryRemoveClient(ports, client, reason));
  }
  return removed;
};
