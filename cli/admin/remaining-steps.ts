import type { DNSRecord, DNSRecordName, DNSValidationResult, Domain } from '../../contract/admin/domains.ts';
import { shellWord } from '../../contract/values/shell-word.ts';

/** The responses with the records of a domain: of ApplyDomainRecords, and of GetDomain with include_dns_validation. */
type WithRecords = { readonly records_kept?: readonly DNSRecordName[]; readonly dns_validation?: DNSValidationResult; readonly domain?: Domain };

/** Whether a foreign SPF policy stays. Before ApplyDomainRecords was called, the setting decides. */
const isKept = ({ records_kept: kept, domain }: WithRecords, { name, applied }: DNSRecord): boolean =>
  kept ? kept.some((record) => record.name === name && record.record_type === 'TXT') : domain?.spf_mode !== 'FORCE_VALUE' && !applied;

const spfStep = ({ name, value, found_values: found = [], problem }: DNSRecord): string => {
  const kept = `SPF of ${name} kept: yours is ${found.map((each) => `"${each}"`).join(' and ')}`;
  const reason = problem === undefined ? '' : ` ${problem}`;
  return found.includes(value) ? `${kept}.${reason}` : `${kept}, publish this merged one in its place: "${value}".${reason}`;
};

/** The step that makes a new domain receive mail, unless the call said whether it does. The console suggests it in its form. */
const receivingStep = (request: Readonly<Record<string, unknown>>, { domain }: WithRecords): string[] =>
  domain === undefined || domain.receive_enabled || request['receive_enabled'] !== undefined
    ? []
    : [`${domain.domain} receives no mail; domains UpdateDomain --domain ${shellWord(domain.domain)} --receive-enabled changes that.`];

const spfSteps = (stated: WithRecords): string[] => {
  const record = (stated.dns_validation ?? stated.domain?.dns_validation)?.spf_record;
  const isOpen = record && !record.valid && (record.found_values ?? []).length > 0 && isKept(stated, record);
  return isOpen ? [spfStep(record)] : [];
};

/**
 * The steps that a call of the service domains leaves to a person, a sentence each.
 * @param method the name of the method, or of the method whose alias it is.
 */
export const remainingSteps = (method: string, request: Readonly<Record<string, unknown>>, response: unknown): string[] => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the client has checked the response
  const stated = response as WithRecords;
  return method === 'AddDomain' ? receivingStep(request, stated) : spfSteps(stated);
};
