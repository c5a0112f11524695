import type { DNSRecord, DNSRecordName, DNSValidationResult, Domain } from '../../contract/admin/domains.ts';

/** The responses with the records of a domain: of ApplyDomainRecords, and of GetDomain with include_dns_validation. */
type WithRecords = {
  readonly records_kept?: readonly DNSRecordName[];
  readonly dns_validation?: DNSValidationResult;
  readonly domain?: Pick<Domain, 'dns_validation' | 'spf_mode'>;
};

/** Whether a foreign SPF policy stays. Before ApplyDomainRecords was called, the setting decides. */
const isKept = ({ records_kept: kept, domain }: WithRecords, { name, applied }: DNSRecord): boolean =>
  (kept ? kept.some((record) => record.name === name && record.record_type === 'TXT') : domain?.spf_mode !== 'FORCE_VALUE' && !applied);

const spfStep = ({ name, value, found_values: found = [], problem }: DNSRecord): string => {
  const kept = `SPF of ${name} kept: yours is ${found.map((each) => `"${each}"`).join(' and ')}`;
  const reason = problem === undefined ? '' : ` ${problem}`;
  return found.includes(value) ? `${kept}.${reason}` : `${kept}, publish this merged one in its place: "${value}".${reason}`;
};

/** The steps that a response leaves to a person at the DNS provider, a sentence each. */
export const remainingSteps = (response: unknown): string[] => {
  const stated = response as WithRecords;
  const record = (stated.dns_validation ?? stated.domain?.dns_validation)?.spf_record;
  const isOpen = record && !record.valid && (record.found_values ?? []).length > 0 && isKept(stated, record);
  return isOpen ? [spfStep(record)] : [];
};
