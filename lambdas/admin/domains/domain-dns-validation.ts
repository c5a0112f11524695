import type { DNSRecord, DNSValidationResult } from '../../../contract/admin/domains.ts';
import type { PublicDns } from '../../../core/dns/public-dns.ts';
import type { ExpectedRecord, ExpectedRecords } from './domain-dns-records.ts';

const validatedRecord = ({ isSameKind, isValid, ...record }: ExpectedRecord, values: readonly string[]): DNSRecord => ({
  ...record, exists: values.some(isSameKind), valid: values.some(isValid),
});

const allValid = (records: readonly DNSRecord[], requirement: DNSRecord['requirement']): boolean =>
  records.every((record) => record.requirement !== requirement || record.valid);

/** Looks up the expected records in public DNS, all at once. A record whose lookup fails does not exist. */
export const validateDns = async (dns: PublicDns, expected: ExpectedRecords): Promise<DNSValidationResult> => {
  const validate = async (
    record: ExpectedRecord,
  ): Promise<DNSRecord> => validatedRecord(record, (await dns.lookup(record.name, record.record_type)) ?? []);
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
    // A domain without DKIM tokens is not set up at the provider, whatever its other records say.
    required_valid: dkim.length > 0 && allValid(records, 'REQUIRED'),
    recommended_valid: allValid(records, 'RECOMMENDED'),
  };
};
