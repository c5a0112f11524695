import { dataStackName } from '../../contract/deployment/monitored-resources.ts';
import { isCreationFailed } from '../../lib/stacks/find-stack.ts';
import { attention, checkOf, fail, ofAnswer, ok, withSetting, type Check } from '../check.ts';
import { known, type Facts } from '../facts.ts';

/** Whether CloudFormation has a stack of this deployment, as after an earlier deployment. */
export const isDeployed = ({ stackStatuses }: Facts): boolean =>
  Object.values(known(stackStatuses) ?? {}).some((status) => status !== undefined && !isCreationFailed(status) && status !== 'REVIEW_IN_PROGRESS');

const stateOfStack = (name: string, status: string | undefined, deployment: string) => {
  if (status === undefined) return ok('the name is free');
  if (isCreationFailed(status)) {
    return name === dataStackName(deployment)
      ? attention(
          `an earlier first deployment failed (${status}); cdk deploy deletes the stack and starts again, but not its tables and bucket`,
          `read why it failed in CloudFormation's events, and run npm run remove-failed -- ${deployment}`,
        )
      : attention(`an earlier deployment failed (${status}); cdk deploy deletes the stack and makes it again`, "read why it failed in CloudFormation's events");
  }
  if (status === 'REVIEW_IN_PROGRESS') return ok('only a change set exists; cdk deploy makes a new one');
  if (status.endsWith('_IN_PROGRESS')) return fail(`CloudFormation works on it: ${status}`, 'wait until it is done');
  if (status === 'UPDATE_ROLLBACK_FAILED') return fail(status, `aws cloudformation continue-update-rollback --stack-name ${name}`);
  if (status.endsWith('_FAILED')) return fail(status, `aws cloudformation delete-stack --stack-name ${name}, after you have read its events`);
  return ok(`exists (${status}): this is an update of a deployment, not its first`, 'nothing, when it is yours; otherwise pass -c stackName=');
};

const stackChecks: Check = ({ stackStatuses, settings }) =>
  'value' in stackStatuses
    ? Object.entries(stackStatuses.value).map(([name, status]) => ({ subject: `stack ${name}`, ...stateOfStack(name, status, settings.stackName) }))
    : [{ subject: 'stacks', ...ofAnswer(stackStatuses, 'allow cloudformation:DescribeStacks', () => ok('')) }];

/** Checks whether the names that a first deployment creates are already taken. */
export const existingChecks: readonly Check[] = [
  stackChecks,

  (facts) =>
    checkOf(`SES identity ${facts.settings.domain}`, 'identity', 'allow ses:GetEmailIdentity', (found) => {
      if (found === undefined) return ok('does not exist; AddDomain makes it after the deployment');
      return found.isOwn
        ? ok(`made by this deployment, ${found.verification_status}`)
        : attention(
            `somebody else made it (${found.verification_status}); AddDomain uses it as it is, and removing the domain keeps it`,
            'find out who sends with it before you add the domain',
          );
    })(facts),

  withSetting(
    'authDomainPrefix',
    checkOf('name of the sign-in', 'poolOfDomainPrefix', 'allow cognito-idp:DescribeUserPoolDomain', (pool, facts) => {
      const prefix = facts.settings.authDomainPrefix!;
      if (pool === undefined) return ok(`${prefix} is free in this account; another account's is not visible`);
      return isDeployed(facts)
        ? ok(`${prefix} belongs to the user pool ${pool}, of the existing stack as it seems`)
        : fail(`${prefix} belongs to the user pool ${pool}`, 'pass another -c authDomainPrefix=');
    }),
  ),

  withSetting(
    'hostedZoneId',
    checkOf('custom domain names', 'apiDomains', 'allow apigateway:GET on /domainnames/*', (names, facts) => {
      if (names.length === 0) return ok('API Gateway has none of them');
      return isDeployed(facts)
        ? ok(`${names.join(', ')}: of the existing stack`)
        : fail(`API Gateway has ${names.join(', ')} already, of another stack`, 'pass -c prefix= for other names, or remove those');
    }),
    checkOf('records at these names', 'zoneRecords', 'allow route53:ListResourceRecordSets', (records, facts) => {
      const taken = [...new Set(records.filter(({ type }) => ['A', 'AAAA', 'CNAME'].includes(type)).map(({ name, type }) => `${name} ${type}`))];
      if (taken.length > 0) {
        return isDeployed(facts)
          ? ok(`${taken.join(', ')}: of the existing stack`)
          : fail(
              `the zone has ${taken.join(', ')} already: CloudFormation makes no record that exists`,
              'remove them when nobody uses them, or pass -c prefix=',
            );
      }
      const elsewhere = known(facts.publicNames) ?? [];
      return elsewhere.length > 0 && !isDeployed(facts)
        ? attention(
            `the zone has none, and public DNS answers for ${elsewhere.join(', ')} (a wildcard, or another zone)`,
            'make sure that nobody uses these names',
          )
        : ok('the zone has none; the deployment makes A and AAAA records');
    }),
  ),
];
