import { systemClock, type Clock } from '../../core/runtime/clock.ts';
import type { Objects, StoredObject } from '../../core/storage/objects.ts';

type Kept = { readonly bytes: Buffer; readonly type?: string; readonly modified: Date };

/** The mail bucket in memory; passes the same port suite as the S3 adapter. */
export type MemoryObjects = Objects & {
  /** The keys of all objects, sorted. */
  keys(): string[];
  /** The former contents of the object, oldest first. A removed object keeps its last content. */
  earlierVersions(key: string): readonly Buffer[];
};

export const memoryObjects = (clock: Clock = systemClock): MemoryObjects => {
  const kept = new Map<string, Kept>();
  const earlier = new Map<string, Kept[]>();
  const supersede = (key: string): void => {
    const found = kept.get(key);
    if (found) earlier.set(key, [...(earlier.get(key) ?? []), found]);
    kept.delete(key);
  };
  const cut = ({ bytes, type }: Kept, range?: { readonly start: number; readonly end: number }): StoredObject => ({
    bytes: Buffer.from(range ? bytes.subarray(range.start, Math.max(range.start, range.end)) : bytes),
    size: bytes.length,
    type,
  });

  return {
    async get(key, range) {
      const found = kept.get(key);
      return found && cut(found, range);
    },
    async put(key, bytes, type) {
      supersede(key);
      kept.set(key, { bytes: Buffer.from(bytes), type: type ?? 'application/octet-stream', modified: clock() });
    },
    async copy(from, to) {
      const found = kept.get(from);
      if (found) {
        supersede(to);
        kept.set(to, { ...found, modified: clock() });
      }
      return found !== undefined;
    },
    async size(key) {
      return kept.get(key)?.bytes.length;
    },
    async list(prefix) {
      const found = [...kept].filter(([key]) => key.startsWith(prefix)).sort(([one], [other]) => (one < other ? -1 : 1));
      return found.slice(0, 1000).map(([key, { modified }]) => ({ key, modified }));
    },
    async remove(keys) {
      for (const key of keys) supersede(key);
    },
    async removeSome(prefix) {
      const found = [...kept.keys()].filter((key) => key.startsWith(prefix)).slice(0, 1000);
      for (const key of found) supersede(key);
      return found.length;
    },
    async erase(keys) {
      for (const versions of [kept, earlier]) for (const key of keys) versions.delete(key);
    },
    async eraseSome(prefix) {
      const found = [...new Set([...kept.keys(), ...earlier.keys()])].filter((key) => key.startsWith(prefix)).slice(0, 1000);
      for (const versions of [kept, earlier]) for (const key of found) versions.delete(key);
      return found.length;
    },
    keys: () => [...kept.keys()].sort(),
    earlierVersions: (key) => (earlier.get(key) ?? []).map(({ bytes }) => bytes),
  };
};
