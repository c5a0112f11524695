import { isDeepStrictEqual } from 'node:util';
import type { DNSApplyState, DNSValidationResult } from '../../../contract/admin/domains.ts';
import type { Audit, AuditChange } from '../../../core/rpc/audit.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';
import { RecordChangeRefused, type DnsProvider, type DnsZone, type RecordChange } from '../../../core/aws/route53/dns-provider.ts';
import type { EmailProvider } from '../../../core/aws/ses/email-provider.ts';
import type { PublicDns } from '../../../core/dns/public-dns.ts';
import type { AppliedRecord, Domains, StoredDomain } from '../../../core/directory/domains.ts';
import { workingDomain } from './changed-domain.ts';
import { planRecords, planRemoval, type Conflict } from './dns-plan.ts';
import { wantedRecords, type ServicePlace, type WantedRecords } from './dns-records.ts';
import { validateDns } from './dns-validation.ts';

export type DnsStores = {
  readonly domains: Domains;
  readonly emailProvider: Pick<EmailProvider, 'findDomain'>;
  readonly dnsProvider: DnsProvider;
  readonly dns: PublicDns;
  readonly place: ServicePlace;
  readonly clock: Clock;
};

/** How often a plan is made anew because the records changed under it. */
const tries = 3;

/** Characters of the provider's reasons that are kept. */
const longestReason = 500;

const noZone = () => new RpcError('failed_precondition', 'no hosted zone of this AWS account holds the domain: its DNS is managed elsewhere');

const namesOf = (records: readonly { readonly name: string }[]): string[] => [...new Set(records.map(({ name }) => name))].sort();

const conflictWords = (conflicts: readonly Conflict[]): string =>
  `nothing was written, because of what is there already: ${conflicts.map(({ name, record_type: type, why }) => `${type} ${name} (${why})`).join(', ')}`;

/** What the changes mean for each set, for the audit log. */
const auditChanges = (changes: readonly RecordChange[]): AuditChange[] => {
  const sets = new Map<string, AuditChange>();
  for (const { action, name, type, values } of changes) {
    const field = `${type} ${name}`;
    sets.set(field, { ...sets.get(field), field, [action === 'DELETE' ? 'old_value' : 'new_value']: values.join(', ') });
  }
  return [...sets.values()];
};

/**
 * Makes the changes of a plan, which is made anew from what is there now when they are refused.
 * @returns what it refused in the end, undefined when it is done; and our records as they are `now`, read while it looks and while it changes, since others
 * may be at it too.
 */
const changeBy = async <Plan extends { readonly changes: readonly RecordChange[] }>(
  { dnsProvider, domains }: DnsStores, zone: DnsZone, id: string, plan: () => Promise<Plan>,
): Promise<{ readonly plan: Plan; readonly now: readonly AppliedRecord[]; readonly refused?: RecordChangeRefused }> => {
  for (let count = 1; ; count++) {
    const [current, known] = await Promise.all([plan(), domains.appliedRecords(id)]);
    if (current.changes.length === 0) return { plan: current, now: known };
    const [now, refused] = await Promise.all([
      domains.appliedRecords(id),
      dnsProvider.changeRecordSets(zone, current.changes).then(() => undefined, (error: unknown) => {
        if (!(error instanceof RecordChangeRefused)) throw error;
        return error;
      }),
    ]);
    if (!refused) return { plan: current, now };
    if (count >= tries) return { plan: current, now, refused };
  }
};

const isAmong = (records: readonly AppliedRecord[], record: AppliedRecord): boolean => records.some((known) => isDeepStrictEqual(known, record));

const without = (records: readonly AppliedRecord[], gone: readonly AppliedRecord[]): AppliedRecord[] => records.filter((record) => !isAmong(gone, record));

/** What ApplyDomainRecords answers. */
export type AppliedRecords = { readonly dns_apply_state: DNSApplyState; readonly dns_validation: DNSValidationResult; readonly records_failed: string[] };

/** A domain and what we have written to its DNS, as they were just read. */
export type KnownDns = readonly [domain: StoredDomain | undefined, records: readonly AppliedRecord[]];

/** Reads them in one trip. */
export const lookAtDns = (domains: Domains, id: string): Promise<KnownDns> => Promise.all([domains.find(id), domains.appliedRecords(id)]);

type Attempt = { readonly stored: StoredDomain; readonly zone: DnsZone; readonly wanted: WantedRecords; readonly ours: readonly AppliedRecord[] };

/** Everything that must be known before the zone is looked at. @throws RpcError not_found, failed_precondition. */
const prepare = async ({ emailProvider, dnsProvider, place }: DnsStores, [known, ours]: KnownDns, audit: Audit): Promise<Attempt> => {
  const stored = workingDomain(known);
  audit.about({ entity_name: stored.domain });
  const [identity, zone] = await Promise.all([emailProvider.findDomain(stored.domain), dnsProvider.findZone(stored.domain)]);
  if (!zone) throw noZone();
  if (!identity) throw new RpcError('failed_precondition', 'the sending provider does not know the domain any more; remove it and add it again');
  return { stored, zone, ours, wanted: wantedRecords(stored, identity, place) };
};

