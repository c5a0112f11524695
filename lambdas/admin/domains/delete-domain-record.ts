import { domains as contract } from '../../../contract/admin/domains.ts';
import type { Request } from '../../../contract/rpc/rpc.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import type { Audit } from '../../../core/rpc/audit.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';
import { normalizeHost } from '../../../core/runtime/public-dns.ts';
import { applyPlan, auditChangesOf, findDomainWithRecords, noHostedZone, recordNames, withoutRecords, type DomainWithRecords } from './domain-dns-changes.ts';
import { planRemoval } from './domain-dns-plan.ts';
import type { DomainsDependencies } from './domains-dependencies.ts';
import { changeableDomain } from './stored-domain.ts';

type Dependencies = Pick<DomainsDependencies, 'domains' | 'dnsProvider'>;

/**
 * Removes the values that ApplyDomainRecords wrote at a name. Foreign values are kept.
 * @returns false when ApplyDomainRecords wrote no value there.
 * @throws RpcError not_found; failed_precondition without a hosted zone; aborted when others change the records at
 * every attempt.
 */
const deleteRecord = async (
  dependencies: Dependencies,
  [stored, allApplied]: DomainWithRecords,
  request: Request<typeof contract.methods.DeleteDomainRecord>,
  audit: Audit,
): Promise<boolean> => {
  const { domains, dnsProvider } = dependencies;
  const { id, record_type: type } = request;
  const name = normalizeHost(request.record_name);
  const domain = changeableDomain(stored);
  audit.describe({ entity_name: domain.domain, metadata: { record: `${type} ${name}` } });
  const ownRecords = allApplied.filter((record) => record.name === name && record.record_type === type);
  if (ownRecords.length === 0) return false;
  const [zone] = await Promise.all([dnsProvider.findZone(domain.domain), audit.recordPending()]);
  if (!zone) throw noHostedZone();
  const { plan, refusal, applied } = await applyPlan(dependencies, zone, domain.id, async () => {
    const set = (await dnsProvider.listRecordSets(zone, domain.domain)).find((each) => each.name === name && each.type === type);
    const changes = planRemoval(set, ownRecords);
    audit.describe({ changes: auditChangesOf(changes) });
    return { changes };
  });
  if (refusal) throw new RpcError('aborted', 'others are changing the record; try again');
  const state = domain.dns_apply_state && { ...domain.dns_apply_state, applied_record_names: recordNames(withoutRecords(applied, ownRecords)) };
  await domains.recordApplyOutcome(id, ownRecords, state, audit.successWrites());
  return plan.changes.length > 0;
};

export const deleteDomainRecord = (dependencies: Dependencies) =>
  adminMethod(contract.methods.DeleteDomainRecord, {
    prefetch: ({ id }) => findDomainWithRecords(dependencies.domains, id),
    run: async (request, { audit }, prefetched) => ({ deleted: await deleteRecord(dependencies, prefetched, request, audit) }),
  });
