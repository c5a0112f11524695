import { domainOf } from '../values/mail-address.ts';

/* Reasons for which a deployment is refused, which the preflight and the first resource of a deployment share. */

/** The reason for a refusal, and the next step. */
export type DeploymentRefusal = { readonly reason: string; readonly nextStep: string };

/**
 * Executions that AWS keeps unreserved for the Lambdas of an account and region (Lambda developer guide, "Configuring
 * reserved concurrency").
 */
const leastUnreserved = 100;

/** The limits of an AWS account in a region. */
type Limits = { readonly account_limit?: number; readonly unreserved_concurrency?: number };

/**
 * The reason why a deployment with this setting `lambdaConcurrency` is refused, and what to do. Undefined when it is not.
 * @param reserved the executions that the deployment reserves in addition to what it has reserved before.
 */
export const concurrencyRefusal = (
  setting: number, reserved: number, { account_limit: limit, unreserved_concurrency: unreserved }: Limits,
): DeploymentRefusal | undefined => {
  if (limit !== undefined && setting > limit) {
    return {
      reason: `the account has ${limit} in this region, and the setting says ${setting}: queues would take what the APIs need, and clients get 503`,
      nextStep: `pass -c lambdaConcurrency=${Math.max(10, limit)}`,
    };
  }
  if (unreserved === undefined || reserved <= 0 || unreserved - reserved >= leastUnreserved) return undefined;
  return {
    reason: `other Lambdas of the account leave ${unreserved} unreserved, and the deployment reserves ${reserved}, while AWS keeps ${leastUnreserved} unreserved`,
    nextStep: 'pass a lambdaConcurrency below 1000, or reserve less elsewhere',
  };
};

/** The refusal of a sender of sign-in mail. Undefined when SES has verified its domain. */
export const senderRefusal = (signInMailFrom: string, verificationStatus: string | undefined): DeploymentRefusal | undefined => (
  verificationStatus === 'SUCCESS' ? undefined : {
    reason: `SES has not verified ${domainOf(signInMailFrom)}, so Cognito can't send from ${signInMailFrom}`,
    nextStep: 'deploy without signInMailFrom, add the domain, and deploy again with it when the domain is verified',
  });
