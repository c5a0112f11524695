import type * as z from 'zod';
import { status as contract, type LambdaConcurrency, type SESReputation } from '../../../contract/admin/status.ts';
import type { MetricQuery, Metrics } from '../../../core/aws/cloudwatch/metrics.ts';
import type { Concurrency, ConcurrencyLimits } from '../../../core/aws/service-quotas/lambda-concurrency.ts';
import type { EmailProvider } from '../../../core/aws/ses/identities/email-provider.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { errorLogFields } from '../../../core/runtime/errors.ts';
import type { Log } from '../../../core/runtime/log.ts';

export type StatusDependencies = {
  readonly emailProvider: Pick<EmailProvider, 'accountStatus'>;
  readonly concurrency: Concurrency;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly region: string;
  readonly log: Log;
};

type AccountStatus = Awaited<ReturnType<EmailProvider['accountStatus']>>;

/** Concurrent Lambdas below which bursts of mail and API calls throttle each other. New AWS accounts start with 10. */
const sufficientConcurrency = 100;

/** The concurrency limits, with a warning if they are too low. */
export const concurrencyStatus = (limits: ConcurrencyLimits): LambdaConcurrency => {
  const available = limits.unreserved_concurrency ?? limits.account_limit;
  if (available === undefined) return limits;
  if (available >= sufficientConcurrency) return { ...limits, near_limit: false };
  const warning = `only ${available} Lambdas can run at the same time; request more with a LAMBDA_CONCURRENCY_INCREASE change request`;
  return { ...limits, near_limit: true, warning };
};

/**
 * Maximum age of the rates in milliseconds. SES publishes them a few times a day, if the account has sent enough mail.
 */
const reputationAge = 24 * 60 * 60 * 1000;

const reputationQuery = (metric: string): MetricQuery =>
  ({ namespace: 'AWS/SES', metric, dimensions: {}, statistic: 'Average', period: 3600 });

/** The newest bounce and complaint rates of the last day, for all mail of the AWS account in this region. */
const readReputation = async (metrics: Metrics, now: Date): Promise<z.input<typeof SESReputation>> => {
  const time = { from: new Date(now.getTime() - reputationAge), to: now };
  const [bounceRates, complaintRates] = await metrics.read([
    reputationQuery('Reputation.BounceRate'), reputationQuery('Reputation.ComplaintRate'),
  ], time);
  return { bounce_rate: bounceRates?.[0]?.value, complaint_rate: complaintRates?.[0]?.value };
};

export const getStatus = ({ emailProvider, concurrency, metrics, clock, region, log }: StatusDependencies) => {
  /** Reads a part of the status. @returns `fallback` if the source fails. */
  const readPart = async <T>(source: string, part: Promise<T>, fallback: T): Promise<T> => {
    try {
      return await part;
    } catch (error) {
      log.warn('a source of the status could not be read', { source, ...errorLogFields(error) });
      return fallback;
    }
  };

  return adminMethod(contract.methods.GetStatus, {
    async run(_request, { caller, awsAccountId }) {
      const [ses, reputation, lambdaConcurrency] = await Promise.all([
        readPart<AccountStatus>('ses', emailProvider.accountStatus(), { quota: {} }),
        readPart('ses reputation', readReputation(metrics, clock()), {}),
        readPart<LambdaConcurrency>('lambda_concurrency', concurrency.limits().then(concurrencyStatus), {}),
      ]);
      return {
        status: {
          aws_account_id: awsAccountId,
          aws_region: region,
          caller_email: caller.email,
          ses: { ...ses, reputation },
          lambda_concurrency: lambdaConcurrency,
        },
      };
    },
  });
};
