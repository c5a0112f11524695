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

/** The DNS provider. Adapter: `route53-dns-provider.ts`; the fake in `test/fakes/` passes the same suite. */
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
