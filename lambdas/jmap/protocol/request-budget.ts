import { unadvertisedLimits } from '../../../contract/jmap/core.ts';

/** Limits of all calls of a request together. */
type SharedLimit =
  'maxSizeReferences' | 'maxFilterNodesInRequest' | 'maxSearchTermsInRequest' | 'maxSearchOctetsInRequest' | 'maxUnindexedEmailsInRequest'
  | 'maxEmailContentsInRequest' | 'maxRawMessagesInRequest' | 'maxRawOctetsInRequest' | 'maxBlobsInRequest' | 'maxBlobOctetsInRequest'
  | 'maxComposedOctetsInRequest';

/**
 * The part of the shared limits that the calls of one request have used. A single call may be cheap; a request has 32
 * of them, and result references repeat a large argument in each.
 */
export type RequestBudget = {
  /** Counts an amount. @returns false when the request has exceeded the limit, then and from then on. */
  spend(limit: SharedLimit, amount: number): boolean;
  /** The remainder; negative when the request has exceeded the limit. */
  remaining(limit: SharedLimit): number;
};

export const requestBudget = (): RequestBudget => {
  const used = new Map<SharedLimit, number>();
  const remaining = (limit: SharedLimit) => unadvertisedLimits[limit] - (used.get(limit) ?? 0);
  return {
    remaining,
    spend(limit, amount) {
      used.set(limit, (used.get(limit) ?? 0) + amount);
      return remaining(limit) >= 0;
    },
  };
};
