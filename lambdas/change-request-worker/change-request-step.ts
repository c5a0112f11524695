import { quotas } from '../../contract/admin/change-requests.ts';
import type { Concurrency } from '../../core/aws/lambda-concurrency.ts';
import type { QuotaProvider, QuotaRequest, QuotaRequestStatus } from '../../core/aws/service-quotas-provider.ts';
import type { SenderDetails, SendingAccount, SendingAccountStatus, ReviewStatus } from '../../core/aws/ses/ses-sending-account.ts';
import { missingFields, requestedValue, type StoredChangeRequest } from '../../core/directory/change-requests/change-request-record.ts';
import type { ChangeRequestOccurrence } from '../../core/directory/change-requests/change-request-states.ts';
import type { TransitionDetails } from '../../core/directory/change-requests/change-requests.ts';

/** The meaning of a provider's status: an occurrence and a message. `submit-again`: the provider lost the request. */
type StatusMeaning = { readonly occurrence: ChangeRequestOccurrence | 'submit-again'; readonly message: string };

/** The meaning of each status of a quota request at Service Quotas. */
const quotaStatusMeanings: { readonly [Status in QuotaRequestStatus]: StatusMeaning } = {
  PENDING: { occurrence: 'reviewing', message: 'AWS is reviewing the request' },
  CASE_OPENED: { occurrence: 'case-opened', message: 'AWS opened a support case for the request' },
  APPROVED: { occurrence: 'approved', message: 'AWS approved the request' },
  DENIED: { occurrence: 'rejected', message: 'AWS denied the request' },
  NOT_APPROVED: { occurrence: 'rejected', message: 'AWS did not approve the request' },
  // The outcome is only in the correspondence of the case.
  CASE_CLOSED: {
    occurrence: 'needs-information',
    message: 'AWS closed the support case without granting the quota: read the case; more information submits the request again',
  },
  INVALID_REQUEST: { occurrence: 'needs-information', message: 'AWS says that the request is invalid: give other values' },
};

const underReview: StatusMeaning = { occurrence: 'reviewing', message: 'Amazon SES is reviewing the request for production access' };

/** The meaning of each status of SES's review for production access. */
const reviewStatusMeanings: { readonly [Status in ReviewStatus]: StatusMeaning } = {
  PENDING: underReview,
  // The request is granted, but not in force yet.
  GRANTED: underReview,
  DENIED: {
    occurrence: 'needs-information',
    message: 'Amazon SES did not grant production access: describe what is sent, to whom and why, or answer in the support case',
  },
  FAILED: { occurrence: 'submit-again', message: 'Amazon SES lost the request for production access' },
};

export type Providers = { readonly sendingAccount: SendingAccount; readonly quotaProvider: QuotaProvider; readonly concurrency: Concurrency };

/** The outcome of one step of a change request at its provider. */
export type StepOutcome = {
  /** The record after its last write. */
  readonly request: StoredChangeRequest;
  /** The occurrence. `wait`: the provider must decide on another request first. */
  readonly occurrence: ChangeRequestOccurrence | 'wait';
  readonly message: string;
  readonly details?: { readonly [name: string]: string };
  readonly work?: TransitionDetails['work'];
  readonly set?: TransitionDetails['set'];
};

/**
 * Records that from now on the provider may have received the request.
 * @returns undefined when the stored request has changed.
 */
type RecordSubmission = (request: StoredChangeRequest) => Promise<StoredChangeRequest | undefined>;

type Dependencies = Providers & { readonly recordSubmission: RecordSubmission };

/** Maximum milliseconds by which the clocks of AWS and of the Lambda may differ. */
const maxClockSkew = 60_000;

const isUndecided = ({ status }: QuotaRequest): boolean => status === 'PENDING' || status === 'CASE_OPENED';

/** Maximum characters of the use case that is sent to SES, which includes the admin's comment. */
const maxUseCaseLength = 5000;

const senderDetails = (websiteUrl: string, { ses_sending_limit: ses, work }: StoredChangeRequest): SenderDetails => ({
  websiteUrl,
  useCase: [ses?.use_case ?? '', ...(work.comment === undefined ? [] : [work.comment])].join('\n\n').slice(0, maxUseCaseLength),
  ...(ses?.contact_email !== undefined && { contactAddress: ses.contact_email }),
});

const isAboutSes = ({ type }: StoredChangeRequest): boolean => type !== 'LAMBDA_CONCURRENCY_INCREASE';

/** The current value of the quota; Infinity when there is no limit. */
const valueInForce = async (
  { sendingAccount, concurrency }: Dependencies,
  request: StoredChangeRequest,
  knownStatus?: SendingAccountStatus,
): Promise<number | undefined> => {
  if (!isAboutSes(request)) return (await concurrency.limits()).account_limit;
  const { max24hSend, maxSendRate } = knownStatus ?? (await sendingAccount.status());
  return (request.type === 'SES_MAX_24H_SEND_INCREASE' ? max24hSend : maxSendRate) ?? Infinity;
};

const quotaSubmitted = (request: StoredChangeRequest, quotaRequest: QuotaRequest): StepOutcome => ({
  request,
  occurrence: 'submitted',
  message: 'Submitted to AWS Service Quotas',
  details: { service_quotas_request_id: quotaRequest.id },
  work: { submission: 'sent', awaiting: 'quota', comment: undefined },
  set: { aws_reference: { ...request.aws_reference!, service_quotas_request_id: quotaRequest.id } },
});

