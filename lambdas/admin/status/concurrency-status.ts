import type { LambdaConcurrency } from '../../../contract/admin/status.ts';

/** Below so many Lambdas at once, a burst of mail and the calls of its readers would throttle each other. New AWS accounts start with 10. */
const comfortable = 100;

/** The limits with what they mean. */
export const concurrencyStatus = (limits: Pick<LambdaConcurrency, 'account_limit' | 'unreserved_concurrency'>): LambdaConcurrency => {
  const atOnce = limits.unreserved_concurrency ?? limits.account_limit;
  if (atOnce === undefined) return limits;
  if (atOnce >= comfortable) return { ...limits, near_limit: false };
  return { ...limits, near_limit: true, warning: `only ${atOnce} Lambdas may run at once; ask for more with a LAMBDA_CONCURRENCY_INCREASE` };
};