/** The changes of an attempt in the zone, all or none; they are remembered as ours before they are made. @returns also which of our records are not there. */
const write = async (stores: DnsStores, { stored, zone, wanted, ours }: Attempt, audit: Audit) => {
  const claimed: AppliedRecord[] = [];
  const { plan, refused, now } = await changeBy(stores, zone, stored.id, async () => {
    const next = planRecords(wanted, stored.spf_mode, await stores.dnsProvider.listRecordSets(zone, stored.domain), [...ours, ...claimed]);
    if (next.conflicts.length > 0 || next.changes.length === 0) return { ...next, changes: [] };
    audit.about({ changes: auditChanges(next.changes) });
    await stores.domains.claimRecords(stored.id, next.brings, claimed.length === 0 ? audit.begins() : []);
    claimed.push(...next.brings.filter((record) => !isAmong(claimed, record)));
    return next;
  });
  const isDone = plan.conflicts.length === 0 && !refused;
  const forgotten = isDone ? plan.takes : claimed.filter((record) => !isAmong(ours, record));
  return { plan, refused, forgotten, left: without(now, forgotten) };
};

/** How an attempt went, beside what earlier ones did. */
const stateAfter = ({ clock }: DnsStores, { stored }: Attempt, left: readonly AppliedRecord[], error: string | undefined): DNSApplyState => {
  const at = clock().toISOString();
  const succeeded = error === undefined ? at : stored.dns_apply_state?.last_success_at;
  return {
    status: error === undefined ? 'APPLIED' : 'APPLY_FAILED',
    provider_type: 'ROUTE53',
    last_attempt_at: at,
    ...(succeeded !== undefined && { last_success_at: succeeded }),
    ...(error !== undefined && { last_error: error }),
    applied_record_names: namesOf(left),
  };
};

/**
 * Writes the records that the domain should have to its hosted zone, in one batch; what is not ours stays.
 * @throws RpcError not_found; failed_precondition without a hosted zone; already_exists when somebody else's record is in the way, and then nothing is written.
 */
export const applyRecords = async (stores: DnsStores, known: KnownDns, audit: Audit): Promise<AppliedRecords> => {
  const attempt = await prepare(stores, known, audit);
  const { id } = attempt.stored;
  const { plan, refused, forgotten, left } = await write(stores, attempt, audit);
  if (plan.conflicts.length > 0) {
    const words = conflictWords(plan.conflicts);
    await stores.domains.concludeRecords(id, forgotten, stateAfter(stores, attempt, left, words), []);
    throw new RpcError('already_exists', words);
  }
  const why = refused?.reasons.join(' ').slice(0, longestReason);
  const failed = refused ? namesOf(plan.brings) : [];
  if (why !== undefined) audit.about({ metadata: { records_failed: failed.join(' '), reason: why } });
  const state = stateAfter(stores, attempt, left, why);
  const [validation] = await Promise.all([validateDns(stores.dns, attempt.wanted), stores.domains.concludeRecords(id, forgotten, state, audit.writes())]);
  return { dns_apply_state: state, dns_validation: validation, records_failed: failed };
};

type WantedDeletion = { readonly id: string; readonly record_name: string; readonly record_type: AppliedRecord['record_type'] };

const plainName = (name: string): string => name.toLowerCase().replace(/\.$/, '');

/**
 * Removes what ApplyDomainRecords wrote at a name; what is somebody else's stays.
 * @returns false when there is nothing of ours.
 * @throws RpcError not_found, failed_precondition without a hosted zone, aborted when others change the records all the time.
 */
export const deleteRecord = async (stores: DnsStores, [known, records]: KnownDns, wanted: WantedDeletion, audit: Audit): Promise<boolean> => {
  const { domains, dnsProvider } = stores;
  const name = plainName(wanted.record_name);
  const stored = workingDomain(known);
  audit.about({ entity_name: stored.domain, metadata: { record: `${wanted.record_type} ${name}` } });
  const ours = records.filter((record) => record.name === name && record.record_type === wanted.record_type);
  if (ours.length === 0) return false;
  const [zone] = await Promise.all([dnsProvider.findZone(stored.domain), audit.begin()]);
  if (!zone) throw noZone();
  const { plan, refused, now } = await changeBy(stores, zone, stored.id, async () => {
    const set = (await dnsProvider.listRecordSets(zone, stored.domain)).find((each) => each.name === name && each.type === wanted.record_type);
    const changes = planRemoval(set, ours);
    audit.about({ changes: auditChanges(changes) });
    return { changes };
  });
  if (refused) throw new RpcError('aborted', 'the record could not be removed, because it is being changed; try again');
  const state = stored.dns_apply_state && { ...stored.dns_apply_state, applied_record_names: namesOf(without(now, ours)) };
  await domains.concludeRecords(wanted.id, ours, state, audit.writes());
  return plan.changes.length > 0;
};
