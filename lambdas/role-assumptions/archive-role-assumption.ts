import { idLength, idPrefixes } from '../../contract/values/ids.ts';
import { parseAssumeRoleEvent } from '../../core/aws/cloudtrail-assumption-lookup.ts';
import type { RoleAssumptions } from '../../core/directory/role-assumptions.ts';
import type { Log } from '../../core/runtime/log.ts';

type ArchiveDependencies = { readonly archive: Pick<RoleAssumptions, 'save'>; readonly roleArns: readonly string[]; readonly log: Pick<Log, 'info' | 'warn'> };

/** An EventBridge event; `detail` is the record of CloudTrail. */
export type CloudTrailEvent = { readonly detail: unknown };

const caseIdPattern = new RegExp(`^${idPrefixes.supportCase}_[A-Za-z0-9_-]{${idLength}}$`);

/** Stores an assumption of a support role once, with the case of its external id. Other events are ignored. */
export const archiveRoleAssumption =
  ({ archive, roleArns, log }: ArchiveDependencies) =>
  async ({ detail }: CloudTrailEvent): Promise<void> => {
    const assumption = parseAssumeRoleEvent(detail);
    if (!assumption || !roleArns.includes(assumption.role_assumed)) return;
    const { external_id: externalId, event_id: eventId } = assumption;
    if (externalId === undefined || !caseIdPattern.test(externalId)) {
      log.warn('a support role was assumed without a case', { event_id: eventId });
      return;
    }
    await archive.save(externalId, assumption);
    log.info('role assumption archived', { case_id: externalId, event_id: eventId });
  };
