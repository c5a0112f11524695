import { dnsTtl, type DNSRecord, type Domain } from '../../../contract/admin/domains.ts';
import { feedbackHost, inboundHost } from '../../../contract/deployment/sending.ts';
import { allowsSes, isSpf, mergeSpf, sesSpfPolicy } from '../../../core/directory/domains/spf-policy.ts';
import type { LookupType } from '../../../core/runtime/public-dns.ts';

/** The settings of a domain that determine its DNS records. */
export type DnsSettings = Pick<
  Domain,
  'domain' | 'send_enabled' | 'receive_enabled' | 'dmarc_enabled' | 'dmarc_policy' | 'dmarc_report_email' | 'spf_mode' | 'spf_value'
>;

/** The records that the sending provider requires in the domain's DNS. */
type ProviderRecords = { readonly dkimTokens: readonly string[]; readonly mail_from_domain?: string };

/** The targets of the records of this deployment's domains. */
export type DnsTargets = {
  /** The AWS region whose SES the deployment uses. */
  readonly region: string;
  /** Host and port of JMAP over HTTPS: `jmap.example.com:443`. */
  readonly jmapServer: string;
};

/** A record that the domain should have, and the rules by which a value in DNS is accepted for it. */
export type ExpectedRecord = Pick<DNSRecord, 'name' | 'value' | 'ttl' | 'requirement'> & {
  readonly record_type: LookupType;
  /**
   * Whether a value in DNS has the same purpose, valid or not. For example, a TXT record without an SPF policy has
   * another purpose.
   */
  readonly isSameKind: (value: string) => boolean;
  readonly isValid: (value: string) => boolean;
  /** Whether a valid value must be the only value for its purpose. */
  readonly isSingle?: boolean;
  /** Computes the value to publish instead of foreign values. Default: `value`. */
  readonly merge?: typeof mergeSpf;
};

/** The expected records, by their field in DNSValidationResult. */
export type ExpectedRecords = {
  readonly dkim_records: readonly ExpectedRecord[];
  readonly mail_from_records: readonly ExpectedRecord[];
  readonly mx_record?: ExpectedRecord;
  readonly dmarc_record?: ExpectedRecord;
  readonly spf_record?: ExpectedRecord;
  readonly autodiscovery_records: readonly ExpectedRecord[];
};

/** The subdomain to which bounces are sent (SES: custom MAIL FROM domain). It must not be used for anything else. */
export const mailFromDomainOf = (domain: string): string => `bounce.${domain}`;

const anyValue = () => true;
const normalize = (value: string): string => value.trim().replace(/\s+/g, ' ').toLowerCase();

/** The tags of `v=DMARC1; p=none; rua=…` (RFC 7489 §6.3). */
const parseDmarcTags = (value: string): ReadonlyMap<string, string> =>
  new Map(
    value.split(';').flatMap((tag) => {
      const [name = '', ...rest] = tag.split('=');
      return rest.length > 0 ? [[name.trim().toLowerCase(), rest.join('=').trim().toLowerCase()] as const] : [];
    }),
  );

const isDmarc = (value: string): boolean => /^v\s*=\s*DMARC1\s*(;|$)/.test(value.trim());

/** The host of an MX record, which alone decides whether the record is valid. The owner chooses the preference. */
const mxHost = (value: string): string => value.split(' ').at(-1) ?? '';

const mxRecord = (name: string, host: string, requirement: ExpectedRecord['requirement']): ExpectedRecord => ({
  name,
  record_type: 'MX',
  value: `10 ${host}`,
  ttl: dnsTtl,
  requirement,
  isSameKind: anyValue,
  isValid: (value) => mxHost(value) === host,
});

const spfRecord = (name: string, value: string, isValid: (value: string) => boolean): ExpectedRecord => ({
  name,
  record_type: 'TXT',
  value,
  ttl: dnsTtl,
  requirement: 'RECOMMENDED',
  isSameKind: isSpf,
  isValid,
  isSingle: true,
});

/** A record that allows SES to send, in addition to the senders of a foreign policy. */
const sesSpfRecord = (name: string): ExpectedRecord => ({ ...spfRecord(name, sesSpfPolicy, allowsSes), merge: mergeSpf });

const dkimRecord = (domain: string, token: string): ExpectedRecord => {
  const target = `${token}.dkim.amazonses.com`;
  return {
    name: `${token}._domainkey.${domain}`,
    record_type: 'CNAME',
    value: target,
    ttl: dnsTtl,
    requirement: 'REQUIRED',
    isSameKind: anyValue,
    isValid: (value) => value === target,
  };
};

const domainSpfRecord = ({ domain, spf_mode: mode, spf_value: forced }: DnsSettings): ExpectedRecord =>
  mode === 'FORCE_VALUE' && forced !== undefined ? spfRecord(domain, forced, (value) => normalize(value) === normalize(forced)) : sesSpfRecord(domain);

const dmarcRecord = ({ domain, dmarc_policy: policy, dmarc_report_email: reportEmail }: DnsSettings): ExpectedRecord => ({
  name: `_dmarc.${domain}`,
  record_type: 'TXT',
  value: `v=DMARC1; p=${policy.toLowerCase()};${reportEmail === undefined ? '' : ` rua=mailto:${reportEmail}`}`,
  ttl: dnsTtl,
  requirement: 'RECOMMENDED',
  isSameKind: isDmarc,
  isValid: (value) => {
    const tags = parseDmarcTags(value);
    return isDmarc(value) && tags.get('p') === policy.toLowerCase() && (reportEmail === undefined || (tags.get('rua') ?? '').includes(`mailto:${reportEmail}`));
  },
});

/**
 * The port and the host of an SRV record, which alone decide whether the record is valid. Priority and weight only
 * order several servers (RFC 2782).
 */
const srvServer = (value: string): string => value.split(' ').slice(2).join(' ');

/** The SRV record for autodiscovery (RFC 8620 §2.2). Its weight is 0 because there is one server (RFC 2782). */
const jmapRecord = (domain: string, jmapServer: string): ExpectedRecord => {
  const [host, port] = jmapServer.split(':');
  const value = `0 0 ${port} ${host}`;
  return {
    name: `_jmap._tcp.${domain}`,
    record_type: 'SRV',
    value,
    ttl: dnsTtl,
    requirement: 'RECOMMENDED',
    isSameKind: anyValue,
    isValid: (candidate) => srvServer(candidate) === srvServer(value),
  };
};

/**
 * The DNS records that a domain should have for its settings. DKIM proves to SES who owns the domain, and signs its
 * mail. The MX receives mail. MAIL FROM, SPF and DMARC make other servers trust its mail. Mail clients find JMAP by the
 * SRV.
 */
export const expectedRecords = (settings: DnsSettings, provider: ProviderRecords, { region, jmapServer }: DnsTargets): ExpectedRecords => ({
  dkim_records: provider.dkimTokens.map((token) => dkimRecord(settings.domain, token)),
  mail_from_records:
    settings.send_enabled && provider.mail_from_domain !== undefined
      ? [mxRecord(provider.mail_from_domain, feedbackHost(region), 'RECOMMENDED'), sesSpfRecord(provider.mail_from_domain)]
      : [],
  mx_record: settings.receive_enabled ? mxRecord(settings.domain, inboundHost(region), 'REQUIRED') : undefined,
  dmarc_record: settings.dmarc_enabled ? dmarcRecord(settings) : undefined,
  spf_record: settings.send_enabled && settings.spf_mode !== 'OFF' ? domainSpfRecord(settings) : undefined,
  autodiscovery_records: settings.receive_enabled ? [jmapRecord(settings.domain, jmapServer)] : [],
});
