import {
  ListResourceRecordSetsCommand, paginateListHostedZones, type ListResourceRecordSetsCommandOutput, type ResourceRecordSet, type Route53Client,
} from '@aws-sdk/client-route-53';

/** The records of one name and type. */
export type RecordSet = {
  /** Lower-cased, without the dot at the end; a wildcard begins with `*.`. */
  readonly name: string;
  readonly type: string;
  /** Seconds. */
  readonly ttl: number;
  /** As Route 53 writes them: `10 mail.example.test.`, `"v=spf1 -all"`. Empty for an alias. */
  readonly values: readonly string[];
  /** Where an alias record points, written like `name`. */
  readonly alias?: string;
};

export type Zone = { readonly name: string; readonly records: readonly RecordSet[] };

/** The public hosted zones of an account, read anew at each call: a change is seen by the next question. */
export type Zones = {
  /** The zone that holds this name: the one with the longest name that is the name itself or an ancestor of it. */
  find(name: string): Promise<Zone | undefined>;
};

/** `\052.Example.test.` → `*.example.test`: Route 53 writes unusual octets of a name in octal. */
export const plainName = (name: string): string => name
  .replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCodePoint(Number.parseInt(octal, 8)))
  .replace(/\.$/, '')
  .toLowerCase();

/** The name and all its ancestors, longest first. */
export const lineage = (name: string): string[] => {
  const labels = name.split('.');
  return labels.map((_, index) => labels.slice(index).join('.'));
};

const recordSet = (set: ResourceRecordSet): RecordSet => ({
  name: plainName(set.Name ?? ''),
  type: set.Type ?? '',
  ttl: set.TTL ?? 60,
  values: (set.ResourceRecords ?? []).map((record) => record.Value ?? ''),
  ...(set.AliasTarget?.DNSName === undefined ? {} : { alias: plainName(set.AliasTarget.DNSName) }),
});

const zoneIds = async (client: Route53Client): Promise<Map<string, string>> => {
  const ids = new Map<string, string>();
  for await (const page of paginateListHostedZones({ client }, {})) {
    for (const zone of page.HostedZones ?? []) {
      const name = plainName(zone.Name ?? '');
      if (!zone.Config?.PrivateZone && !ids.has(name)) ids.set(name, zone.Id ?? '');
    }
  }
  return ids;
};

const recordsOf = async (client: Route53Client, zoneId: string): Promise<RecordSet[]> => {
  const records: RecordSet[] = [];
  let page: ListResourceRecordSetsCommandOutput | undefined;
  do {
    page = await client.send(new ListResourceRecordSetsCommand({
      HostedZoneId: zoneId,
      StartRecordName: page?.NextRecordName,
      StartRecordType: page?.NextRecordType,
      StartRecordIdentifier: page?.NextRecordIdentifier,
    }));
    records.push(...(page.ResourceRecordSets ?? []).map(recordSet));
  } while (page.IsTruncated && page.NextRecordName !== undefined);
  return records;
};

/** The hosted zones that this client's account holds. Of two zones of one name the first is served. */
export const zonesIn = (client: Route53Client): Zones => ({
  async find(name) {
    const ids = await zoneIds(client);
    const zone = lineage(plainName(name)).find((ancestor) => ids.has(ancestor));
    return zone === undefined ? undefined : { name: zone, records: await recordsOf(client, ids.get(zone)!) };
  },
});

/** The octets of a TXT value: `"v=spf1 " "-all"` → one string of each pair of quotes (RFC 1035 §5.1, with Route 53's octal escapes). */
export const textStrings = (value: string): string[] => {
  const quoted = [...value.matchAll(/"((?:[^"\\]|\\.)*)"/gs)].map((match) => match[1]!);
  return (quoted.length === 0 ? [value] : quoted).map((text) => text.replaceAll(/\\([0-7]{3}|.)/gs, (_, escaped: string) =>
    escaped.length === 3 ? String.fromCodePoint(Number.parseInt(escaped, 8)) : escaped));
};

/** The values of a name and type in a zone, without wildcards and aliases: what a check of somebody's records looks at. */
export const valuesAt = (zone: Zone | undefined, name: string, type: string): readonly string[] =>
  zone?.records.find((set) => set.name === plainName(name) && set.type === type)?.values ?? [];
