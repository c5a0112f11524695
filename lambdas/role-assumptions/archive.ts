import { idLength, idPrefixes } from '../../contract/ids.ts';
import type { Log } from '../../core/runtime/log.ts';
import { parseAssumeRoleEvent } from '../../core/aws/cloudtrail/assume-role-event.ts';
import type { RoleAssumptions } from '../../core/directory/role-assumptions.ts';

export type ArchiveConnections = { readonly archive: Pick<RoleAssumptions, 'save'>; readonly roleArns: readonly string[]; readonly log: Pick<Log, 'info' | 'warn'> };

/** An event of EventBridge; `detail` is CloudTrail's record. */
export type TrailEvent = { readonly detail: unknown };

const caseId = new RegExp(`^${idPrefixes.supportCase}_[A-Za-z0-9_-]{${idLength}}$`);

/**
 * Keeps an assumption of a support role with the case that its external id names. The same event again, and any other,
 * changes nothing.
 */
export const archiveAssumption = ({ archive, roleArns, log }: ArchiveConnections) => async ({ detail }: TrailEvent): Promise<void> => {
  const assumption = parseAssumeRoleEvent(detail);
  if (!assumption || !roleArns.includes(assumption.role_assumed)) return;
  const { external_id: externalId, event_id: eventId } = assumption;
  if (externalId === undefined || !caseId.test(externalId)) {
    log.warn('a support role was assumed without a case', { event_id: eventId });
    return;
  }
  await archive.save(externalId, assumption);
  log.info('archived', { case_id: externalId, event_id: eventId });
};
