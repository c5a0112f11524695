import type { Clock } from '../../core/runtime/clock.ts';
import type { Metadata } from './documents.ts';

/** What the identity provider says of itself. Rejects when that can't be read and never could. */
export type Provider = () => Promise<Metadata>;

/** Milliseconds for which the provider's word is taken without asking again. */
const freshFor = 60 * 60 * 1000;
/** Milliseconds after a failure before the provider is asked again, while there are older values to answer with. */
const retryAfter = 60 * 1000;

const isMetadata = (value: unknown): value is Metadata => typeof value === 'object' && value !== null && !Array.isArray(value);

const read = async (url: string): Promise<Metadata> => {
  const answer = await fetch(url, { signal: AbortSignal.timeout(5000), redirect: 'error' });
  if (!answer.ok) throw new Error(`the identity provider answered ${answer.status}`);
  const metadata: unknown = await answer.json();
  if (!isMetadata(metadata)) throw new Error('the identity provider answered no object');
  return metadata;
};

/** The provider's metadata, kept for an hour; longer when it can't be read any more. */
export const providerAt = (url: string, now: Clock): Provider => {
  let kept: { readonly metadata: Metadata; readonly until: number } | undefined;
  return async () => {
    if (kept && now().getTime() < kept.until) return kept.metadata;
    try {
      kept = { metadata: await read(url), until: now().getTime() + freshFor };
    } catch (failure) {
      if (!kept) throw failure;
      kept = { ...kept, until: now().getTime() + retryAfter };
    }
    return kept.metadata;
  };
};
