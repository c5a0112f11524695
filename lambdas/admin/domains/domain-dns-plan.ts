import { dnsTtl, type DNSRecordName, type SPFMode } from '../../../contract/admin/domains.ts';
import type { RecordChange, RecordSet } from '../../../core/aws/route53-dns-provider.ts';
import type { AppliedRecord } from '../../../core/directory/domains/domains.ts';
import { normalizeHost, type LookupType } from '../../../core/runtime/public-dns.ts';
import type { ExpectedRecord, ExpectedRecords } from './domain-dns-records.ts';

/** Maximum octets of one character string of a TXT record (RFC 1035 §3.3). */
const maxStringLength = 255;

/** Escapes quotes and backslashes, and writes octets that are not printable ASCII in octal, as Route 53 reads them. */
const escapeOctet = (code: number): string => {
  const character = String.fromCodePoint(code);
  if (character === '"' || character === '\\') return `\\${character}`;
  return code >= 0x20 && code < 0x7f ? character : `\\${code.toString(8).padStart(3, '0')}`;
};

const quoteText = (text: string): string => {
  const octets = [...Buffer.from(text)];
  const strings = Array.from({ length: Math.max(1, Math.ceil(octets.length / maxStringLength)) }, (_, index) =>
    octets.slice(index * maxStringLength, (index + 1) * maxStringLength),
  );
  return strings.map((string) => `"${string.map(escapeOctet).join('')}"`).join(' ');
};

const unquoteText = (value: string): string => {
  const strings = [...value.matchAll(/"((?:[^"\\]|\\.)*)(?:"|\\?$)/gs)].map((match) => match[1] ?? '');
  const octets = (strings.length === 0 ? [value] : strings)
    .join('')
    .replaceAll(/\\([0-7]{3}|.)/gs, (_, escaped: string) => (escaped.length === 3 ? String.fromCodePoint(Number.parseInt(escaped, 8)) : escaped));
  // Octets beyond ASCII are read as UTF-8.
  return Buffer.from(octets, 'latin1').toString();
};

/** Decodes a zone file's value into the form of `PublicDns`. */
const decodeZoneFileValue = (type: LookupType, value: string): string => {
  if (type === 'TXT') return unquoteText(value);
  return normalizeHost(value.trim().replace(/\s+/g, ' '));
};

/** Encodes a value as a zone file writes it (RFC 1035 §5.1). */
const encodeZoneFileValue = (type: LookupType, value: string): string => (type === 'TXT' ? quoteText(value) : `${value}.`);

/** An expected record that can't be written because a foreign record conflicts with it. */
type DnsConflict = { readonly name: string; readonly record_type: string; readonly reason: string };

/** The changes after which a hosted zone has the expected records. */
export type DnsPlan = {
  readonly changes: readonly RecordChange[];
  /** Values that the changes add. */
  readonly adds: readonly AppliedRecord[];
  /** Values of the deployment that the changes remove. */
  readonly removes: readonly AppliedRecord[];
  readonly conflicts: readonly DnsConflict[];
  /** Foreign records that are kept although they differ from the expected records. */
  readonly kept: readonly DNSRecordName[];
};

/**
 * The treatment of a foreign value of the same kind: it is kept instead of the expected value, it is replaced, or it is
 * a conflict.
 */
type ForeignValuePolicy = 'keep' | 'replace' | 'conflict';

const emptyPlan: DnsPlan = { changes: [], adds: [], removes: [], conflicts: [], kept: [] };

const joinPlans = (plans: readonly DnsPlan[]): DnsPlan => ({
  changes: plans.flatMap(({ changes }) => changes),
  adds: plans.flatMap(({ adds }) => adds),
  removes: plans.flatMap(({ removes }) => removes),
  conflicts: plans.flatMap(({ conflicts }) => conflicts),
  kept: plans.flatMap(({ kept }) => kept),
});

/**
 * The reason why the record can't exist beside other records with its name: an alias or a CNAME excludes other records
 * (RFC 1034 §3.6.2).
 */
const problem = ({ name, record_type: type }: ExpectedRecord, existing: readonly RecordSet[]): string | undefined => {
  const setsOfName = existing.filter((set) => set.name === name);
  if (setsOfName.some((set) => set.type === type && set.isAliasOrRouted)) return 'it is an alias or has a routing policy';
  if (type !== 'CNAME' && setsOfName.some((set) => set.type === 'CNAME')) return 'the name is a CNAME';
  if (type === 'CNAME' && setsOfName.some((set) => set.type !== 'CNAME')) return 'the name has other records';
  return undefined;
};

/**
 * The deletion of a record set with the values that were read. The provider refuses it when the set has changed since.
 */
