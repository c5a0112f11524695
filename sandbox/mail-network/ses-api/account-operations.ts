import { z } from 'zod';
import type { Account } from '../sending/ses-account.ts';
import { newReview, reviewStatuses, type Review } from '../sending/account-review.ts';
import { bodyOf, type ApiRequest, type Operation } from './ses-operation.ts';
import { badRequest, notFound, SesError } from './ses-error.ts';

const detailsBody = z.object({
  MailType: z.enum(['MARKETING', 'TRANSACTIONAL']),
  WebsiteURL: z.string().min(1).max(1000),
  ContactLanguage: z.enum(['EN', 'JA']).default('EN'),
  UseCaseDescription: z.string().max(5000).optional(),
  AdditionalContactEmailAddresses: z.array(z.string()).min(1).max(4).optional(),
  ProductionAccessEnabled: z.boolean().optional(),
});

const reviewDetails = (review: Review | undefined) => (review ? { ReviewDetails: { Status: review.status, CaseId: review.caseId } } : {});

const described = (account: Account) => {
  const { productionAccess, sendingEnabled, suppressedReasons, details, review } = account.state;
  const { perDay, perSecond } = account.quota();
  return {
    DedicatedIpAutoWarmupEnabled: false,
    EnforcementStatus: 'HEALTHY',
    ProductionAccessEnabled: productionAccess,
    SendQuota: { Max24HourSend: perDay, MaxSendRate: perSecond, SentLast24Hours: account.sentLastDay(new Date()) },
    SendingEnabled: sendingEnabled,
    SuppressionAttributes: { SuppressedReasons: suppressedReasons },
    ...(details === undefined ? {} : { Details: { ...details, ...reviewDetails(review) } }),
  };
};

/**
 * Whoever asks for production access is reviewed; details that say no to it take it away, and forget the review, which only the sandbox does.
 * While a review is under way, and after it was denied, nothing can be asked (https://github.com/aws/aws-cli/issues/6652).
 */
const putDetails = (account: Account) => async (request: ApiRequest) => {
  const { ProductionAccessEnabled: wanted, ...details } = bodyOf(detailsBody, request);
  const { productionAccess, review } = account.state;
  if (wanted !== false && (review?.status === 'PENDING' || review?.status === 'DENIED')) throw new SesError('ConflictException', 'There is already an account details update under review.');
  await account.change((state) => {
    state.details = details;
    if (wanted === false) Object.assign(state, { productionAccess: false, review: undefined });
    else if (wanted && !productionAccess) state.review = newReview(details.WebsiteURL, new Date());
  });
  return {};
};

/** What people at AWS decide: the sandbox's own, to be called by hand and by tests. */
const decideReview = (account: Account) => async ({ parameters }: ApiRequest) => {
  const status = reviewStatuses.find((each) => each === parameters['Status']);
  if (!status) throw badRequest(`A review is ${reviewStatuses.join(', ')}.`);
  if (!account.state.review) throw notFound('Nobody asked for production access.');
  await account.change((state) => Object.assign(state, { productionAccess: status === 'GRANTED', review: { ...state.review, status, verdict: status } }));
  return { Status: status };
};

/** The operations on the account as a whole. */
export const accountOperations = (account: Account): Operation[] => [
  { method: 'GET', path: '/account', run: async () => described(account) },
  { method: 'POST', path: '/account/details', run: putDetails(account) },
  { method: 'POST', path: '/account/review/{Status}', run: decideReview(account) },
  {
    method: 'PUT', path: '/account/suppression',
    async run(request) {
      const { SuppressedReasons } = bodyOf(z.object({ SuppressedReasons: z.array(z.enum(['BOUNCE', 'COMPLAINT'])).default([]) }), request);
      await account.change((state) => { state.suppressedReasons = [...new Set(SuppressedReasons)]; });
      return {};
    },
  },
  {
    method: 'PUT', path: '/account/sending',
    async run(request) {
      const { SendingEnabled } = bodyOf(z.object({ SendingEnabled: z.boolean().default(false) }), request);
      await account.change((state) => { state.sendingEnabled = SendingEnabled; });
      return {};
    },
  },
];
