import { quotas } from '../../../contract/admin/change-request-quotas.ts';
import type { ChangeRequestType, changeRequests as contract } from '../../../contract/admin/change-requests.ts';
import type { Request } from '../../../contract/rpc.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';
import { requestedValue, type StoredChangeRequest, type RequestedLimits } from '../../../core/directory/change-request-record.ts';

type Given = Request<(typeof contract)['methods']['ProvideChangeRequestInfo']>;
type PayloadName = keyof RequestedLimits;

/** Which payload a type calls for (docs/specification.md#change-requests). */
const payloadOf: { readonly [Type in ChangeRequestType]: PayloadName } = {
  SES_MAX_24H_SEND_INCREASE: 'ses_sending_limit',
  SES_MAX_SEND_RATE_INCREASE: 'ses_sending_limit',
  LAMBDA_CONCURRENCY_INCREASE: 'lambda_concurrency',
};

/** What is given, of the payload that the type calls for. @throws RpcError invalid_argument for the payload of another type. */
export const wishesOf = (type: ChangeRequestType, given: Pick<Given, PayloadName>): RequestedLimits => {
  const foreign = Object.values(payloadOf).find((name) => name !== payloadOf[type] && given[name] !== undefined);
  if (foreign !== undefined) throw new RpcError('invalid_argument', `${foreign} is not for a request of type ${type}; give ${payloadOf[type]}`);
  const payload = given[payloadOf[type]];
  return payload === undefined ? {} : { [payloadOf[type]]: payload };
};

/** Older wishes with what newer ones say. */
export const withMore = (older: RequestedLimits, newer: RequestedLimits): RequestedLimits => ({
  ...((older.ses_sending_limit ?? newer.ses_sending_limit) && { ses_sending_limit: { ...older.ses_sending_limit, ...newer.ses_sending_limit } }),
  ...((older.lambda_concurrency ?? newer.lambda_concurrency) && { lambda_concurrency: { ...older.lambda_concurrency, ...newer.lambda_concurrency } }),
});

const inWords: { readonly [Type in ChangeRequestType]: (value: string) => string } = {
  SES_MAX_24H_SEND_INCREASE: (value) => `${value} mails in 24 hours through Amazon SES`,
  SES_MAX_SEND_RATE_INCREASE: (value) => `${value} mails a second through Amazon SES`,
  LAMBDA_CONCURRENCY_INCREASE: (value) => `${value} Lambdas at once in this AWS account and region`,
};

/** What a request says of itself, and which quota of AWS it is about. */
export const described = (type: ChangeRequestType, wishes: RequestedLimits, region: string): Required<Pick<StoredChangeRequest, 'summary' | 'aws_reference'>> => {
  const quota = quotas[type];
  const value = requestedValue(type, wishes);
  return {
    summary: inWords[type](value === undefined ? 'More' : String(value)),
    aws_reference: {
      region, ...quota,
      console_url: `https://${region}.console.aws.amazon.com/servicequotas/home/services/${quota.service_code}/quotas/${quota.quota_code}`,
      ...(value !== undefined && { requested_value: value }),
    },
  };
};
