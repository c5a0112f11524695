/** A zone that we can write. */
export type DnsZone = {
  readonly id: string;
  /** In lower case, without a dot at the end, as every name here. */
  readonly name: string;
  /** How many record sets it has. */
  readonly record_count: number;
};

/** The records of one name and type. */
export type RecordSet = {
  readonly name: string;
  readonly type: string;
  /** Seconds. */
  readonly ttl: number;
  /** As a zone file writes them (RFC 1035 §5.1): `10 mx.example.com.`, `"v=spf1 -all"`. */
  readonly values: readonly string[];
  /** It is an alias, or one of several that are chosen between: not something that we can rewrite. */
  readonly isAliasOrRouted: boolean;
};

/** A change of a whole record set. A DELETE holds only for exactly these values and seconds, a CREATE only where there is no such set. */
export type RecordChange = { readonly action: 'CREATE' | 'DELETE' } & Pick<RecordSet, 'name' | 'type' | 'ttl' | 'values'>;

/** The provider did not make the changes, none of them: what is there is not what they began from, or it does not take them. */
export class RecordChangeRefused extends Error {
  override readonly name = 'RecordChangeRefused';
  /** Why, in the provider's words. */
  readonly reasons: readonly string[];
  constructor(reasons: readonly string[]) {
    super('the changes of DNS records were refused');
    this.reasons = reasons;
  }
}

/** Who keeps the DNS of domains for us. Adapter: `route53-dns-provider.ts`; the fake in `test/fakes/` passes the same suite. */
export type DnsProvider = {
  /** The zone with the longest name that holds the domain; undefined when there is none, or none that we may see. */
  findZone(domain: string): Promise<DnsZone | undefined>;
  /** The record sets of the domain and of the names below it. */
  listRecordSets(zone: DnsZone, domain: string): Promise<RecordSet[]>;
  /**
   * One batch: all of it or nothing.
   * @throws ChangeRefused
   */
  changeRecordSets(zone: DnsZone, changes: readonly RecordChange[]): Promise<void>;
};
