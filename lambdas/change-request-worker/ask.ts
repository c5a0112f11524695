import { quotas } from '../../contract/admin/change-request-quotas.ts';
import type { Concurrency } from '../../core/aws/lambda/lambda-concurrency.ts';
import type { QuotaProvider, QuotaRequest } from '../../core/aws/service-quotas/quota-provider.ts';
import type { SenderDetails, SendingAccount, SendingAccountStatus } from '../../core/aws/ses/sending-account.ts';
import { missingFields, requestedValue, type StoredChangeRequest } from '../../core/directory/change-request-record.ts';
import type { ChangeRequestOccurrence } from '../../core/directory/change-request-states.ts';
import type { TransitionDetails } from '../../core/directory/change-requests.ts';
import { quotaAnswers, reviewAnswers } from './provider-answers.ts';

export type Providers = { readonly sendingAccount: SendingAccount; readonly quotaProvider: QuotaProvider; readonly concurrency: Concurrency };

/** What became of a request at a provider. `request` is its record as it was last written. `wait`: the provider has another thing to do first. */
export type Outcome = {
  readonly request: StoredChangeRequest;
  readonly occurrence: ChangeRequestOccurrence | 'wait';
  readonly words: string;
  readonly details?: { readonly [name: string]: string };
  readonly work?: TransitionDetails['work'];
  readonly set?: TransitionDetails['set'];
};

/** Writes down that the request may reach the provider from now on. @returns undefined when the request is another by now. */
export type Begin = (request: StoredChangeRequest) => Promise<StoredChangeRequest | undefined>;

/** How far AWS's clock and ours may be apart, in milliseconds. */
const clockSkew = 60_000;

const isUndecided = ({ status }: QuotaRequest): boolean => status === 'PENDING' || status === 'CASE_OPENED';

/** Use case and comment are one text at SES, of so many characters. */
const longestUseCase = 5000;

const senderDetails = (websiteUrl: string, { ses_sending_limit: ses, work }: StoredChangeRequest): SenderDetails => ({
  websiteUrl,
  useCase: [ses?.use_case ?? '', ...(work.comment === undefined ? [] : [work.comment])].join('\n\n').slice(0, longestUseCase),
  ...(ses?.contact_email !== undefined && { contactAddress: ses.contact_email }),
});

const isSes = ({ type }: StoredChangeRequest): boolean => type !== 'LAMBDA_CONCURRENCY_INCREASE';

/**
 * Brings a request to its provider, and hears how it stands there. What was begun and not concluded is looked for at the provider before it is asked for again.
 * @returns undefined when the request is another by now. Throws what the providers throw.
 */
