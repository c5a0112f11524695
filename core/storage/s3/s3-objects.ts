import type { Objects } from '../objects.ts';
import { directRangeReader, type ReadRange } from './direct-s3.ts';

/**
 * {@link Objects} in an S3 bucket. Ranges are first read directly, because S3 has no checksum for them. The SDK, which
 * is loaded on demand, does everything else, and reads a range after a failed direct attempt. The SDK's environment
 * variables set the endpoint.
 */
export const s3Objects = (bucket: string, readRange: ReadRange | undefined = directRangeReader(bucket)): Objects => {
  const load = async (): Promise<Objects> => (await import('./sdk-objects.ts')).sdkObjects(bucket);
  let loaded: Promise<Objects> | undefined;
  const sdk = (): Promise<Objects> => (loaded ??= load());
  return {
    async get(key, range) {
      const read = range && range.end > range.start ? await readRange?.(key, range) : undefined;
      return read ?? (await sdk()).get(key, range);
    },
    put: async (...given) => (await sdk()).put(...given),
    copy: async (...given) => (await sdk()).copy(...given),
    size: async (key) => (await sdk()).size(key),
    list: async (prefix) => (await sdk()).list(prefix),
    remove: async (keys) => (await sdk()).remove(keys),
    removeSome: async (prefix) => (await sdk()).removeSome(prefix),
    erase: async (keys) => (await sdk()).erase(keys),
    eraseSome: async (prefix) => (await sdk()).eraseSome(prefix),
  };
};
