import {
  ChangeResourceRecordSetsCommand,
  InvalidChangeBatch,
  ListResourceRecordSetsCommand,
  NoSuchHostedZone,
  paginateListHostedZones,
  PriorRequestNotComplete,
  Route53Client,
  type HostedZone,
  type ListResourceRecordSetsCommandOutput,
  type ResourceRecordSet,
  type RRType,
} from '@aws-sdk/client-route-53';
import { isAccessDenied } from '../runtime/aws-errors.ts';
import { Unavailable } from '../runtime/domain-errors.ts';
import { namingErrors, clientTimeouts } from '../runtime/sdk-client.ts';

/** A hosted zone that the deployment can write. */
export type DnsZone = {
  readonly id: string;
  /** The name in lower case without a trailing dot, like every name of this port. */
  readonly name: string;
  /** Number of record sets. */
  readonly record_count: number;
};

/** The records of one name and type. */
export type RecordSet = {
  readonly name: string;
  readonly type: string;
  /** Time to live in seconds. */
  readonly ttl: number;
  /** The values in zone file format (RFC 1035 §5.1): `10 mx.example.com.`, `"v=spf1 -all"`. */
  readonly values: readonly string[];
  /** Whether the set is an alias or has a routing policy, so that the deployment can't write it again. */
  readonly isAliasOrRouted: boolean;
};

/**
 * A change of a whole record set. A DELETE requires that the set has these values and this TTL, a CREATE that the set
 * does not exist.
 */
export type RecordChange = { readonly action: 'CREATE' | 'DELETE' } & Pick<RecordSet, 'name' | 'type' | 'ttl' | 'values'>;

/**
 * Thrown when the provider refuses a batch, because records have changed since they were read, or a change is invalid.
 */
export class RecordChangeRefused extends Error {
  override readonly name = 'RecordChangeRefused';
  /** The provider's messages. */
  readonly reasons: readonly string[];
  constructor(reasons: readonly string[]) {
    super('the changes of DNS records were refused');
    this.reasons = reasons;
  }
}

/** The DNS provider. Adapter: {@link route53DnsProvider}; the fake in `test/fakes/` passes the same suite. */
export type DnsProvider = {
  /**
   * Finds the zone with the longest name that contains the domain. Undefined when there is none, or without permission.
   */
  findZone(domain: string): Promise<DnsZone | undefined>;
  /** Lists the record sets at the domain and below it. */
  listRecordSets(zone: DnsZone, domain: string): Promise<RecordSet[]>;
  /** Makes all changes or none. @throws RecordChangeRefused; Unavailable while Route 53 applies an earlier change. */
  changeRecordSets(zone: DnsZone, changes: readonly RecordChange[]): Promise<void>;
};

/**
 * Normalizes a name, in which Route 53 writes special octets in octal: `\052.Example.test.` becomes `*.example.test`.
 */
const normalizeName = (name = ''): string =>
  name
    .replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCodePoint(Number.parseInt(octal, 8)))
    .replace(/\.$/, '')
    .toLowerCase();

const isAtOrBelow = (name: string, ancestor: string): boolean => name === ancestor || name.endsWith(`.${ancestor}`);

const zoneOf = ({ Id: id = '', Name: name, ResourceRecordSetCount: count = 0 }: HostedZone): DnsZone => ({
  id: id.replace('/hostedzone/', ''),
  name: normalizeName(name),
  record_count: count,
});

const recordSetOf = (set: ResourceRecordSet): RecordSet => ({
  name: normalizeName(set.Name),
  type: set.Type ?? '',
  ttl: set.TTL ?? 0,
  values: (set.ResourceRecords ?? []).map(({ Value: value = '' }) => value),
  isAliasOrRouted: set.AliasTarget !== undefined || set.SetIdentifier !== undefined,
});

const changeOf = ({ action, name, type, ttl, values }: RecordChange) => ({
  Action: action,
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type is that of a record of Route 53, or one of the contract
  ResourceRecordSet: { Name: name, Type: type as RRType, TTL: ttl, ResourceRecords: values.map((Value) => ({ Value })) },
});

/** Maps the error of a change that Route 53 refuses. Other errors are returned unchanged. */
const toChangeError = (error: unknown): unknown => {
  if (error instanceof InvalidChangeBatch) return new RecordChangeRefused(error.messages?.length ? error.messages : [error.message]);
  if (error instanceof NoSuchHostedZone) return new RecordChangeRefused(['the hosted zone does not exist any more']);
  if (isAccessDenied(error)) return new RecordChangeRefused(['Route 53 denies writing this hosted zone']);
  if (error instanceof PriorRequestNotComplete) {
    return new Unavailable('Route 53 is still applying an earlier change; try again in a moment');
  }
  return error;
};

/**
 * Finds the public hosted zone of the account with the longest name that contains the domain.
 * @throws AccessDeniedException without permission.
 */
export const findHostedZone = async (client: Route53Client, domain: string): Promise<DnsZone | undefined> => {
  let best: DnsZone | undefined;
  for await (const { HostedZones: zones = [] } of paginateListHostedZones({ client }, {})) {
    for (const zone of zones.filter(({ Config }) => !Config?.PrivateZone).map(zoneOf)) {
      if (isAtOrBelow(domain, zone.name) && zone.name.length > (best?.name.length ?? 0)) best = zone;
    }
  }
  return best;
};

/** {@link DnsProvider} in Route 53: the public hosted zones of this AWS account. */
export const route53DnsProvider = (client = namingErrors(new Route53Client(clientTimeouts))): DnsProvider => ({
  async findZone(domain) {
    try {
      return await findHostedZone(client, domain);
    } catch (error) {
      if (isAccessDenied(error)) return undefined;
      throw error;
    }
  },
  async listRecordSets({ id }, domain) {
    const found: RecordSet[] = [];
    // Route 53 orders names by their labels from last to first, so the names below a domain follow the domain.
    for (let page: Partial<ListResourceRecordSetsCommandOutput> | undefined = { NextRecordName: domain }; page;) {
      const { NextRecordName: name, NextRecordType: type, NextRecordIdentifier: identifier } = page;
      const answer: ListResourceRecordSetsCommandOutput = await client.send(
        new ListResourceRecordSetsCommand({ HostedZoneId: id, StartRecordName: name, StartRecordType: type, StartRecordIdentifier: identifier }),
      );
      const sets = (answer.ResourceRecordSets ?? []).map(recordSetOf);
      found.push(...sets.filter((set) => isAtOrBelow(set.name, domain)));
      page = answer.IsTruncated && isAtOrBelow(normalizeName(answer.NextRecordName), domain) ? answer : undefined;
    }
    return found;
  },
  async changeRecordSets({ id }, changes) {
    try {
      await client.send(new ChangeResourceRecordSetsCommand({ HostedZoneId: id, ChangeBatch: { Changes: changes.map(changeOf) } }));
    } catch (error) {
      throw toChangeError(error);
    }
  },
});
