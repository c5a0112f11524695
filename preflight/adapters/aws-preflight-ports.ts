import { Route53Client } from '@aws-sdk/client-route-53';
import { lambdaConcurrency } from '../../core/aws/lambda-concurrency.ts';
import { findHostedZone, route53DnsProvider } from '../../core/aws/route53-dns-provider.ts';
import { sesEmailProvider } from '../../core/aws/ses/ses-email-provider.ts';
import { clientTimeouts } from '../../core/runtime/sdk-client.ts';
import { awsAccountPlan } from './account-plan.ts';
import { awsDeployAccess } from './deploy-access.ts';
import { awsExistingResources } from './existing-resources.ts';
import { nodePreflightDns } from './public-dns.ts';
import type { SynthesizedStack } from './synthesis.ts';

/**
 * The reads of the checks from the AWS account and region of the environment, and from public DNS. Nothing is changed.
 * @param dnsServers `host` or `host:port`; empty for the system's own.
 */
export const awsPreflightPorts = (stackName: string, dnsServers: readonly string[], route53 = new Route53Client(clientTimeouts)) => ({
  access: awsDeployAccess(),
  accountPlan: awsAccountPlan(),
  existing: awsExistingResources(),
  sending: sesEmailProvider(stackName),
  concurrency: lambdaConcurrency(),
  // A zone that may not be listed is no absent zone.
  dnsProvider: { ...route53DnsProvider(route53), findZone: (domain: string) => findHostedZone(route53, domain) },
  publicDns: nodePreflightDns(dnsServers),
});

/** Everything that the checks read. */
export type PreflightPorts = ReturnType<typeof awsPreflightPorts> & {
  /** Synthesizes the app with the settings. @throws Error with the output of `cdk synth`. */
  readonly synthesize: () => Promise<readonly SynthesizedStack[]>;
};
