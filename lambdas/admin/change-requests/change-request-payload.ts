import { quotas, requestPayloads } from '../../../contract/admin/change-requests.ts';
import type { ChangeRequestType, changeRequests as contract } from '../../../contract/admin/change-requests.ts';
import type { Request } from '../../../contract/rpc/rpc.ts';
import {
  missingFields,
  requestedValue,
  type RequestedLimits,
  type StoredChangeRequest,
} from '../../../core/directory/change-requests/change-request-record.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';

type PayloadName = keyof RequestedLimits;
type Payloads = Pick<Request<(typeof contract)['methods']['ProvideChangeRequestInfo']>, PayloadName>;

/**
 * The fields in the payload for the type, as the call sets them.
 * @throws RpcError invalid_argument for the payload of another type.
 */
export const requestedLimits = (type: ChangeRequestType, payloads: Payloads): RequestedLimits => {
  const { name } = requestPayloads[type];
  const otherName = Object.values(requestPayloads)
    .map((payload) => payload.name)
    .find((candidate) => candidate !== name && payloads[candidate] !== undefined);
  if (otherName !== undefined) throw new RpcError('invalid_argument', `${otherName} is not for a request of type ${type}; give ${name}`);
  const payload = payloads[name];
  return payload === undefined ? {} : { [name]: payload };
};

/**
 * The fields of a new request. @throws RpcError invalid_argument for the payload of another type, and without the
 * requested value.
 */
export const newLimits = (type: ChangeRequestType, payloads: Payloads): RequestedLimits => {
  const limits = requestedLimits(type, payloads);
  const { name } = requestPayloads[type];
  const [missing] = limits[name] === undefined ? [name] : missingFields(type, limits);
  if (missing !== undefined) throw new RpcError('invalid_argument', `${missing} is required`);
  return limits;
};

/** The older limits, overwritten by the newer ones that are set. */
export const mergeLimits = (older: RequestedLimits, newer: RequestedLimits): RequestedLimits => ({
  ...((older.ses_sending_limit ?? newer.ses_sending_limit) && { ses_sending_limit: { ...older.ses_sending_limit, ...newer.ses_sending_limit } }),
  ...((older.lambda_concurrency ?? newer.lambda_concurrency) && { lambda_concurrency: { ...older.lambda_concurrency, ...newer.lambda_concurrency } }),
});

const summaries: { readonly [Type in ChangeRequestType]: (value: string) => string } = {
  SES_MAX_24H_SEND_INCREASE: (value) => `${value} mails in 24 hours through Amazon SES`,
  SES_MAX_SEND_RATE_INCREASE: (value) => `${value} mails a second through Amazon SES`,
  LAMBDA_CONCURRENCY_INCREASE: (value) => `${value} Lambdas at once in this AWS account and region`,
};

/** The summary of the request, and its AWS quota. */
export const requestDescription = (
  type: ChangeRequestType,
  limits: RequestedLimits,
  region: string,
): Required<Pick<StoredChangeRequest, 'summary' | 'aws_reference'>> => {
  const quota = quotas[type];
  const value = requestedValue(type, limits);
  return {
    summary: summaries[type](value === undefined ? 'More' : String(value)),
    aws_reference: {
      region,
      ...quota,
      console_url: `https://${region}.console.aws.amazon.com/servicequotas/home/services/${quota.service_code}/quotas/${quota.quota_code}`,
      ...(value !== undefined && { requested_value: value }),
    },
  };
};
