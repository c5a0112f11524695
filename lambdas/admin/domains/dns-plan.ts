import { dnsTtl, type SPFMode } from '../../../contract/admin/domains.ts';
import type { RecordChange, RecordSet } from '../../../core/aws/route53/dns-provider.ts';
import type { AppliedRecord } from '../../../core/directory/domains.ts';
import type { WantedRecord, WantedRecords } from './dns-records.ts';
import { plainValue, zoneFileValue } from './record-values.ts';

/** A record that can't be written because of what somebody else has there. */
export type Conflict = { readonly name: string; readonly record_type: string; readonly why: string };

/** What to change so that DNS says what it should. */
export type DnsPlan = {
  readonly changes: readonly RecordChange[];
  /** The values of ours that the changes bring, and those of ours that they take away. */
  readonly brings: readonly AppliedRecord[];
  readonly takes: readonly AppliedRecord[];
  readonly conflicts: readonly Conflict[];
};

/** What becomes of somebody else's value of the same kind: it stays and ours is not written, it gives way, or it is a conflict. */
type Foreign = 'stays' | 'gives-way' | 'conflicts';

const nothing: DnsPlan = { changes: [], brings: [], takes: [], conflicts: [] };

const together = (plans: readonly DnsPlan[]): DnsPlan => ({
  changes: plans.flatMap(({ changes }) => changes),
  brings: plans.flatMap(({ brings }) => brings),
  takes: plans.flatMap(({ takes }) => takes),
  conflicts: plans.flatMap(({ conflicts }) => conflicts),
});

/** An alias or a CNAME takes the whole name (RFC 1034 §3.6.2). */
const obstacle = ({ name, record_type: type }: WantedRecord, found: readonly RecordSet[]): string | undefined => {
  const here = found.filter((set) => set.name === name);
  if (here.some((set) => set.type === type && set.isAliasOrRouted)) return 'it is an alias or has a routing policy';
  if (type !== 'CNAME' && here.some((set) => set.type === 'CNAME')) return 'the name is a CNAME';
  if (type === 'CNAME' && here.some((set) => set.type !== 'CNAME')) return 'the name has other records';
  return undefined;
};

/** Takes a set away exactly as it was found: the batch is refused when it has moved since, so nobody's value is lost. */
const deletion = ({ name, type, ttl, values }: RecordSet): RecordChange => ({ action: 'DELETE', name, type, ttl, values });

const planFor = (wanted: WantedRecord, foreign: Foreign, found: readonly RecordSet[], ours: readonly AppliedRecord[]): DnsPlan => {
  const { name, record_type: type, value } = wanted;
  const conflict = (why: string): DnsPlan => ({ ...nothing, conflicts: [{ name, record_type: type, why }] });
  const inTheWay = obstacle(wanted, found);
  if (inTheWay) return conflict(inTheWay);

  const brings = [{ name, record_type: type, value }];
  const set = found.find((each) => each.name === name && each.type === type);
  if (!set) return { ...nothing, changes: [{ action: 'CREATE', name, type, ttl: dnsTtl, values: [zoneFileValue(type, value)] }], brings };

  const values = set.values.map((raw) => ({ raw, plain: plainValue(type, raw) }));
  const ofKind = values.filter(({ plain }) => wanted.isOfKind(plain));
  // One right value will do, but where it is forced there must be no other beside it.
  if (ofKind.some(({ plain }) => wanted.isRight(plain)) && (foreign !== 'gives-way' || ofKind.length === 1)) return nothing;
  const ourValues = ours.filter((record) => record.name === name && record.record_type === type);
  const isOurs = (plain: string): boolean => ourValues.some((record) => record.value === plain);
  if (foreign !== 'gives-way' && ofKind.some(({ plain }) => !isOurs(plain))) return foreign === 'stays' ? nothing : conflict('somebody else\'s record is there');

  const kept = values.filter(({ plain }) => !wanted.isOfKind(plain)).map(({ raw }) => raw);
  const creation: RecordChange = { action: 'CREATE', name, type, ttl: kept.length > 0 ? set.ttl : dnsTtl, values: [...kept, zoneFileValue(type, value)] };
  return { ...nothing, changes: [deletion(set), creation], brings, takes: ourValues.filter((record) => record.value !== value) };
};

/**
 * What ApplyDomainRecords changes: what is missing is created, a value of ours that is not wanted any more gives way to the one that is, and a set keeps
 * every value that is not of the kind. Somebody else's SPF policy stays under CREATE_IF_MISSING and gives way under FORCE_VALUE; anything else of
 * somebody else's in the way is a conflict.
 * @param found the record sets at and below the domain. @param ours the values that we wrote.
 */
export const planRecords = (wanted: WantedRecords, mode: SPFMode, found: readonly RecordSet[], ours: readonly AppliedRecord[]): DnsPlan => {
  const { dkim_records: dkim, mail_from_records: mailFrom, mx_record: mx, dmarc_record: dmarc, spf_record: spf, autodiscovery_records: autodiscovery } = wanted;
  const firm = [...dkim, ...mailFrom, mx, dmarc, ...autodiscovery].filter((record) => record !== undefined);
  const isWritten = mode === 'CREATE_IF_MISSING' || mode === 'FORCE_VALUE';
  return together([
    ...firm.map((record) => planFor(record, 'conflicts', found, ours)),
    ...(spf && isWritten ? [planFor(spf, mode === 'FORCE_VALUE' ? 'gives-way' : 'stays', found, ours)] : []),
  ]);
};

/** What DeleteDomainRecord changes: our values go from the set, the others stay. Nothing when none of ours is there. */
export const planRemoval = (set: RecordSet | undefined, ours: readonly AppliedRecord[]): readonly RecordChange[] => {
  if (!set || set.isAliasOrRouted) return [];
  const isOurs = (raw: string): boolean =>
    ours.some((record) => record.name === set.name && record.record_type === set.type && plainValue(record.record_type, raw) === record.value);
  const kept = set.values.filter((raw) => !isOurs(raw));
  if (kept.length === set.values.length) return [];
  return [deletion(set), ...(kept.length > 0 ? [{ action: 'CREATE', name: set.name, type: set.type, ttl: set.ttl, values: kept } as const] : [])];
};
