import {
  ListResourceRecordSetsCommand,
  paginateListHostedZones,
  type ListResourceRecordSetsCommandOutput,
  type ResourceRecordSet,
  type Route53Client,
} from '@aws-sdk/client-route-53';

/** The records of one name and type. */
export type RecordSet = {
  /** In lower case, without the final dot; a wildcard begins with `*.`. */
  readonly name: string;
  readonly type: string;
  /** Time to live in seconds. */
  readonly ttl: number;
  /** The values in Route 53's format: `10 mail.example.test.`, `"v=spf1 -all"`. Empty for an alias. */
  readonly values: readonly string[];
  /** The target of an alias record, in the format of `name`. */
  readonly alias?: string;
};

export type HostedZone = { readonly name: string; readonly records: readonly RecordSet[] };

/** The public hosted zones of an account. They are read at each call, so a change is visible to the next query. */
export type HostedZones = {
  /** The zone for this name: the zone with the longest name that equals it or is an ancestor of it. */
  find(name: string): Promise<HostedZone | undefined>;
};

/** Normalizes a name: `\052.Example.test.` → `*.example.test`. Route 53 escapes special characters in octal. */
export const normalizeName = (name: string): string =>
  name
    .replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCodePoint(Number.parseInt(octal, 8)))
    .replace(/\.$/, '')
    .toLowerCase();

/** The name and all its ancestors, longest first. */
export const nameAndAncestors = (name: string): string[] => {
  const labels = name.split('.');
  return labels.map((_, index) => labels.slice(index).join('.'));
};

const recordSet = (set: ResourceRecordSet): RecordSet => ({
  name: normalizeName(set.Name ?? ''),
  type: set.Type ?? '',
  ttl: set.TTL ?? 60,
  values: (set.ResourceRecords ?? []).map((record) => record.Value ?? ''),
  ...(set.AliasTarget?.DNSName === undefined ? {} : { alias: normalizeName(set.AliasTarget.DNSName) }),
});

const zoneIds = async (client: Route53Client): Promise<Map<string, string>> => {
  const ids = new Map<string, string>();
  for await (const page of paginateListHostedZones({ client }, {})) {
    for (const zone of page.HostedZones ?? []) {
      const name = normalizeName(zone.Name ?? '');
      if (!zone.Config?.PrivateZone && !ids.has(name)) ids.set(name, zone.Id ?? '');
    }
  }
  return ids;
};

const recordsOf = async (client: Route53Client, zoneId: string): Promise<RecordSet[]> => {
  const records: RecordSet[] = [];
  let page: ListResourceRecordSetsCommandOutput | undefined;
  do {
    page = await client.send(
      new ListResourceRecordSetsCommand({
        HostedZoneId: zoneId,
        StartRecordName: page?.NextRecordName,
        StartRecordType: page?.NextRecordType,
        StartRecordIdentifier: page?.NextRecordIdentifier,
      }),
    );
    records.push(...(page.ResourceRecordSets ?? []).map(recordSet));
  } while (page.IsTruncated && page.NextRecordName !== undefined);
  return records;
};

/** The hosted zones of the client's account. Of two zones with the same name the first is used. */
export const hostedZones = (client: Route53Client): HostedZones => ({
  async find(name) {
    const ids = await zoneIds(client);
    const zone = nameAndAncestors(normalizeName(name)).find((ancestor) => ids.has(ancestor));
    return zone === undefined ? undefined : { name: zone, records: await recordsOf(client, ids.get(zone)!) };
  },
});

/**
 * The strings of a TXT value such as `"v=spf1 " "-all"`, one for each quoted string (RFC 1035 §5.1, with Route 53's
 * octal escapes).
 */
export const textStrings = (value: string): string[] => {
  const quoted = [...value.matchAll(/"((?:[^"\\]|\\.)*)"/gs)].map((match) => match[1]!);
  return (quoted.length === 0 ? [value] : quoted).map((text) =>
    text.replaceAll(/\\([0-7]{3}|.)/gs, (_, escaped: string) => (escaped.length === 3 ? String.fromCodePoint(Number.parseInt(escaped, 8)) : escaped)),
  );
};

/** The values of a name and type in a zone, without wildcards and aliases. */
export const recordValues = (zone: HostedZone | undefined, name: string, type: string): readonly string[] =>
  zone?.records.find((set) => set.name === normalizeName(name) && set.type === type)?.values ?? [];
