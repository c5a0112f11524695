import { randomUUID } from 'node:crypto';

/** How far SES is with its look at an account that asked for production access (ReviewDetails.Status). */
export const reviewStatuses = ['PENDING', 'GRANTED', 'DENIED', 'FAILED'] as const;
export type ReviewStatus = (typeof reviewStatuses)[number];

export type Review = {
  readonly status: ReviewStatus;
  /** What a pending one comes to by itself. */
  readonly verdict: ReviewStatus;
  readonly caseId: string;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
};

/** How long SES looks at an account, in milliseconds; on AWS it is a day. */
export const reviewTime = 2000;

const verdicts: { readonly [label: string]: ReviewStatus } = { pending: 'PENDING', denied: 'DENIED', failed: 'FAILED' };

/** Told by the first label of the website's host: `denied`, `failed` and `pending` (which stays so until somebody decides) are what they say, all others are GRANTED. */
const verdictOn = (website: string): ReviewStatus => {
  const [label = ''] = URL.canParse(website) ? new URL(website).hostname.split('.') : [];
  return Object.hasOwn(verdicts, label) ? verdicts[label]! : 'GRANTED';
};

export const newReview = (website: string, now: Date): Review => ({ status: 'PENDING', verdict: verdictOn(website), caseId: randomUUID(), askedAt: now.getTime() });

/** A review as it stands now: decided by itself when its time is over. */
export const standingOf = (review: Review, now: Date): Review =>
  (review.status === 'PENDING' && now.getTime() - review.askedAt >= reviewTime ? { ...review, status: review.verdict } : review);
