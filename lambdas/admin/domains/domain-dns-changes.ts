import { isDeepStrictEqual } from 'node:util';
import { RecordChangeRefused, type DnsZone, type RecordChange } from '../../../core/aws/route53-dns-provider.ts';
import type { AppliedRecord, Domains, StoredDomain } from '../../../core/directory/domains/domains.ts';
import type { AuditChange } from '../../../core/rpc/audit.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';
import type { DomainsDependencies } from './domains-dependencies.ts';

/** A domain, and the DNS records that the deployment has written for it. */
export type DomainWithRecords = readonly [domain: StoredDomain | undefined, applied: readonly AppliedRecord[]];

/** Reads the domain and its records in one round trip. */
export const findDomainWithRecords = (domains: Domains, id: string): Promise<DomainWithRecords> => Promise.all([domains.find(id), domains.appliedRecords(id)]);

/** The error for a domain whose DNS the deployment can't write. */
export const noHostedZone = () => new RpcError('failed_precondition', 'no hosted zone of this AWS account holds the domain: its DNS is managed elsewhere');

/** The names of the records in order, without duplicates. */
export const recordNames = (records: readonly { readonly name: string }[]): string[] => [...new Set(records.map(({ name }) => name))].sort();

export const includesRecord = (records: readonly AppliedRecord[], record: AppliedRecord): boolean => records.some((known) => isDeepStrictEqual(known, record));

export const withoutRecords = (records: readonly AppliedRecord[], removed: readonly AppliedRecord[]): AppliedRecord[] =>
  records.filter((record) => !includesRecord(removed, record));

/** The audit changes of a batch: one for each record set. */
export const auditChangesOf = (changes: readonly RecordChange[]): AuditChange[] => {
  const sets = new Map<string, AuditChange>();
  for (const { action, name, type, values } of changes) {
    const field = `${type} ${name}`;
    sets.set(field, { ...sets.get(field), field, [action === 'DELETE' ? 'old_value' : 'new_value']: values.join(', ') });
  }
  return [...sets.values()];
};

/** Maximum attempts when the provider refuses a plan because the records have changed meanwhile. */
const maxAttempts = 3;

/**
 * The result of applying a plan: the last plan; the stored records that it was based on; and the refusal, when every
 * attempt was refused.
 */
type AppliedPlan<Plan> = { readonly plan: Plan; readonly applied: readonly AppliedRecord[]; readonly refusal?: RecordChangeRefused };

/** Applies a plan. When the provider refuses it, the plan is made again from the current records. */
export const applyPlan = async <Plan extends { readonly changes: readonly RecordChange[] }>(
  { dnsProvider, domains }: Pick<DomainsDependencies, 'dnsProvider' | 'domains'>,
  zone: DnsZone,
  id: string,
  makePlan: () => Promise<Plan>,
): Promise<AppliedPlan<Plan>> => {
  for (let attempt = 1; ; attempt++) {
    const [plan, appliedBefore] = await Promise.all([makePlan(), domains.appliedRecords(id)]);
    if (plan.changes.length === 0) return { plan, applied: appliedBefore };
    const [applied, refusal] = await Promise.all([
      domains.appliedRecords(id),
      dnsProvider.changeRecordSets(zone, plan.changes).then(
        () => undefined,
        (error: unknown) => {
          if (!(error instanceof RecordChangeRefused)) throw error;
          return error;
        },
      ),
    ]);
    if (!refusal) return { plan, applied };
    if (attempt >= maxAttempts) return { plan, applied, refusal };
  }
};
