import { RecordChangeRefused, type DnsProvider, type RecordChange, type RecordSet } from '../../core/aws/route53-dns-provider.ts';

/** A {@link DnsProvider} in memory. */
type MemoryDnsProvider = DnsProvider & {
  addZone(name: string): void;
  /** Writes a record set as another application would, and replaces an existing one. */
  put(zone: string, set: Pick<RecordSet, 'name' | 'type' | 'values'> & Partial<RecordSet>): void;
  /** The values of a record set; undefined when it does not exist. */
  values(zone: string, name: string, type: string): readonly string[] | undefined;
  /** Called before each change, so that a test can make concurrent changes. */
  beforeChange: (changes: readonly RecordChange[]) => void | Promise<void>;
  /** The number of calls by operation. */
  readonly calls: { readonly [operation: string]: number };
};

const keyOf = ({ name, type }: Pick<RecordSet, 'name' | 'type'>): string => `${type} ${name}`;
const isAtOrBelow = (name: string, ancestor: string): boolean => name === ancestor || name.endsWith(`.${ancestor}`);
const isSame = (set: RecordSet, change: RecordChange): boolean =>
  set.ttl === change.ttl && JSON.stringify(set.values.toSorted()) === JSON.stringify(change.values.toSorted());

export const memoryDnsProvider = (): MemoryDnsProvider => {
  const zones = new Map<string, Map<string, RecordSet>>();
  const calls: { [operation: string]: number } = {};
  const count = (operation: string) => {
    calls[operation] = (calls[operation] ?? 0) + 1;
  };
  const provider: MemoryDnsProvider = {
    calls,
    beforeChange: () => undefined,
    addZone: (name) => void zones.set(name, new Map()),
    put: (zone, set) => void zones.get(zone)?.set(keyOf(set), { ttl: 300, isAliasOrRouted: false, ...set }),
    values: (zone, name, type) => zones.get(zone)?.get(keyOf({ name, type }))?.values,
    async findZone(domain) {
      count('findZone');
      const [name] = [...zones.keys()].filter((zone) => isAtOrBelow(domain, zone)).toSorted((a, b) => b.length - a.length);
      return name === undefined ? undefined : { id: `Z-${name}`, name, record_count: zones.get(name)?.size ?? 0 };
    },
    async listRecordSets(zone, domain) {
      count('listRecordSets');
      return [...(zones.get(zone.name)?.values() ?? [])].filter(({ name }) => isAtOrBelow(name, domain));
    },
    async changeRecordSets(zone, changes) {
      count('changeRecordSets');
      await provider.beforeChange(changes);
      const sets = new Map(zones.get(zone.name));
      for (const change of changes) {
        const { action, ...set } = change;
        const there = sets.get(keyOf(set));
        if (!isAtOrBelow(set.name, zone.name)) throw new RecordChangeRefused([`${set.name} is not permitted in zone ${zone.name}`]);
        if (action === 'CREATE' ? there !== undefined : !there || !isSame(there, change)) {
          throw new RecordChangeRefused([`Tried to ${action.toLowerCase()} ${keyOf(set)}`]);
        }
        if (action === 'CREATE') sets.set(keyOf(set), { ...set, isAliasOrRouted: false });
        else sets.delete(keyOf(set));
      }
      zones.set(zone.name, sets);
    },
  };
  return provider;
};
