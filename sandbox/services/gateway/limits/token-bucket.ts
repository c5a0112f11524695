import type { Throttling } from '../deployed-apis.ts';

type Bucket = { tokens: number; updatedAt: number };

type TokenBuckets = {
  /** Whether a request is allowed now. An allowed request takes a token. */
  admits(name: string, throttling: Throttling | undefined): boolean;
};

/**
 * API Gateway's token buckets: the bucket of each route holds `burst` tokens and gets `rate` tokens a second.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-throttling.html
 * @param now Milliseconds of a monotonic clock.
 */
export const tokenBuckets = (now: () => number = () => performance.now()): TokenBuckets => {
  const buckets = new Map<string, Bucket>();
  return {
    admits(name, throttling) {
      if (!throttling) return true;
      const time = now();
      const bucket = buckets.get(name) ?? { tokens: throttling.burst, updatedAt: time };
      bucket.tokens = Math.min(throttling.burst, bucket.tokens + ((time - bucket.updatedAt) / 1000) * throttling.rate);
      bucket.updatedAt = time;
      buckets.set(name, bucket);
      if (bucket.tokens < 1) return false;
      bucket.tokens -= 1;
      return true;
    },
  };
};
