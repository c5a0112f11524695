import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SSMClient } from '@aws-sdk/client-ssm';
import { defaultStackName, stackNamePattern } from '../../../contract/deployment/monitored-resources.ts';
import type { CliContext } from '../../terminal/cli-context.ts';
import { CliError, usageError } from '../../terminal/cli-error.ts';
import { parseOptions } from '../../terminal/parse.ts';
import { assertReplaceable, writePrivateFile } from '../../terminal/private-file.ts';
import type { RestoreClients } from './restore-clients.ts';
import { restoreDeployment } from './restore-deployment.ts';
import { inSeconds, timeLabel } from './restore-plan.ts';
import { reportText } from './restore-report.ts';

export const restoreHelp = `Restores the tables of a deployment to a time, into new ones, makes the messages that they name readable again, says
what is missing, and lets the services use the restored tables. Nothing is overwritten: the old tables stay.
docs/restore.md says how to choose the time, and what to do afterwards.

  postrider-admin restore --to 2026-11-26T07:55:00Z [OPTIONS]

  --to TIME        the time, with its zone: of the last 35 days, and five minutes ago or more
  --stack NAME     the deployment: the setting stackName (default ${defaultStackName})
  --prepare        everything but the switch, which the same call without --prepare makes
  --report FILE    where the whole report is written as JSON (default restore-TIME.json)

Call it again when it was interrupted: it goes on. It calls AWS with your own credentials (AWS_PROFILE, AWS_REGION).`;

const options = { to: { type: 'string' }, stack: { type: 'string' }, prepare: { type: 'boolean' }, report: { type: 'string' } } as const;

const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

/** The time of `--to` as a whole second. @throws CliError for another text, and for a time that has not come. */
const readTime = (text: string | undefined, now: number): Date => {
  if (text === undefined) throw usageError('restore needs --to TIME, as in --to 2026-11-26T07:55:00Z');
  const time = timePattern.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw usageError(`--to is a date, a time and a zone, as in 2026-11-26T07:55:00Z or 2026-11-26T08:55:00+01:00, not ${text}`);
  if (time > now) throw usageError(`--to is a time that has passed; it is ${new Date(now).toISOString()} now`);
  return new Date(Math.floor(time / 1000) * 1000);
};

/** @throws CliError for a wrong command line. */
export const readRestoreArguments = (args: readonly string[], now: number) => {
  const { to, stack = defaultStackName, prepare = false, report } = parseOptions(args, options).values;
  if (!stackNamePattern.test(stack)) throw usageError(`--stack is the name of a deployment, 1 to 40 letters, digits and hyphens, not ${stack}`);
  const time = readTime(to, now);
  return { time, deployment: stack, isPreparation: prepare, report: report ?? `restore-${timeLabel(time)}.json` };
};

const awsClients = (): RestoreClients => ({
  cloudFormation: new CloudFormationClient(),
  cognito: new CognitoIdentityProviderClient(),
  dynamodb: new DynamoDBClient(),
  lambda: new LambdaClient(),
  s3: new S3Client(),
  ssm: new SSMClient(),
});

/** Milliseconds between two looks at a table or a stack that takes minutes. */
const pollInterval = 5_000;

/** Errors of AWS and of the way to it, as messages for people. CliErrors are such messages. */
const explained = (error: unknown): unknown => {
  if (error instanceof CliError || !(error instanceof Error)) return error;
  if (error.name === 'CredentialsProviderError') return new CliError('there are no AWS credentials: set AWS_PROFILE, or sign in with aws sso login');
  if (/region is missing/i.test(error.message)) return new CliError('there is no AWS region: set AWS_REGION');
  return new CliError(`AWS refused a step: ${error.name}: ${error.message}. Nothing is lost; repair the cause and call the restore again`);
};

/** Restores a deployment. @throws CliError when a step cannot be made. The next call goes on there. */
export const restore = async (
  args: readonly string[],
  { print, printMessage, now, environment }: CliContext,
  clients: () => RestoreClients = awsClients,
): Promise<void> => {
  if (args.includes('--help') || args.includes('-h')) return print(restoreHelp);
  const { time, deployment, isPreparation, report: file } = readRestoreArguments(args, now());
  assertReplaceable(file);
  printMessage(`Restore of ${deployment} to ${inSeconds(time)}`);
  try {
    const interval = Number(environment['POSTRIDER_POLL_MILLISECONDS'] ?? pollInterval);
    const report = await restoreDeployment({ clients: clients(), deployment, time, now, say: printMessage, pollInterval: interval }, isPreparation);
    writePrivateFile(file, `${JSON.stringify(report, null, 2)}\n`);
    print(reportText(report, file, Number(environment['COLUMNS'] ?? 120)));
    if (isPreparation) printMessage('The services still use the old tables. Switch with the same call without --prepare.');
  } catch (error) {
    throw explained(error);
  }
};