const submitQuotaIncrease = async (
  { quotaProvider, recordSubmission }: Dependencies,
  request: StoredChangeRequest,
  value: number,
): Promise<StepOutcome | undefined> => {
  const quota = quotas[request.type];
  const { submission, begun_at: begunAt } = request.work;
  if (submission === 'begun' && begunAt !== undefined) {
    const since = Date.parse(begunAt) - maxClockSkew;
    const interrupted = (await quotaProvider.listRequests(quota)).find(
      (candidate) => candidate.requestedValue === value && (isUndecided(candidate) || candidate.createdAt.getTime() >= since),
    );
    if (interrupted) return quotaSubmitted(request, interrupted);
  }
  const begun = await recordSubmission(request);
  if (!begun) return undefined;
  const quotaRequest = await quotaProvider.requestIncrease(quota, value);
  if (quotaRequest) return quotaSubmitted(begun, quotaRequest);
  const undecided = (await quotaProvider.listRequests(quota)).find(isUndecided);
  if (undecided?.requestedValue === value) return quotaSubmitted(begun, undecided);
  return { request: begun, occurrence: 'wait', message: 'AWS has to decide on another request for this quota first', work: { submission: 'due' } };
};

const productionAccessRequested = (request: StoredChangeRequest): StepOutcome => ({
  request,
  occurrence: 'submitted',
  message: 'Production access was requested from Amazon SES',
  work: { submission: 'sent', awaiting: 'production-access', comment: undefined },
});

const submitProductionAccess = async (
  { sendingAccount, recordSubmission }: Dependencies,
  request: StoredChangeRequest,
  { review }: SendingAccountStatus,
): Promise<StepOutcome | undefined> => {
  const website = request.ses_sending_limit?.website_url;
  if (website === undefined) {
    return {
      request,
      occurrence: 'needs-information',
      message: 'Amazon SES needs a website to grant production access: give ses_sending_limit.website_url',
      work: { submission: 'due' },
    };
  }
  if (review?.status === 'PENDING') return productionAccessRequested(request);
  const begun = await recordSubmission(request);
  if (!begun) return undefined;
  if (await sendingAccount.requestProductionAccess(senderDetails(website, request))) return productionAccessRequested(begun);
  const { review: latestReview } = await sendingAccount.status();
  if (latestReview?.status !== 'DENIED') return productionAccessRequested(begun);
  return {
    request: begun,
    occurrence: 'rejected',
    message: 'Amazon SES refused production access and takes no further request through its API: answer in the support case',
    ...(latestReview.caseId !== undefined && { details: { support_case_id: latestReview.caseId } }),
  };
};

const submit = async (dependencies: Dependencies, request: StoredChangeRequest, knownStatus?: SendingAccountStatus): Promise<StepOutcome | undefined> => {
  const missing = missingFields(request.type, request);
  const value = requestedValue(request.type, request);
  if (missing.length > 0 || value === undefined) {
    return {
      request,
      occurrence: 'needs-information',
      message: `Give ${missing.join(' and ')}`,
      details: { missing: missing.join(' ') },
      work: { submission: 'due' },
    };
  }
  const status = isAboutSes(request) ? (knownStatus ?? (await dependencies.sendingAccount.status())) : undefined;
  if (status?.hasProductionAccess === false) return submitProductionAccess(dependencies, request, status);
  const current = await valueInForce(dependencies, request, status);
  if (current !== undefined && current >= value) {
    return {
      request,
      occurrence: 'fulfilled',
      message: 'The quota is what was asked for',
      ...(current !== Infinity && { details: { value_in_force: String(current) } }),
    };
  }
  return submitQuotaIncrease(dependencies, request, value);
};

const checkReview = async (dependencies: Dependencies, request: StoredChangeRequest): Promise<StepOutcome | undefined> => {
  const accountStatus = await dependencies.sendingAccount.status();
  // After production access was granted, the quota itself is requested.
  if (accountStatus.hasProductionAccess) return submit(dependencies, request, accountStatus);
  const { status = 'PENDING', caseId } = accountStatus.review ?? {};
  const { occurrence, message } = reviewStatusMeanings[status];
  if (occurrence === 'submit-again') return submit(dependencies, request, accountStatus);
  return { request, occurrence, message, ...(caseId !== undefined && { details: { support_case_id: caseId } }) };
};

const checkQuotaRequest = async (dependencies: Dependencies, request: StoredChangeRequest): Promise<StepOutcome | undefined> => {
  const quotaRequest = await dependencies.quotaProvider.findRequest(request.aws_reference?.service_quotas_request_id ?? '');
  if (!quotaRequest) return { request, occurrence: 'failed', message: 'AWS Service Quotas does not know the request any more' };
  const { occurrence, message } = quotaStatusMeanings[quotaRequest.status];
  const value = quotaRequest.status === 'CASE_CLOSED' ? await valueInForce(dependencies, request) : undefined;
  if (value !== undefined && value >= quotaRequest.requestedValue) {
    return { request, occurrence: 'approved', message: quotaStatusMeanings.APPROVED.message, details: { value_in_force: String(value) } };
  }
  if (occurrence === 'submit-again') return submit(dependencies, request);
  return {
    request,
    occurrence,
    message,
    details: { provider_status: quotaRequest.status, ...(quotaRequest.caseId !== undefined && { support_case_id: quotaRequest.caseId }) },
  };
};

/**
 * One step of a change request: submits it to its provider, or reads the provider's decision. Before it submits again
 * after an interrupted submission, it looks for the request at the provider.
 * @returns undefined when the stored request has changed meanwhile. @throws errors of the providers.
 */
export const changeRequestStep = (providers: Providers, recordSubmission: RecordSubmission) => {
  const dependencies: Dependencies = { ...providers, recordSubmission };
  return async (request: StoredChangeRequest): Promise<StepOutcome | undefined> => {
    if (request.work.submission !== 'sent') return submit(dependencies, request);
    return request.work.awaiting === 'production-access' ? checkReview(dependencies, request) : checkQuotaRequest(dependencies, request);
  };
};
