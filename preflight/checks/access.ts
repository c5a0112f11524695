import { known, type Facts } from '../facts.ts';
import { line, lineFor, type Line } from '../line.ts';
import { shellWord } from '../../contract/values/shell-word.ts';

const checkCaller = ({ caller, region }: Facts): Line => 'value' in caller
  ? line('ok', 'credentials', `${caller.value.arn} in account ${caller.value.account}, region ${region}`, 'nothing, when this is the account that you mean')
  : line('fail', 'credentials', `none that AWS accepts: ${caller.unknown}`,
    'sign in (aws sso login, aws login) and set AWS_PROFILE and AWS_REGION, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');

const checkBootstrap = ({ bootstrapVersion, stacks, caller, region, settings }: Facts): Line => {
  const needed = Math.max(...(known(stacks) ?? []).map(({ bootstrap }) => bootstrap.version), 6);
  const command = `npx cdk bootstrap aws://${known(caller)?.account ?? 'ACCOUNT'}/${region} -c ${shellWord(`domain=${settings.domain}`)}`;
  return lineFor('CDK bootstrap', bootstrapVersion, 'allow ssm:GetParameter on /cdk-bootstrap/*', (version) => {
    if (version === undefined) return line('fail', 'CDK bootstrap', 'this account and region have no bootstrap stack', `run ${command}`);
    return version < needed
      ? line('fail', 'CDK bootstrap', `version ${version}; the deployment needs ${needed}`, `run ${command}`)
      : line('ok', 'CDK bootstrap', `version ${version}; the deployment needs ${needed}`);
  });
};

const checkRights = ({ closedRoles, deniedActions, bootstrapVersion }: Facts): Line => {
  const action = 'allow sts:AssumeRole on arn:aws:iam::ACCOUNT:role/cdk-hnb659fds-*';
  if ('value' in bootstrapVersion && bootstrapVersion.value === undefined) {
    return line('unknown', 'rights to deploy', 'the roles that cdk deploy assumes are made by the bootstrap', 'ask again after cdk bootstrap');
  }
  return lineFor('rights to deploy', closedRoles, action, (roles) => {
    if (roles.length === 0) return line('ok', 'rights to deploy', 'the deploy role and the file publishing role of the bootstrap can be assumed');
    const found = `the ${roles.join(' and the ')} of the bootstrap can't be assumed`;
    const denied = known(deniedActions);
    if (denied === undefined) return line('unknown', 'rights to deploy', `${found}; whether your own rights are enough is unknown`, action);
    return denied.length === 0
      ? line('attention', 'rights to deploy', `${found}; cdk deploy then uses your own rights, which IAM's simulation finds enough`, action)
      : line('fail', 'rights to deploy', `${found}, and IAM denies you ${denied.join(', ')}`, action);
  });
};

/** Checks whether the caller can deploy at all. */
export const checkAccess = (facts: Facts): Line[] => [checkCaller(facts), checkBootstrap(facts), checkRights(facts)];
