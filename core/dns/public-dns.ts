/** Kinds of record that we ask for. */
export type LookupType = 'CNAME' | 'MX' | 'TXT' | 'SRV';

/** What public DNS says now. Adapter: `node-dns.ts`. */
export type PublicDns = {
  /**
   * The values of a name's records: a CNAME's target, an MX as `10 host`, an SRV as `priority weight port host`, a TXT as one text. Host names in lower case without a trailing dot.
   * Empty when there are none; undefined when it could not be learned.
   */
  lookup(name: string, type: LookupType): Promise<readonly string[] | undefined>;
};
