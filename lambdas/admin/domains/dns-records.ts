import { dnsTtl, type DNSRecord, type Domain } from '../../../contract/admin/domains.ts';
import { feedbackHost, inboundHost } from '../../../contract/ses-hosts.ts';
import type { LookupType } from '../../../core/dns/public-dns.ts';

/** What the domain's owner wants of it. */
export type DesiredDomain = Pick<Domain, 'domain' | 'send_enabled' | 'receive_enabled' | 'dmarc_enabled' | 'dmarc_policy' | 'dmarc_report_email' | 'spf_mode' | 'spf_value'>;

/** What the provider wants of its DNS. */
export type ProviderWishes = { readonly dkimTokens: readonly string[]; readonly mail_from_domain?: string };

/** Where this deployment is. */
export type ServicePlace = {
  /** The AWS region whose SES it uses. */
  readonly region: string;
  /** Where mail clients reach JMAP over https: `jmap.example.com:443`. */
  readonly jmapServer: string;
};

/** A record that the domain should have, and which of its values would do. */
export type WantedRecord = Pick<DNSRecord, 'name' | 'value' | 'ttl' | 'requirement'> & {
  readonly record_type: LookupType;
  /** A value of the kind that is wanted, right or not: any TXT is not an SPF policy. */
  readonly isOfKind: (value: string) => boolean;
  readonly isRight: (value: string) => boolean;
};

/** The records by their place in DNSValidationResult. */
export type WantedRecords = {
  readonly dkim_records: readonly WantedRecord[];
  readonly mail_from_records: readonly WantedRecord[];
  readonly mx_record?: WantedRecord;
  readonly dmarc_record?: WantedRecord;
  readonly spf_record?: WantedRecord;
  readonly autodiscovery_records: readonly WantedRecord[];
};

/** Where bounces come back to: a subdomain that nothing else uses (SES: custom MAIL FROM). */
export const mailFromDomainOf = (domain: string): string => `bounce.${domain}`;

const sesPolicy = 'v=spf1 include:amazonses.com ~all';

const any = () => true;
const normal = (value: string): string => value.trim().replace(/\s+/g, ' ').toLowerCase();
const isSpf = (value: string): boolean => /^v=spf1(\s|$)/i.test(value.trim());
const letsSesSend = (value: string): boolean => isSpf(value) && /(^|\s)\+?include:amazonses\.com(\s|$)/i.test(value);

/** `v=DMARC1; p=none; rua=…` as its tags (RFC 7489 §6.3). */
const dmarcTags = (value: string): ReadonlyMap<string, string> => new Map(value.split(';').flatMap((tag) => {
  const [name = '', ...rest] = tag.split('=');
  return rest.length > 0 ? [[name.trim().toLowerCase(), rest.join('=').trim().toLowerCase()] as const] : [];
}));

const isDmarc = (value: string): boolean => /^v\s*=\s*DMARC1\s*(;|$)/.test(value.trim());

/** An MX is right by its host; which of several is asked first is the owner's business. */
const exchangeOf = (value: string): string => value.split(' ').at(-1) ?? '';

const exchange = (name: string, host: string, requirement: WantedRecord['requirement']): WantedRecord => ({
  name, record_type: 'MX', value: `10 ${host}`, ttl: dnsTtl, requirement, isOfKind: any, isRight: (value) => exchangeOf(value) === host,
});

const policy = (name: string, value: string, isRight: (value: string) => boolean): WantedRecord =>
  ({ name, record_type: 'TXT', value, ttl: dnsTtl, requirement: 'RECOMMENDED', isOfKind: isSpf, isRight });

const dkimRecord = (domain: string, token: string): WantedRecord => {
  const target = `${token}.dkim.amazonses.com`;
  return {
    name: `${token}._domainkey.${domain}`, record_type: 'CNAME', value: target, ttl: dnsTtl, requirement: 'REQUIRED', isOfKind: any, isRight: (value) => value === target,
  };
};

const spfRecord = ({ domain, spf_mode: mode, spf_value: forced }: DesiredDomain): WantedRecord => (
  mode === 'FORCE_VALUE' && forced !== undefined
    ? policy(domain, forced, (value) => normal(value) === normal(forced))
    : policy(domain, sesPolicy, letsSesSend));

const dmarcRecord = ({ domain, dmarc_policy: wanted, dmarc_report_email: report }: DesiredDomain): WantedRecord => ({
  name: `_dmarc.${domain}`,
  record_type: 'TXT',
  value: `v=DMARC1; p=${wanted.toLowerCase()};${report === undefined ? '' : ` rua=mailto:${report}`}`,
  ttl: dnsTtl,
  requirement: 'RECOMMENDED',
  isOfKind: isDmarc,
  isRight: (value) => {
    const tags = dmarcTags(value);
    return isDmarc(value) && tags.get('p') === wanted.toLowerCase() && (report === undefined || (tags.get('rua') ?? '').includes(`mailto:${report}`));
  },
});

/** Port and host of an SRV decide; its priority and weight only order several servers (RFC 2782). */
const serverOf = (value: string): string => value.split(' ').slice(2).join(' ');

/** RFC 8620 §2.2; with a weight of 0, since there is one server to choose from (RFC 2782). */
const jmapRecord = (domain: string, jmapServer: string): WantedRecord => {
  const [host, port] = jmapServer.split(':');
  const value = `0 0 ${port} ${host}`;
  return {
    name: `_jmap._tcp.${domain}`, record_type: 'SRV', value, ttl: dnsTtl, requirement: 'RECOMMENDED', isOfKind: any, isRight: (found) => serverOf(found) === serverOf(value),
  };
};

/**
 * What DNS should say so that the domain does what is wanted of it: DKIM proves to SES that the domain is ours and signs its mail, the MX brings mail in;
 * MAIL FROM, SPF and DMARC make others trust what goes out; autodiscovery leads the clients of those who receive mail there to JMAP.
 */
export const wantedRecords = (domain: DesiredDomain, provider: ProviderWishes, { region, jmapServer }: ServicePlace): WantedRecords => ({
  dkim_records: provider.dkimTokens.map((token) => dkimRecord(domain.domain, token)),
  mail_from_records: domain.send_enabled && provider.mail_from_domain !== undefined
    ? [
      exchange(provider.mail_from_domain, feedbackHost(region), 'RECOMMENDED'),
      policy(provider.mail_from_domain, sesPolicy, letsSesSend),
    ]
    : [],
  mx_record: domain.receive_enabled ? exchange(domain.domain, inboundHost(region), 'REQUIRED') : undefined,
  dmarc_record: domain.dmarc_enabled ? dmarcRecord(domain) : undefined,
  spf_record: domain.send_enabled && domain.spf_mode !== 'OFF' ? spfRecord(domain) : undefined,
  autodiscovery_records: domain.receive_enabled ? [jmapRecord(domain.domain, jmapServer)] : [],
});
