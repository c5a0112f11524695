import { z } from 'zod';
import { badRequest, notFound, SesError } from '../message/ses-error.ts';
import { newReview, reviewStatuses, type Review } from '../sending/account-review.ts';
import { enforcementStatuses, type Account } from '../sending/ses-account.ts';
import { parseBody, type SesRequest, type SesOperation } from './ses-operation.ts';

const detailsBody = z.object({
  MailType: z.enum(['MARKETING', 'TRANSACTIONAL']),
  WebsiteURL: z.string().min(1).max(1000),
  ContactLanguage: z.enum(['EN', 'JA']).default('EN'),
  UseCaseDescription: z.string().max(5000).optional(),
  AdditionalContactEmailAddresses: z.array(z.string()).min(1).max(4).optional(),
  ProductionAccessEnabled: z.boolean().optional(),
});

const reviewDetails = (review: Review | undefined) => (review ? { ReviewDetails: { Status: review.status, CaseId: review.caseId } } : {});

const accountResponse = (account: Account) => {
  const { productionAccess, sendingEnabled, suppressedReasons, details, review, enforcement = 'HEALTHY' } = account.state;
  const { perDay, perSecond } = account.quota();
  return {
    DedicatedIpAutoWarmupEnabled: false,
    EnforcementStatus: enforcement,
    ProductionAccessEnabled: productionAccess,
    SendQuota: { Max24HourSend: perDay, MaxSendRate: perSecond, SentLast24Hours: account.sentLastDay(new Date()) },
    SendingEnabled: sendingEnabled,
    SuppressionAttributes: { SuppressedReasons: suppressedReasons },
    ...(details === undefined ? {} : { Details: { ...details, ...reviewDetails(review) } }),
  };
};

/**
 * Requests production access, which starts a review. `ProductionAccessEnabled: false`, which only the sandbox supports,
 * removes production access and the review. During a review and after a denial a request is refused
 * (https://github.com/aws/aws-cli/issues/6652).
 */
const putDetails = (account: Account) => async (request: SesRequest) => {
  const { ProductionAccessEnabled: requested, ...details } = parseBody(detailsBody, request);
  const { productionAccess, review } = account.state;
  if (requested !== false && (review?.status === 'PENDING' || review?.status === 'DENIED')) {
    throw new SesError('ConflictException', 'There is already an account details update under review.');
  }
  await account.change((state) => {
    state.details = details;
    if (requested === false) Object.assign(state, { productionAccess: false, review: undefined });
    else if (requested && !productionAccess) state.review = newReview(details.WebsiteURL, new Date());
  });
  return {};
};

/** Decides a review as AWS staff would. This operation exists only in the sandbox. */
const decideReview =
  (account: Account) =>
  async ({ parameters }: SesRequest) => {
    const status = reviewStatuses.find((each) => each === parameters['Status']);
    if (!status) throw badRequest(`The status must be one of ${reviewStatuses.join(', ')}.`);
    if (!account.state.review) throw notFound('Production access was not requested.');
    await account.change((state) => Object.assign(state, { productionAccess: status === 'GRANTED', review: { ...state.review, status, verdict: status } }));
    return { Status: status };
  };

/** Sets the enforcement status as AWS staff would. This operation exists only in the sandbox. */
const enforce =
  (account: Account) =>
  async ({ parameters }: SesRequest) => {
    const status = enforcementStatuses.find((each) => each === parameters['Status']);
    if (!status) throw badRequest(`The status must be one of ${enforcementStatuses.join(', ')}.`);
    await account.change((state) => {
      state.enforcement = status;
    });
    return { Status: status };
  };

/** The operations on the account. */
export const accountOperations = (account: Account): SesOperation[] => [
  { method: 'GET', path: '/account', run: async () => accountResponse(account) },
  { method: 'POST', path: '/account/details', run: putDetails(account) },
  { method: 'POST', path: '/account/review/{Status}', run: decideReview(account) },
  { method: 'POST', path: '/account/enforcement/{Status}', run: enforce(account) },
  {
    method: 'PUT',
    path: '/account/suppression',
    async run(request) {
      const { SuppressedReasons } = parseBody(z.object({ SuppressedReasons: z.array(z.enum(['BOUNCE', 'COMPLAINT'])).default([]) }), request);
      await account.change((state) => {
        state.suppressedReasons = [...new Set(SuppressedReasons)];
      });
      return {};
    },
  },
  {
    method: 'PUT',
    path: '/account/sending',
    async run(request) {
      const { SendingEnabled } = parseBody(z.object({ SendingEnabled: z.boolean().default(false) }), request);
      await account.change((state) => {
        state.sendingEnabled = SendingEnabled;
      });
      return {};
    },
  },
];