export const asking = ({ sendingAccount, quotaProvider, concurrency }: Providers, begin: Begin) => {
  const inForce = async (request: StoredChangeRequest, standing?: SendingAccountStatus): Promise<number | undefined> => {
    if (!isSes(request)) return (await concurrency.limits()).account_limit;
    const { max24hSend, maxSendRate } = standing ?? await sendingAccount.status();
    return (request.type === 'SES_MAX_24H_SEND_INCREASE' ? max24hSend : maxSendRate) ?? Infinity;
  };

  const adopted = (request: StoredChangeRequest, made: QuotaRequest): Outcome => ({
    request, occurrence: 'submitted', words: 'Submitted to AWS Service Quotas', details: { service_quotas_request_id: made.id },
    work: { submission: 'sent', awaiting: 'quota', comment: undefined },
    set: { aws_reference: { ...request.aws_reference!, service_quotas_request_id: made.id } },
  });

  const askForQuota = async (request: StoredChangeRequest, wanted: number): Promise<Outcome | undefined> => {
    const quota = quotas[request.type];
    const { submission, begun_at: begunAt } = request.work;
    if (submission === 'begun' && begunAt !== undefined) {
      const since = Date.parse(begunAt) - clockSkew;
      const lost = (await quotaProvider.listRequests(quota)).find((one) => one.requestedValue === wanted && (isUndecided(one) || one.createdAt.getTime() >= since));
      if (lost) return adopted(request, lost);
    }
    const begun = await begin(request);
    if (!begun) return undefined;
    const made = await quotaProvider.requestIncrease(quota, wanted);
    if (made) return adopted(begun, made);
    const other = (await quotaProvider.listRequests(quota)).find(isUndecided);
    if (other?.requestedValue === wanted) return adopted(begun, other);
    return { request: begun, occurrence: 'wait', words: 'AWS has to decide on another request for this quota first', work: { submission: 'due' } };
  };

  const askForProduction = async (request: StoredChangeRequest, standing: SendingAccountStatus): Promise<Outcome | undefined> => {
    const website = request.ses_sending_limit?.website_url;
    if (website === undefined) {
      return { request, occurrence: 'needs-information', words: 'Amazon SES gives production access to those only who tell their website: give ses_sending_limit.website_url', work: { submission: 'due' } };
    }
    const asked = (of: StoredChangeRequest): Outcome => ({
      request: of, occurrence: 'submitted', words: 'Production access was asked for at Amazon SES', work: { submission: 'sent', awaiting: 'production-access', comment: undefined },
    });
    if (standing.review?.status === 'PENDING') return asked(request);
    const begun = await begin(request);
    if (!begun) return undefined;
    if (await sendingAccount.requestProductionAccess(senderDetails(website, request))) return asked(begun);
    const { review } = await sendingAccount.status();
    if (review?.status !== 'DENIED') return asked(begun);
    return {
      request: begun, occurrence: 'rejected', words: 'Amazon SES refused production access and takes no further request through its API: answer in the support case',
      ...(review.caseId !== undefined && { details: { support_case_id: review.caseId } }),
    };
  };

  const submit = async (request: StoredChangeRequest, known?: SendingAccountStatus): Promise<Outcome | undefined> => {
    const missing = missingFields(request.type, request);
    const wanted = requestedValue(request.type, request);
    if (missing.length > 0 || wanted === undefined) {
      return { request, occurrence: 'needs-information', words: `Give ${missing.join(' and ')}`, details: { missing: missing.join(' ') }, work: { submission: 'due' } };
    }
    const standing = isSes(request) ? known ?? await sendingAccount.status() : undefined;
    if (standing?.hasProductionAccess === false) return askForProduction(request, standing);
    const value = await inForce(request, standing);
    if (value !== undefined && value >= wanted) return { request, occurrence: 'fulfilled', words: 'The quota is what was asked for', ...(value !== Infinity && { details: { value_in_force: String(value) } }) };
    return askForQuota(request, wanted);
  };

  const hearReview = async (request: StoredChangeRequest): Promise<Outcome | undefined> => {
    const standing = await sendingAccount.status();
    // SES has given access, or has yet to make good its word.
    if (standing.hasProductionAccess) return submit(request, standing);
    const { status = 'PENDING', caseId } = standing.review ?? {};
    const { occurrence, words } = reviewAnswers[status];
    if (occurrence === 'submit-again') return submit(request, standing);
    return { request, occurrence, words, ...(caseId !== undefined && { details: { support_case_id: caseId } }) };
  };

  const hearQuota = async (request: StoredChangeRequest): Promise<Outcome | undefined> => {
    const found = await quotaProvider.findRequest(request.aws_reference?.service_quotas_request_id ?? '');
    if (!found) return { request, occurrence: 'failed', words: 'AWS Service Quotas does not know the request any more' };
    const { occurrence, words } = quotaAnswers[found.status];
    const value = found.status === 'CASE_CLOSED' ? await inForce(request) : undefined;
    if (value !== undefined && value >= found.requestedValue) return { request, occurrence: 'approved', words: quotaAnswers.APPROVED.words, details: { value_in_force: String(value) } };
    if (occurrence === 'submit-again') return submit(request);
    return { request, occurrence, words, details: { provider_status: found.status, ...(found.caseId !== undefined && { support_case_id: found.caseId }) } };
  };

  return async (request: StoredChangeRequest): Promise<Outcome | undefined> => {
    if (request.work.submission !== 'sent') return submit(request);
    return request.work.awaiting === 'production-access' ? hearReview(request) : hearQuota(request);
  };
};
