import { isDeepStrictEqual } from 'node:util';
import type { DNSApplyState, DNSValidationResult } from '../../contract/admin/domains.ts';
import type { Audit, AuditChange } from '../platform/audit.ts';
import type { Clock } from '../platform/clock.ts';
import { RpcError } from '../platform/rpc-error.ts';
import { ChangeRefused, type DnsProvider, type DnsZone, type RecordChange } from '../providers/dns-provider.ts';
import type { EmailProvider } from '../providers/email-provider.ts';
import type { PublicDns } from '../providers/public-dns.ts';
import type { AppliedRecord, Domains, StoredDomain } from '../store/directory/domains.ts';
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

/** Makes the changes of a plan, which is made anew from what is there now when they are refused. @returns what it refused in the end; undefined when it is done. */
const changeBy = async <Plan extends { readonly changes: readonly RecordChange[] }>(
  { dnsProvider }: DnsStores, zone: DnsZone, plan: () => Promise<Plan>,
): Promise<{ readonly plan: Plan; readonly refused?: ChangeRefused }> => {
  for (let count = 1; ; count++) {
    const current = await plan();
    if (current.changes.length === 0) return { plan: current };
    try {
      await dnsProvider.change(zone, current.changes);
      return { plan: current };
    } catch (error) {
      if (!(error instanceof ChangeRefused)) throw error;
      if (count >= tries) return { plan: current, refused: error };
    }
  }
};

const isAmong = (records: readonly AppliedRecord[], record: AppliedRecord): boolean => records.some((known) => isDeepStrictEqual(known, record));

/** What ApplyDomainRecords answers. */
export type AppliedRecords = { readonly dns_apply_state: DNSApplyState; readonly dns_validation: DNSValidationResult; readonly records_failed: string[] };

type Attempt = { readonly stored: StoredDomain; readonly zone: DnsZone; readonly wanted: WantedRecords; readonly ours: readonly AppliedRecord[] };

/** Everything that must be known before the zone is looked at. @throws RpcError not_found, failed_precondition. */
const prepare = async ({ domains, emailProvider, dnsProvider, place }: DnsStores, id: string, audit: Audit): Promise<Attempt> => {
  const stored = await workingDomain(domains, id);
  audit.about({ entity_name: stored.domain });
  const [identity, zone, ours] = await Promise.all([emailProvider.findDomain(stored.domain), dnsProvider.findZone(stored.domain), domains.appliedRecords(id)]);
  if (!zone) throw noZone();
  if (!identity) throw new RpcError('failed_precondition', 'the sending provider does not know the domain any more; remove it and add it again');
  return { stored, zone, ours, wanted: wantedRecords(stored, identity, place) };
};

/** The changes of an attempt in the zone, all or none; they are remembered as ours before they are made. */
const write = async (stores: DnsStores, { stored, zone, wanted, ours }: Attempt, audit: Audit) => {
  const claimed: AppliedRecord[] = [];
  const outcome = await changeBy(stores, zone, async () => {
    const plan = planRecords(wanted, stored.spf_mode, await stores.dnsProvider.recordsUnder(zone, stored.domain), [...ours, ...claimed]);
    if (plan.conflicts.length > 0 || plan.changes.length === 0) return { ...plan, changes: [] };
    audit.about({ changes: auditChanges(plan.changes) });
    await Promise.all([stores.domains.claimRecords(stored.id, plan.brings), claimed.length === 0 ? audit.begin() : undefined]);
    claimed.push(...plan.brings.filter((record) => !isAmong(claimed, record)));
    return plan;
  });
  const { plan, refused } = outcome;
  const isDone = plan.conflicts.length === 0 && !refused;
  await stores.domains.forgetRecords(stored.id, isDone ? plan.takes : claimed.filter((record) => !isAmong(ours, record)));
  return outcome;
};

/** Keeps how an attempt went beside what earlier ones did. */
const keepState = async ({ domains, clock }: DnsStores, { stored }: Attempt, error: string | undefined): Promise<DNSApplyState> => {
  const at = clock().toISOString();
  const applied = namesOf(await domains.appliedRecords(stored.id));
  const succeeded = error === undefined ? at : stored.dns_apply_state?.last_success_at;
  const state: DNSApplyState = {
    status: error === undefined ? 'APPLIED' : 'APPLY_FAILED',
    provider_type: 'ROUTE53',
    last_attempt_at: at,
    ...(succeeded !== undefined && { last_success_at: succeeded }),
    ...(error !== undefined && { last_error: error }),
    applied_record_names: applied,
  };
  await domains.keepApplyState(stored.id, state);
  return state;
};

/**
 * Writes the records that the domain should have to its hosted zone, in one batch; what is not ours stays.
 * @throws RpcError not_found; failed_precondition without a hosted zone; already_exists when somebody else's record is in the way, and then nothing is written.
 */
export const applyRecords = async (stores: DnsStores, id: string, audit: Audit): Promise<AppliedRecords> => {
  const attempt = await prepare(stores, id, audit);
  const { plan, refused } = await write(stores, attempt, audit);
  if (plan.conflicts.length > 0) {
    const words = conflictWords(plan.conflicts);
    await keepState(stores, attempt, words);
    throw new RpcError('already_exists', words);
  }
  const why = refused?.reasons.join(' ').slice(0, longestReason);
  const failed = refused ? namesOf(plan.brings) : [];
  if (why !== undefined) audit.about({ metadata: { records_failed: failed.join(' '), reason: why } });
  const [state, validation] = await Promise.all([keepState(stores, attempt, why), validateDns(stores.dns, attempt.wanted)]);
  return { dns_apply_state: state, dns_validation: validation, records_failed: failed };
};

type WantedDeletion = { readonly id: string; readonly record_name: string; readonly record_type: AppliedRecord['record_type'] };

const plainName = (name: string): string => name.toLowerCase().replace(/\.$/, '');

/**
 * Removes what ApplyDomainRecords wrote at a name; what is somebody else's stays.
 * @returns false when there is nothing of ours.
 * @throws RpcError not_found, failed_precondition without a hosted zone, aborted when others change the records all the time.
 */
export const deleteRecord = async (stores: DnsStores, wanted: WantedDeletion, audit: Audit): Promise<boolean> => {
  const { domains, dnsProvider } = stores;
  const name = plainName(wanted.record_name);
  const stored = await workingDomain(domains, wanted.id);
  audit.about({ entity_name: stored.domain, metadata: { record: `${wanted.record_type} ${name}` } });
  const ours = (await domains.appliedRecords(wanted.id)).filter((record) => record.name === name && record.record_type === wanted.record_type);
  if (ours.length === 0) return false;
  const zone = await dnsProvider.findZone(stored.domain);
  if (!zone) throw noZone();
  let begun = false;
  const { plan, refused } = await changeBy(stores, zone, async () => {
    const set = (await dnsProvider.recordsUnder(zone, stored.domain)).find((each) => each.name === name && each.type === wanted.record_type);
    const changes = planRemoval(set, ours);
    if (changes.length > 0 && !begun) {
      audit.about({ changes: auditChanges(changes) });
      await audit.begin();
      begun = true;
    }
    return { changes };
  });
  if (refused) throw new RpcError('aborted', 'the record could not be removed, because it is being changed; try again');
  await domains.forgetRecords(wanted.id, ours);
  if (stored.dns_apply_state) {
    await domains.keepApplyState(wanted.id, { ...stored.dns_apply_state, applied_record_names: namesOf(await domains.appliedRecords(wanted.id)) });
  }
  return plan.changes.length > 0;
};
