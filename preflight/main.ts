import { STSClient } from '@aws-sdk/client-sts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { route53DnsProvider } from '../core/aws/route53/route53-dns-provider.ts';
import { lambdaConcurrency } from '../core/aws/service-quotas/lambda-concurrency.ts';
import { sesEmailProvider } from '../core/aws/ses/identities/ses-email-provider.ts';
import { awsDeployAccess } from './adapters/deploy-access.ts';
import { awsExistingResources } from './adapters/existing-resources.ts';
import { nodePreflightDns } from './adapters/public-dns.ts';
import { runPreflight } from './run-preflight.ts';
import { cdkSynthesis } from './adapters/synthesis.ts';

/** `npm run preflight -- -c domain=…`, which docs/deploy.md describes first. */
const { context: storedSettings } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'cdk.json'), 'utf8')) as { context: Record<string, unknown> };

/** The region of the environment or of the profile, which the CDK would use. */
const findRegion = async (): Promise<string> => {
  try {
    return await new STSClient().config.region();
  } catch {
    // Without one, cdk deploys to this region.
    return 'us-east-1';
  }
};

const region = await findRegion();
process.env['AWS_REGION'] = region;

process.exitCode = await runPreflight(process.argv.slice(2), {
  print: (text) => { process.stdout.write(`${text}\n`); },
  printMessage: (text) => { process.stderr.write(`${text}\n`); },
  region,
  storedSettings,
  columns: process.stdout.columns || 160,
  createPorts: ({ stackName }, settingArguments) => ({
    access: awsDeployAccess(),
    existing: awsExistingResources(),
    sending: sesEmailProvider(stackName),
    concurrency: lambdaConcurrency(),
    dnsProvider: route53DnsProvider(),
    publicDns: nodePreflightDns((process.env['DNS_SERVERS'] ?? '').split(' ').filter(Boolean)),
    synthesize: cdkSynthesis(settingArguments),
  }),
});
