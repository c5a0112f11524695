import type { DNSRecord, DNSValidationResult } from '../../contract/admin/domains.ts';

/** The response of a method with the records of a domain: ApplyDomainRecords, and GetDomain with include_dns_validation. */
type WithRecords = { readonly dns_validation?: DNSValidationResult; readonly domain?: { readonly dns_validation?: DNSValidationResult } };

const spfStep = ({ name, valid, value, found_values: found = [], problem }: DNSRecord): string[] => {
  if (valid || found.length === 0) return [];
  const kept = `SPF of ${name} kept: yours is ${found.map((each) => `"${each}"`).join(' and ')}`;
  const reason = problem === undefined ? '' : ` ${problem}`;
  return [found.includes(value) ? `${kept}.${reason}` : `${kept}, publish this merged one in its place: "${value}".${reason}`];
};

/** What a response leaves to a person to do at the DNS provider, a sentence each. */
export const remainingSteps = (response: unknown): string[] => {
  const { dns_validation: applied, domain } = response as WithRecords;
  const record = (applied ?? domain?.dns_validation)?.spf_record;
  return record ? spfStep(record) : [];
};
