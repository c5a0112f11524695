import { dataStackName } from '../../contract/deployment/monitored-resources.ts';
import { isCreationFailed } from '../../lib/stacks/find-stack.ts';
import { known, type Facts } from '../facts.ts';
import { line, lineFor, unanswered, type Line } from '../line.ts';

/** Whether CloudFormation has a stack of this deployment, as after an earlier deployment. */
export const isDeployed = ({ stackStatuses }: Facts): boolean =>
  Object.values(known(stackStatuses) ?? {}).some((status) => status !== undefined && !isCreationFailed(status) && status !== 'REVIEW_IN_PROGRESS');

const stackLine = (name: string, status: string | undefined, deployment: string): Line => {
  const subject = `stack ${name}`;
  if (status === undefined) return line('ok', subject, 'the name is free');
  if (isCreationFailed(status)) {
    return name === dataStackName(deployment)
      ? line('attention', subject, `an earlier first deployment failed (${status}); cdk deploy deletes the stack and starts again, but not its tables and bucket`,
        `read why it failed in CloudFormation's events, and run npm run remove-failed -- ${deployment}`)
      : line('attention', subject, `an earlier deployment failed (${status}); cdk deploy deletes the stack and makes it again`,
        'read why it failed in CloudFormation\'s events');
  }
  if (status === 'REVIEW_IN_PROGRESS') return line('ok', subject, 'only a change set exists; cdk deploy makes a new one');
  if (status.endsWith('_IN_PROGRESS')) return line('fail', subject, `CloudFormation works on it: ${status}`, 'wait until it is done');
  if (status === 'UPDATE_ROLLBACK_FAILED') return line('fail', subject, status, `aws cloudformation continue-update-rollback --stack-name ${name}`);
  if (status.endsWith('_FAILED')) return line('fail', subject, status, `aws cloudformation delete-stack --stack-name ${name}, after you have read its events`);
  return line('ok', subject, `exists (${status}): this is an update of a deployment, not its first`, 'nothing, when it is yours; otherwise pass -c stackName=');
};

const checkStacks = ({ stackStatuses, settings }: Facts): Line[] => 'value' in stackStatuses
  ? Object.entries(stackStatuses.value).map(([name, status]) => stackLine(name, status, settings.stackName))
  : [unanswered('stacks', stackStatuses.unknown, 'allow cloudformation:DescribeStacks')];

const checkIdentity = ({ identity, settings }: Facts): Line => lineFor(`SES identity ${settings.domain}`, identity, 'allow ses:GetEmailIdentity', (found) => {
  const subject = `SES identity ${settings.domain}`;
  if (found === undefined) return line('ok', subject, 'does not exist; AddDomain makes it after the deployment');
  return found.isOwn
    ? line('ok', subject, `made by this deployment, ${found.verification_status}`)
    : line('attention', subject, `somebody else made it (${found.verification_status}); AddDomain uses it as it is, and removing the domain keeps it`,
      'find out who sends with it before you add the domain');
});

const checkSignInDomain = (facts: Facts): Line[] => facts.settings.authDomainPrefix === undefined ? [] : [
  lineFor('name of the sign-in', facts.poolOfDomainPrefix, 'allow cognito-idp:DescribeUserPoolDomain', (pool) => {
    const prefix = facts.settings.authDomainPrefix!;
    if (pool === undefined) return line('ok', 'name of the sign-in', `${prefix} is free in this account; another account's is not visible`);
    return isDeployed(facts)
      ? line('ok', 'name of the sign-in', `${prefix} belongs to the user pool ${pool}, of the existing stack as it seems`)
      : line('fail', 'name of the sign-in', `${prefix} belongs to the user pool ${pool}`, 'pass another -c authDomainPrefix=');
  }),
];

const checkApiDomains = (facts: Facts): Line[] => facts.settings.hostedZoneId === undefined ? [] : [
  lineFor('custom domain names', facts.apiDomains, 'allow apigateway:GET on /domainnames/*', (names) => {
    if (names.length === 0) return line('ok', 'custom domain names', 'API Gateway has none of them');
    return isDeployed(facts)
      ? line('ok', 'custom domain names', `${names.join(', ')}: of the existing stack`)
      : line('fail', 'custom domain names', `API Gateway has ${names.join(', ')} already, of another stack`, 'pass -c prefix= for other names, or remove those');
  }),
  lineFor('records at these names', facts.zoneRecords, 'allow route53:ListResourceRecordSets', (records) => {
    const taken = [...new Set(records.filter(({ type }) => ['A', 'AAAA', 'CNAME'].includes(type)).map(({ name, type }) => `${name} ${type}`))];
    if (taken.length === 0) {
      const elsewhere = known(facts.publicNames) ?? [];
      return elsewhere.length > 0 && !isDeployed(facts)
        ? line('attention', 'records at these names', `the zone has none, and public DNS answers for ${elsewhere.join(', ')} (a wildcard, or another zone)`,
          'make sure that nobody uses these names')
        : line('ok', 'records at these names', 'the zone has none; the deployment makes A and AAAA records');
    }
    return isDeployed(facts)
      ? line('ok', 'records at these names', `${taken.join(', ')}: of the existing stack`)
      : line('fail', 'records at these names', `the zone has ${taken.join(', ')} already: CloudFormation makes no record that exists`,
        'remove them when nobody uses them, or pass -c prefix=');
  }),
];

/** Checks whether the names that a first deployment creates are already taken. */
export const checkExisting = (facts: Facts): Line[] =>
  [...checkStacks(facts), checkIdentity(facts), ...checkSignInDomain(facts), ...checkApiDomains(facts)];
