import { shellWord } from '../../contract/values/shell-word.ts';
import { attention, check, checkOf, fail, ofAnswer, ok, unknown, type Check } from '../check.ts';
import { known } from '../facts.ts';

const wayToRoles = 'allow sts:AssumeRole on arn:aws:iam::ACCOUNT:role/cdk-hnb659fds-*';

/** Checks whether the caller can deploy at all. */
export const accessChecks: readonly Check[] = [
  check('credentials', ({ caller, region }) =>
    'value' in caller
      ? ok(`${caller.value.arn} in account ${caller.value.account}, region ${region}`, 'nothing, when this is the account that you mean')
      : fail(
          `none that AWS accepts: ${caller.unknown}`,
          'sign in (aws sso login, aws login) and set AWS_PROFILE and AWS_REGION, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
        ),
  ),

  checkOf('account plan', 'accountPlan', 'allow freetier:GetAccountPlanState', (plan) => {
    if (plan === undefined) return ok('AWS names none, as for accounts from before July 2025: the account does not end by itself');
    if (plan.type === 'PAID') return ok('PAID: the account does not end by itself');
    const upgrade = `aws freetier upgrade-account-plan --account-plan-type PAID${plan.type === 'FREE' ? '' : ', if the plan ends'}`;
    if (plan.status === 'EXPIRED') return fail(`${plan.type}, expired: AWS closes the account`, upgrade);
    const end = plan.endsAt ? `on ${plan.endsAt.toISOString().slice(0, 10)} or when its credits are used` : 'when its credits are used';
    return attention(`${plan.type}: it ends ${end}. AWS then closes the account, and deletes its mail after 90 days`, `before people come: ${upgrade}`);
  }),

  checkOf('CDK bootstrap', 'bootstrapVersion', 'allow ssm:GetParameter on /cdk-bootstrap/*', (version, { stacks, caller, region, settings }) => {
    const needed = Math.max(...(known(stacks) ?? []).map(({ bootstrap }) => bootstrap.version), 6);
    const action = `run npx cdk bootstrap aws://${known(caller)?.account ?? 'ACCOUNT'}/${region} -c ${shellWord(`domain=${settings.domain}`)}`;
    if (version === undefined) return fail('this account and region have no bootstrap stack', action);
    const found = `version ${version}; the deployment needs ${needed}`;
    return version < needed ? fail(found, action) : ok(found);
  }),

  check('rights to deploy', ({ closedRoles, deniedActions, bootstrapVersion }) => {
    if ('value' in bootstrapVersion && bootstrapVersion.value === undefined) {
      return unknown('the roles that cdk deploy assumes are made by the bootstrap', 'ask again after cdk bootstrap');
    }
    return ofAnswer(closedRoles, wayToRoles, (roles) => {
      if (roles.length === 0) return ok('the deploy role and the file publishing role of the bootstrap can be assumed');
      const found = `the ${roles.join(' and the ')} of the bootstrap can't be assumed`;
      const denied = known(deniedActions);
      if (denied === undefined) return unknown(`${found}; whether your own rights are enough is unknown`, wayToRoles);
      return denied.length === 0
        ? attention(`${found}; cdk deploy then uses your own rights, which IAM's simulation finds enough`, wayToRoles)
        : fail(`${found}, and IAM denies you ${denied.join(', ')}`, wayToRoles);
    });
  }),
];
