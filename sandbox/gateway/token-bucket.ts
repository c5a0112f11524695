import type { Throttling } from './deployed-apis.ts';

type Bucket = { tokens: number; at: number };

export type Throttle = {
  /** Whether a request may pass now; it is counted when it does. */
  admits(name: string, throttling: Throttling | undefined): boolean;
};

/**
 * API Gateway's token buckets: each route has one that holds `burst` tokens and gets `rate` a second.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-throttling.html
 * @param now Milliseconds of any clock that does not go back.
 */
export const throttle = (now: () => number = () => performance.now()): Throttle => {
  const buckets = new Map<string, Bucket>();
  return {
    admits(name, throttling) {
      if (!throttling) return true;
      const at = now();
      const bucket = buckets.get(name) ?? { tokens: throttling.burst, at };
      bucket.tokens = Math.min(throttling.burst, bucket.tokens + ((at - bucket.at) / 1000) * throttling.rate);
      bucket.at = at;
      buckets.set(name, bucket);
      if (bucket.tokens < 1) return false;
      bucket.tokens -= 1;
      return true;
    },
  };
};
