import { domains as contract, type DNSApplyState } from '../../../contract/admin/domains.ts';
import type { Answer } from '../../../contract/rpc/rpc.ts';
import type { DnsZone } from '../../../core/aws/route53-dns-provider.ts';
import type { AppliedRecord, StoredDomain } from '../../../core/directory/domains/domains.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import type { Audit } from '../../../core/rpc/audit.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';
import {
  applyPlan,
  auditChangesOf,
  findDomainWithRecords,
  includesRecord,
  noHostedZone,
  recordNames,
  withoutRecords,
  type DomainWithRecords,
} from './domain-dns-changes.ts';
import { planRecords, type DnsPlan } from './domain-dns-plan.ts';
import { expectedRecords, type ExpectedRecords } from './domain-dns-records.ts';
import { validateDns } from './domain-dns-validation.ts';
import type { DomainsDependencies } from './domains-dependencies.ts';
import { changeableDomain } from './stored-domain.ts';

type Dependencies = Pick<DomainsDependencies, 'domains' | 'emailProvider' | 'dnsProvider' | 'dns' | 'dnsTargets' | 'clock'>;

/** Maximum characters of the DNS provider's reasons that are stored and audited. */
const maxReasonLength = 500;

/**
 * Describes the conflicts with foreign records, and whether the other records were written.
 * @param reason the provider's reason for refusing them.
 */
const conflictMessage = ({ conflicts, adds }: DnsPlan, reason: string | undefined): string => {
  const reasons = conflicts.map((conflict) => `${conflict.record_type} ${conflict.name} (${conflict.reason})`);
  const message = `these records were not written, because others are there: ${reasons.join(', ')}`;
  if (reason !== undefined) return `${message}. Route 53 refused the others: ${reason}`;
  return adds.length > 0 ? `${message}. The other records were written: ${adds.length}` : message;
};

/**
 * The input of one call: the domain, its hosted zone, the expected records, and the records that the deployment has
 * written.
 */
type Context = { readonly domain: StoredDomain; readonly zone: DnsZone; readonly expected: ExpectedRecords; readonly applied: readonly AppliedRecord[] };

/**
 * Reads the input. @throws RpcError not_found; failed_precondition while the domain is being removed, without a hosted
 * zone, or when the provider does not know the domain.
 */
const loadContext = async ({ emailProvider, dnsProvider, dnsTargets }: Dependencies, [stored, applied]: DomainWithRecords, audit: Audit): Promise<Context> => {
  const domain = changeableDomain(stored);
  audit.describe({ entity_name: domain.domain });
  const [identity, zone] = await Promise.all([emailProvider.findDomain(domain.domain), dnsProvider.findZone(domain.domain)]);
  if (!zone) throw noHostedZone();
  if (!identity) {
    throw new RpcError('failed_precondition', 'the sending provider does not know the domain any more; remove it and add it again');
  }
  return { domain, zone, applied, expected: expectedRecords(domain, identity, dnsTargets) };
};

/**
 * Writes the expected records to the zone in one batch, except those that conflict with foreign records. The records
 * are stored as the deployment's own before they are written.
 * @returns `forgotten`: stored records that are not in the zone, to be deleted; `remaining`: the other stored records.
 */
const writeRecords = async (dependencies: Dependencies, { domain, zone, expected, applied: appliedBefore }: Context, audit: Audit) => {
  const claimed: AppliedRecord[] = [];
  const { plan, refusal, applied } = await applyPlan(dependencies, zone, domain.id, async () => {
    const existing = await dependencies.dnsProvider.listRecordSets(zone, domain.domain);
    const next = planRecords(expected, domain.spf_mode, existing, [...appliedBefore, ...claimed]);
    if (next.changes.length === 0) return next;
    audit.describe({ changes: auditChangesOf(next.changes) });
    await dependencies.domains.claimRecords(domain.id, next.adds, claimed.length === 0 ? audit.pendingWrites() : []);
    claimed.push(...next.adds.filter((record) => !includesRecord(claimed, record)));
    return next;
  });
  const forgotten = !refusal ? plan.removes : claimed.filter((record) => !includesRecord(appliedBefore, record));
  return { plan, refusal, forgotten, remaining: withoutRecords(applied, forgotten) };
};

/** The value of dns_apply_state after this call. @param error undefined when the records were written. */
const applyState = ({ clock }: Dependencies, { domain }: Context, remaining: readonly AppliedRecord[], error: string | undefined): DNSApplyState => {
  const now = clock().toISOString();
  const lastSuccess = error === undefined ? now : domain.dns_apply_state?.last_success_at;
  return {
    status: error === undefined ? 'APPLIED' : 'APPLY_FAILED',
    provider_type: 'ROUTE53',
    last_attempt_at: now,
    ...(lastSuccess !== undefined && { last_success_at: lastSuccess }),
    ...(error !== undefined && { last_error: error }),
    applied_record_names: recordNames(remaining),
  };
};

/**
 * Writes the expected records of the domain to its hosted zone, in one batch. Foreign records are kept.
 * @throws RpcError not_found; failed_precondition without a hosted zone; already_exists when foreign records conflict;
 * even then the other records are written.
 */
const apply = async (dependencies: Dependencies, prefetched: DomainWithRecords, audit: Audit): Promise<Answer<typeof contract.methods.ApplyDomainRecords>> => {
  const { domains, dns } = dependencies;
  const context = await loadContext(dependencies, prefetched, audit);
  const { id } = context.domain;
  const { plan, refusal, forgotten, remaining } = await writeRecords(dependencies, context, audit);
  const reason = refusal?.reasons.join(' ').slice(0, maxReasonLength);
  if (plan.conflicts.length > 0) {
    const message = conflictMessage(plan, reason);
    await domains.recordApplyOutcome(id, forgotten, applyState(dependencies, context, remaining, message), []);
    throw new RpcError('already_exists', message);
  }
  const failedNames = refusal ? recordNames(plan.adds) : [];
  if (reason !== undefined) audit.describe({ metadata: { records_failed: failedNames.join(' '), reason } });
  const state = applyState(dependencies, context, remaining, reason);
  const [validation] = await Promise.all([
    validateDns(dns, context.expected, remaining),
    domains.recordApplyOutcome(id, forgotten, state, audit.successWrites()),
  ]);
  return {
    dns_apply_state: state,
    dns_validation: validation,
    records_failed: failedNames,
    records_kept: [...plan.kept],
    records_written: refusal ? [] : plan.adds.map(({ name, record_type }) => ({ name, record_type })),
  };
};

export const applyDomainRecords = (dependencies: Dependencies) =>
  adminMethod(contract.methods.ApplyDomainRecords, {
    prefetch: ({ id }) => findDomainWithRecords(dependencies.domains, id),
    run: (_request, { audit }, prefetched) => apply(dependencies, prefetched, audit),
  });
