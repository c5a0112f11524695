import type { StateFile } from '../../../state/state-file.ts';
import { reviewAt, type Review } from './account-review.ts';
import type { SuppressionReason } from './suppression-list.ts';

/** The number of recipients of all sent mail, and of those whose mail bounced permanently or caused a complaint. */
export type Reputation = { readonly sent: number; readonly bounced: number; readonly complained: number };

/** The statuses of the account when SES reviews it (EnforcementStatus). */
export const enforcementStatuses = ['HEALTHY', 'PROBATION', 'SHUTDOWN'] as const;

/** SES's settings of the account. */
type AccountState = {
  /** False while the account is in the SES sandbox and may send to verified addresses only. */
  productionAccess: boolean;
  sendingEnabled: boolean;
  /** Default: HEALTHY. */
  enforcement?: (typeof enforcementStatuses)[number];
  /** The reasons of suppression for which SES does not send mail. */
  suppressedReasons: SuppressionReason[];
  details?: Record<string, unknown>;
  /** The review of the last request for production access. */
  review?: Review;
  /**
   * The time of each sent message, once for each recipient, in milliseconds since 1970. Times older than a day are
   * deleted.
   */
  sent: number[];
  /** The account's reputation. Absent before the first message. */
  reputation?: Reputation;
};

export const newAccount: AccountState = { productionAccess: true, sendingEnabled: true, suppressedReasons: ['BOUNCE', 'COMPLAINT'], sent: [] };

export type Account = {
  /** The current state. A review whose time has passed is already decided. */
  readonly state: AccountState;
  change(apply: (state: AccountState) => void): Promise<void>;
  /** The sending quota and rate (Service quotas in Amazon SES). */
  quota(): { readonly perDay: number; readonly perSecond: number };
  sentLastDay(now: Date): number;
};

const day = 24 * 3_600_000;

/** Decides a due review when it is read. This needs no timer and works after a restart. */
const withReviewApplied = (state: AccountState): AccountState => {
  if (state.review) state.review = reviewAt(state.review, new Date());
  if (state.review?.status === 'GRANTED') state.productionAccess = true;
  return state;
};

/** The account's applied quotas, by their quota codes. */
export type AppliedQuotas = (quotaCode: 'L-804C8AE8' | 'L-CDEF9B6B') => number;
const newAccountQuotas: AppliedQuotas = (code) => (code === 'L-804C8AE8' ? 50_000 : 14);

/** @param applied the quotas with production access. Without it the quotas of the SES sandbox apply. */
export const openAccount = (file: StateFile<AccountState>, applied = newAccountQuotas): Account => ({
  get state() {
    return withReviewApplied(file.value);
  },
  async change(apply) {
    apply(withReviewApplied(file.value));
    await file.save();
  },
  quota: () =>
    withReviewApplied(file.value).productionAccess ? { perDay: applied('L-804C8AE8'), perSecond: applied('L-CDEF9B6B') } : { perDay: 200, perSecond: 1 },
  sentLastDay(now) {
    file.value.sent = file.value.sent.filter((at) => at > now.getTime() - day);
    return file.value.sent.length;
  },
});
