import type { Clock } from '../../core/runtime/clock.ts';
import type { ServerMetadata } from './discovery-documents.ts';

/** Reads the identity provider's metadata. It rejects when they cannot be read and are not cached. */
export type ReadProviderMetadata = () => Promise<ServerMetadata>;

/** Milliseconds for which the metadata are cached. */
const freshFor = 60 * 60 * 1000;
/** Milliseconds after a failure until the next attempt, if there are cached metadata. */
const retryAfter = 60 * 1000;

const isServerMetadata = (value: unknown): value is ServerMetadata => typeof value === 'object' && value !== null && !Array.isArray(value);

const fetchMetadata = async (url: string): Promise<ServerMetadata> => {
  const response = await fetch(url, { signal: AbortSignal.timeout(5000), redirect: 'error' });
  if (!response.ok) throw new Error(`the identity provider responded with ${response.status}`);
  const metadata: unknown = await response.json();
  if (!isServerMetadata(metadata)) throw new Error('the response of the identity provider is not a JSON object');
  return metadata;
};

/** Reads metadata and caches them for an hour, or longer while the provider cannot be read. */
export const providerMetadataReader = (url: string, clock: Clock): ReadProviderMetadata => {
  let cached: { readonly metadata: ServerMetadata; readonly until: number } | undefined;
  return async () => {
    if (cached && clock().getTime() < cached.until) return cached.metadata;
    try {
      cached = { metadata: await fetchMetadata(url), until: clock().getTime() + freshFor };
    } catch (failure) {
      if (!cached) throw failure;
      cached = { ...cached, until: clock().getTime() + retryAfter };
    }
    return cached.metadata;
  };
};
