import type { ResponseOf } from '../../../contract/client.ts';
import { domainWords } from '../../words/pages/domains.ts';

export type Domain = ResponseOf<'domains', 'GetDomain'>['domain'];
export type Validation = NonNullable<Domain['dns_validation']>;
type DNSRecord = Validation['dkim_records'][number];

export type NeededRecord = DNSRecord & { readonly group: string };

const neededRecords = (validation: Validation): readonly NeededRecord[] => {
  const { groups } = domainWords.records;
  const of = (group: string, records: readonly (DNSRecord | undefined)[]): NeededRecord[] =>
    records.flatMap((record) => (record ? [{ ...record, group }] : []));
  return [
    ...of(groups.dkim, validation.dkim_records),
    ...of(groups.mailFrom, validation.mail_from_records),
    ...of(groups.mx, [validation.mx_record]),
    ...of(groups.dmarc, [validation.dmarc_record]),
    ...of(groups.spf, [validation.spf_record]),
    ...of(groups.autodiscovery, validation.autodiscovery_records),
  ];
};

/** The state of a record as `words/states.ts` names it. */
export const recordState = ({ exists, valid }: Pick<DNSRecord, 'exists' | 'valid'>): 'valid' | 'different' | 'absent' => {
  if (valid) return 'valid';
  return exists ? 'different' : 'absent';
};

/** The action of ApplyDomainRecords on a record (docs/specification.md#domains). */
type RecordPlan = 'stays' | 'added' | 'updated' | 'replaced' | 'kept' | 'conflict';

/** The planned change of a record by public DNS. The API decides by the records in Route 53. */
export const recordPlan = (record: NeededRecord, { spf_mode: mode }: Pick<Domain, 'spf_mode'>): RecordPlan => {
  const isSpf = record.group === domainWords.records.groups.spf;
  if (record.valid || (isSpf && (mode === 'OFF' || mode === 'CHECK_ONLY'))) return 'stays';
  if (!record.exists) return 'added';
  if (record.applied) return 'updated';
  if (isSpf) return mode === 'FORCE_VALUE' ? 'replaced' : 'kept';
  return 'conflict';
};

export type PlannedRecord = { readonly record: NeededRecord; readonly plan: RecordPlan };

/**
 * The records of a domain by the result of applying them: written, in conflict with foreign records, or left to the
 * owner.
 */
export const plannedRecords = (domain: Domain): { readonly [Outcome in 'written' | 'conflicts' | 'kept']: readonly PlannedRecord[] } => {
  const planned = recordsOf(domain).map((record) => ({ record, plan: recordPlan(record, domain) }));
  const withPlan = (...plans: readonly RecordPlan[]) => planned.filter(({ plan }) => plans.includes(plan));
  return { written: withPlan('added', 'updated', 'replaced'), conflicts: withPlan('conflict'), kept: withPlan('kept') };
};

/** The records of a domain, from a response with DNS validation. */
export const recordsOf = ({ dns_validation: validation }: Pick<Domain, 'dns_validation'>): readonly NeededRecord[] =>
  validation ? neededRecords(validation) : [];

/** Maximum octets of a string of a TXT record (RFC 1035 §3.3.14). */
const maxString = 255;

/** The value of a record in a zone file: TXT in quoted strings, host names with the dot at their end. */
const zoneValue = ({ record_type: type, value }: DNSRecord): string => {
  if (type === 'TXT') {
    const parts = value.match(new RegExp(`.{1,${maxString}}`, 'gs')) ?? [''];
    return parts.map((part) => `"${part.replace(/[\\"]/g, (character) => `\\${character}`)}"`).join(' ');
  }
  return type === 'A' || value.endsWith('.') ? value : `${value}.`;
};

const zoneLine = (record: DNSRecord): string => `${record.name}.\t${record.ttl}\tIN\t${record.record_type}\t${zoneValue(record)}`;

/**
 * The records as a zone file (RFC 1035 §5). A record that replaces another value is a comment: importing it would
 * result in both, and two SPF policies are invalid (RFC 7208 §4.5).
 */
export const zoneFile = (records: readonly DNSRecord[]): string =>
  records
    .map((record) => {
      if (recordState(record) !== 'different') return `${zoneLine(record)}\n`;
      const found = record.found_values.map((value) => `; ${record.name}.\t${record.record_type}\t${zoneValue({ ...record, value })}\n`);
      return `; ${domainWords.records.replace}\n${found.join('')}; ${domainWords.records.by}\n; ${zoneLine(record)}\n`;
    })
    .join('');
