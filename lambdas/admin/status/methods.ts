import { status, type LambdaConcurrency } from '../../../contract/admin/status.ts';
import { adminMethod, type AdminMethods } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { errorLogFields } from '../../../core/runtime/errors.ts';
import type { Log } from '../../../core/runtime/log.ts';
import type { Concurrency } from '../../../core/aws/lambda/lambda-concurrency.ts';
import type { EmailProvider } from '../../../core/aws/ses/email-provider.ts';
import type { Metrics } from '../../../core/aws/cloudwatch/metrics.ts';
import { concurrencyStatus } from './concurrency-status.ts';
import { reputation } from './reputation.ts';

export type StatusSources = {
  readonly emailProvider: Pick<EmailProvider, 'accountStatus'>;
  readonly concurrency: Concurrency;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly region: string;
  readonly log: Log;
};

/** What /status does. */
export const statusMethods = ({ emailProvider, concurrency, metrics, clock, region, log }: StatusSources): AdminMethods<typeof status> => {
  /** A part of the status; what stands for it when its source fails. */
  const orElse = async <T>(source: string, part: Promise<T>, unknown: T): Promise<T> => {
    try {
      return await part;
    } catch (error) {
      log.warn('a part of the status is missing', { source, ...errorLogFields(error) });
      return unknown;
    }
  };

  return {
    Ping: adminMethod(status.methods.Ping, { run: async () => ({}) }),
    GetStatus: adminMethod(status.methods.GetStatus, {
      async run(_request, { caller, awsAccountId }) {
        const [ses, rates, limits] = await Promise.all([
          orElse<Awaited<ReturnType<EmailProvider['accountStatus']>>>('ses', emailProvider.accountStatus(), { quota: {} }),
          orElse('ses reputation', reputation(metrics, clock()), {}),
          orElse<LambdaConcurrency>('lambda_concurrency', concurrency.limits().then(concurrencyStatus), {}),
        ]);
        return {
          status: {
            aws_account_id: awsAccountId, aws_region: region, caller_email: caller.email, ses: { ...ses, reputation: rates }, lambda_concurrency: limits,
          },
        };
      },
    }),
  };
};
