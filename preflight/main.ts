import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { STSClient } from '@aws-sdk/client-sts';
import { awsPreflightPorts } from './adapters/aws-preflight-ports.ts';
import { cdkSynthesis } from './adapters/synthesis.ts';
import { runPreflight } from './run-preflight.ts';

/** `npm run preflight -- -c domain=…`, which docs/deploy.md describes first. */
const { context: storedSettings }: { context: Record<string, unknown> } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'cdk.json'), 'utf8'));

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
  print: (text) => {
    process.stdout.write(`${text}\n`);
  },
  printMessage: (text) => {
    process.stderr.write(`${text}\n`);
  },
  region,
  storedSettings,
  columns: process.stdout.columns || 160,
  createPorts: ({ stackName }, settingArguments) => ({
    ...awsPreflightPorts(stackName, (process.env['DNS_SERVERS'] ?? '').split(' ').filter(Boolean)),
    synthesize: cdkSynthesis(settingArguments),
  }),
});
