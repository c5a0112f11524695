import { standingOf, type Review } from './account-review.ts';
import type { SuppressionReason } from './suppression-list.ts';
import type { StateFile } from '../../state-file.ts';

/** What SES knows of the account as a whole. */
export type AccountState = {
  /** False: the account is in what AWS calls the SES sandbox and sends to verified addresses only. */
  productionAccess: boolean;
  sendingEnabled: boolean;
  /** Which entries of the suppression list hold mail back. */
  suppressedReasons: SuppressionReason[];
  details?: Record<string, unknown>;
  /** Of the last request for production access. */
  review?: Review;
  /** When something was sent, in milliseconds since 1970, once for each recipient; older than a day is forgotten. */
  sent: number[];
};

export const newAccount: AccountState = { productionAccess: true, sendingEnabled: true, suppressedReasons: ['BOUNCE', 'COMPLAINT'], sent: [] };

export type Account = {
  /** As it is now: a review whose time is over is decided. */
  readonly state: AccountState;
  change(apply: (state: AccountState) => void): Promise<void>;
  /** How many may be sent in 24 hours and in a second (Service quotas in Amazon SES). */
  quota(): { readonly perDay: number; readonly perSecond: number };
  sentLastDay(now: Date): number;
};

const day = 24 * 3_600_000;

/** Judged on read, so that no timer is needed and a restart changes nothing. */
const settled = (state: AccountState): AccountState => {
  if (state.review) state.review = standingOf(state.review, new Date());
  if (state.review?.status === 'GRANTED') state.productionAccess = true;
  return state;
};

/** What Service Quotas says that applies to the account, by SES's codes. */
export type AppliedQuotas = (quotaCode: 'L-804C8AE8' | 'L-CDEF9B6B') => number;
const ofNewAccount: AppliedQuotas = (code) => (code === 'L-804C8AE8' ? 50_000 : 14);

/** @param applied with production access; without it the quotas are those of the SES sandbox. */
export const accountIn = (file: StateFile<AccountState>, applied = ofNewAccount): Account => ({
  get state() { return settled(file.value); },
  async change(apply) {
    apply(settled(file.value));
    await file.save();
  },
  quota: () => (settled(file.value).productionAccess ? { perDay: applied('L-804C8AE8'), perSecond: applied('L-CDEF9B6B') } : { perDay: 200, perSecond: 1 }),
  sentLastDay(now) {
    file.value.sent = file.value.sent.filter((at) => at > now.getTime() - day);
    return file.value.sent.length;
  },
});
