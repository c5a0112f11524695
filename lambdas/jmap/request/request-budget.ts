import { unadvertisedLimits } from '../../../contract/jmap/core.ts';

/** Limits that apply to all calls of a request together. */
type SharedLimit =
  | 'maxSizeReferences'
  | 'maxFilterNodesInRequest'
  | 'maxSearchTermsInRequest'
  | 'maxSearchOctetsInRequest'
  | 'maxUnindexedEmailsInRequest'
  | 'maxEmailContentsInRequest'
  | 'maxRawMessagesInRequest'
  | 'maxRawOctetsInRequest'
  | 'maxBlobsInRequest'
  | 'maxBlobOctetsInRequest'
  | 'maxComposedOctetsInRequest';

/**
 * The amounts that the calls of a request have used of the shared limits. Shared limits are needed because references
 * can repeat a large argument in each call.
 */
export type RequestBudget = {
  /** Counts an amount. @returns whether the request is still within the limit. */
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
