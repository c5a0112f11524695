import type { LookupType, PublicDns } from '../../core/runtime/public-dns.ts';

/** A {@link PublicDns} in memory. `set` sets the records of a name; after `fail` every lookup fails. */
export const memoryPublicDns = (): PublicDns & { set(name: string, type: LookupType, ...values: string[]): void; fail(): void } => {
  const records = new Map<string, string[]>();
  let fails = false;
  return {
    set: (name, type, ...values) => void records.set(`${type} ${name}`, values),
    fail() {
      fails = true;
    },
    lookup: async (name, type) => (fails ? undefined : (records.get(`${type} ${name}`) ?? [])),
  };
};
