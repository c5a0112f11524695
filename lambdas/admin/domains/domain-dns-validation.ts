import type { DNSRecord, DNSValidationResult } from '../../../contract/admin/domains.ts';
import type { AppliedRecord } from '../../../core/directory/domains/domains.ts';
import type { PublicDns } from '../../../core/runtime/public-dns.ts';
import type { ExpectedRecord, ExpectedRecords } from './domain-dns-records.ts';

/** Maximum values of a record in a response, because public DNS may have any number. */
const maxFoundValues = 20;

/** Compares the record with public DNS. A record whose lookup fails is treated as missing. */
const validateRecord = async (
  { isSameKind, isValid, isSingle = false, merge, ...record }: ExpectedRecord,
  dns: PublicDns,
  applied: readonly AppliedRecord[],
): Promise<DNSRecord> => {
  const { name, record_type: type } = record;
  const values = (await dns.lookup(name, type)) ?? [];
  const found = values.filter(isSameKind).sort();
  const valid = found.some(isValid) && !(isSingle && found.length > 1);
  const isOwn = (value: string): boolean => applied.some((own) => own.name === name && own.record_type === type && own.value === value);
  const areOwn = found.length > 0 && found.every(isOwn);
  const isMerged = merge && found.length > 0 && !valid && !areOwn;
  return {
    ...record,
    ...(isMerged && (await merge(found, (domain) => dns.lookup(domain, 'TXT')))),
    exists: found.length > 0,
    valid,
    applied: areOwn,
    found_values: found.slice(0, maxFoundValues),
  };
};

const allValid = (records: readonly DNSRecord[], requirement: DNSRecord['requirement']): boolean =>
  records.every((record) => record.requirement !== requirement || record.valid);

/** Looks up the expected records concurrently. @param applied the values that ApplyDomainRecords wrote. */
export const validateDns = async (dns: PublicDns, expected: ExpectedRecords, applied: readonly AppliedRecord[] = []): Promise<DNSValidationResult> => {
  const validate = (record: ExpectedRecord): Promise<DNSRecord> => validateRecord(record, dns, applied);
  const validateOptional = async (record: ExpectedRecord | undefined): Promise<DNSRecord | undefined> => record && validate(record);
  const [dkim, mailFrom, mx, dmarc, spf, autodiscovery] = await Promise.all([
    Promise.all(expected.dkim_records.map(validate)),
    Promise.all(expected.mail_from_records.map(validate)),
    validateOptional(expected.mx_record),
    validateOptional(expected.dmarc_record),
    validateOptional(expected.spf_record),
    Promise.all(expected.autodiscovery_records.map(validate)),
  ]);
  const records = [...dkim, ...mailFrom, mx, dmarc, spf, ...autodiscovery].filter((record) => record !== undefined);
  return {
    dkim_records: dkim,
    mail_from_records: mailFrom,
    mx_record: mx,
    dmarc_record: dmarc,
    spf_record: spf,
    autodiscovery_records: autodiscovery,
    // A domain without DKIM tokens is not registered at the provider, so it is not valid even if its other records are.
    required_valid: dkim.length > 0 && allValid(records, 'REQUIRED'),
    recommended_valid: allValid(records, 'RECOMMENDED'),
  };
};