const deletion = ({ name, type, ttl, values }: RecordSet): RecordChange => ({ action: 'DELETE', name, type, ttl, values });

/** Maximum characters of a foreign value in the message of a conflict. */
const maxQuotedValue = 200;

const foreignValues = (values: readonly string[]): string =>
  `DNS has ${values.map((value) => `"${value.slice(0, maxQuotedValue)}"`).join(', ')}, which Postrider did not write`;

const planRecord = (
  expected: ExpectedRecord,
  foreignPolicy: ForeignValuePolicy,
  existing: readonly RecordSet[],
  applied: readonly AppliedRecord[],
): DnsPlan => {
  const { name, record_type: type, value } = expected;
  const keep: DnsPlan = { ...emptyPlan, kept: [{ name, record_type: type }] };
  const conflict = (reason: string): DnsPlan => ({ ...emptyPlan, conflicts: [{ name, record_type: type, reason }] });
  const reason = problem(expected, existing);
  if (reason) return conflict(reason);

  const adds = [{ name, record_type: type, value }];
  const set = existing.find((each) => each.name === name && each.type === type);
  if (!set) {
    return { ...emptyPlan, changes: [{ action: 'CREATE', name, type, ttl: dnsTtl, values: [encodeZoneFileValue(type, value)] }], adds };
  }

  const values = set.values.map((raw) => ({ raw, decoded: decodeZoneFileValue(type, raw) }));
  const sameKind = values.filter(({ decoded }) => expected.isSameKind(decoded));
  // One valid value is sufficient, but a forced value must be the only one of its kind.
  if (sameKind.some(({ decoded }) => expected.isValid(decoded)) && (foreignPolicy !== 'replace' || sameKind.length === 1)) {
    return foreignPolicy === 'keep' && sameKind.length > 1 ? keep : emptyPlan;
  }
  const ownRecords = applied.filter((record) => record.name === name && record.record_type === type);
  const isOwn = (decoded: string): boolean => ownRecords.some((record) => record.value === decoded);
  const foreign = sameKind.map(({ decoded }) => decoded).filter((decoded) => !isOwn(decoded));
  if (foreignPolicy !== 'replace' && foreign.length > 0) {
    return foreignPolicy === 'keep' ? keep : conflict(foreignValues(foreign));
  }

  const kept = values.filter(({ decoded }) => !expected.isSameKind(decoded)).map(({ raw }) => raw);
  const creation: RecordChange = { action: 'CREATE', name, type, ttl: kept.length > 0 ? set.ttl : dnsTtl, values: [...kept, encodeZoneFileValue(type, value)] };
  return { ...emptyPlan, changes: [deletion(set), creation], adds, removes: ownRecords.filter((record) => record.value !== value) };
};

/**
 * Plans the changes of ApplyDomainRecords. It creates missing records, replaces outdated values of the deployment, and
 * keeps values of other kinds. A foreign SPF policy is kept with CREATE_IF_MISSING and replaced with FORCE_VALUE. Any
 * other foreign value of the same name and type is a conflict.
 * @param existing the record sets at and below the domain. @param applied the values that the deployment has written.
 */
export const planRecords = (expected: ExpectedRecords, mode: SPFMode, existing: readonly RecordSet[], applied: readonly AppliedRecord[]): DnsPlan => {
  const {
    dkim_records: dkim,
    mail_from_records: mailFrom,
    mx_record: mx,
    dmarc_record: dmarc,
    spf_record: spf,
    autodiscovery_records: autodiscovery,
  } = expected;
  const records = [...dkim, ...mailFrom, mx, dmarc, ...autodiscovery].filter((record) => record !== undefined);
  const writesSpf = mode === 'CREATE_IF_MISSING' || mode === 'FORCE_VALUE';
  return joinPlans([
    ...records.map((record) => planRecord(record, 'conflict', existing, applied)),
    ...(spf && writesSpf ? [planRecord(spf, mode === 'FORCE_VALUE' ? 'replace' : 'keep', existing, applied)] : []),
  ]);
};

/** Plans the removal of the deployment's values from the set. Empty when the set has none of them. */
export const planRemoval = (set: RecordSet | undefined, applied: readonly AppliedRecord[]): readonly RecordChange[] => {
  if (!set || set.isAliasOrRouted) return [];
  const isOwn = (raw: string): boolean =>
    applied.some((record) => record.name === set.name && record.record_type === set.type && decodeZoneFileValue(record.record_type, raw) === record.value);
  const kept = set.values.filter((raw) => !isOwn(raw));
  if (kept.length === set.values.length) return [];
  return [deletion(set), ...(kept.length > 0 ? [{ action: 'CREATE', name: set.name, type: set.type, ttl: set.ttl, values: kept } as const] : [])];
};
