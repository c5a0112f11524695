import { status as contract, type LambdaConcurrency } from '../../../contract/admin/status.ts';
import type { Metrics } from '../../../core/aws/cloudwatch/metrics.ts';
import { readReputation } from '../../../core/aws/cloudwatch/reputation.ts';
import type { Concurrency, ConcurrencyLimits } from '../../../core/aws/lambda-concurrency.ts';
import type { EmailProvider } from '../../../core/aws/ses/ses-email-provider.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { Log } from '../../../core/runtime/log.ts';
import { readSources } from '../../../core/runtime/read-sources.ts';

export type StatusDependencies = {
  readonly emailProvider: Pick<EmailProvider, 'accountStatus'>;
  readonly concurrency: Concurrency;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly region: string;
  readonly log: Log;
};

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

export const getStatus = ({ emailProvider, concurrency, metrics, clock, region, log }: StatusDependencies) =>
  adminMethod(contract.methods.GetStatus, {
    async run(_request, { caller, awsAccountId }) {
      const { values } = await readSources(
        { ses: () => emailProvider.accountStatus(), 'ses reputation': () => readReputation(metrics, clock()), lambda_concurrency: () => concurrency.limits() },
        'status',
        log,
      );
      return {
        status: {
          aws_account_id: awsAccountId,
          aws_region: region,
          caller_email: caller.email,
          ses: { ...(values.ses ?? { quota: {} }), reputation: values['ses reputation'] ?? {} },
          lambda_concurrency: concurrencyStatus(values.lambda_concurrency ?? {}),
        },
      };
    },
  });
