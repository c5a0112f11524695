/** A hosted zone that we can write. */
export type DnsZone = {
  readonly id: string;
  /** In lower case without a trailing dot, as every name of this port. */
  readonly name: string;
  /** Number of record sets. */
  readonly record_count: number;
};

/** The records of one name and type. */
export type RecordSet = {
  readonly name: string;
  readonly type: string;
  /** Seconds. */
  readonly ttl: number;
  /** In zone file format (RFC 1035 §5.1): `10 mx.example.com.`, `"v=spf1 -all"`. */
  readonly values: readonly string[];
  /** The set is an alias or has a routing policy, so we can't rewrite it. */
  readonly isAliasOrRouted: boolean;
};

/**
 * A change of a whole record set. A DELETE needs exactly these values and this TTL, a CREATE needs that the set does
 * not exist.
 */
export type RecordChange = { readonly action: 'CREATE' | 'DELETE' } & Pick<RecordSet, 'name' | 'type' | 'ttl' | 'values'>;

/**
 * The provider refused all changes of a batch: the records have changed since they were read, or a change is invalid.
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

/**
 * The DNS provider whose hosted zones we can write. Adapter: `route53-dns-provider.ts`; the fake in `test/fakes/`
 * passes the same suite.
 */
export type DnsProvider = {
  /**
   * The zone with the longest name that holds the domain; undefined without one, and without the permission to list
   * zones.
   */
  findZone(domain: string): Promise<DnsZone | undefined>;
  /** The record sets at the domain and below it. */
  listRecordSets(zone: DnsZone, domain: string): Promise<RecordSet[]>;
  /**
   * Makes all changes of a batch or none.
   * @throws RecordChangeRefused; Unavailable while Route 53 applies an earlier change.
   */
  changeRecordSets(zone: DnsZone, changes: readonly RecordChange[]): Promise<void>;
};
