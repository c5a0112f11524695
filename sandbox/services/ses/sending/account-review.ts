import { randomUUID } from 'node:crypto';

/** The status of a request for production access (ReviewDetails.Status). */
export const reviewStatuses = ['PENDING', 'GRANTED', 'DENIED', 'FAILED'] as const;
export type ReviewStatus = (typeof reviewStatuses)[number];

export type Review = {
  readonly status: ReviewStatus;
  /** The status after a pending review. */
  readonly verdict: ReviewStatus;
  readonly caseId: string;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
};

/** Duration of a review in milliseconds; on AWS it is about a day. */
export const reviewTime = 2000;

const verdicts: { readonly [label: string]: ReviewStatus } = { pending: 'PENDING', denied: 'DENIED', failed: 'FAILED' };

/**
 * The verdict, by the first label of the website's host: `denied`, `failed`, `pending` (never decided); GRANTED for any
 * other label.
 */
const verdictForWebsite = (website: string): ReviewStatus => {
  const [label = ''] = URL.canParse(website) ? new URL(website).hostname.split('.') : [];
  return Object.hasOwn(verdicts, label) ? verdicts[label]! : 'GRANTED';
};

export const newReview = (website: string, now: Date): Review => ({
  status: 'PENDING',
  verdict: verdictForWebsite(website),
  caseId: randomUUID(),
  askedAt: now.getTime(),
});

/** The review at this time. When the time of a pending review has passed, its status is the verdict. */
export const reviewAt = (review: Review, now: Date): Review =>
  review.status === 'PENDING' && now.getTime() - review.askedAt >= reviewTime ? { ...review, status: review.verdict } : review;
