import type { DNSRecord, DNSValidationResult } from '../../../contract/admin/domains.ts';
import type { PublicDns } from '../../../core/dns/public-dns.ts';
import type { WantedRecord, WantedRecords } from './dns-records.ts';

/** A wanted record beside the values that DNS has; values that could not be learned are none. */
const recordWith = ({ isOfKind, isRight, ...record }: WantedRecord, values: readonly string[]): DNSRecord => ({
  ...record, exists: values.some(isOfKind), valid: values.some(isRight),
});

const holds = (records: readonly DNSRecord[], requirement: DNSRecord['requirement']): boolean =>
  records.every((record) => record.requirement !== requirement || record.valid);

/** Asks public DNS, all at once, what is there of what should be. */
export const validateDns = async (dns: PublicDns, wanted: WantedRecords): Promise<DNSValidationResult> => {
  const ask = async (record: WantedRecord): Promise<DNSRecord> => recordWith(record, (await dns.lookup(record.name, record.record_type)) ?? []);
  const askOne = async (record: WantedRecord | undefined): Promise<DNSRecord | undefined> => record && ask(record);
  const [dkim, mailFrom, mx, dmarc, spf, autodiscovery] = await Promise.all([
    Promise.all(wanted.dkim_records.map(ask)),
    Promise.all(wanted.mail_from_records.map(ask)),
    askOne(wanted.mx_record),
    askOne(wanted.dmarc_record),
    askOne(wanted.spf_record),
    Promise.all(wanted.autodiscovery_records.map(ask)),
  ]);
  const all = [...dkim, ...mailFrom, mx, dmarc, spf, ...autodiscovery].filter((record) => record !== undefined);
  return {
    dkim_records: dkim,
    mail_from_records: mailFrom,
    mx_record: mx,
    dmarc_record: dmarc,
    spf_record: spf,
    autodiscovery_records: autodiscovery,
    // Without its DKIM tokens nothing about a domain is known to be right.
    required_valid: dkim.length > 0 && holds(all, 'REQUIRED'),
    recommended_valid: holds(all, 'RECOMMENDED'),
  };
};
