import { IAMClient, paginateSimulatePrincipalPolicy } from '@aws-sdk/client-iam';
import { GetParameterCommand, ParameterNotFound, SSMClient } from '@aws-sdk/client-ssm';
import { AssumeRoleCommand, GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { clientTimeouts } from '../../core/runtime/sdk-client.ts';

/** The caller that deploys: the AWS account, and the ARN of the user, role session or root. */
export type Caller = { readonly account: string; readonly arn: string };

/**
 * The principal whose policies IAM simulates: a user or a role. The ARN of a role's session does not contain the role's
 * path, so a role with a path is not found. Undefined for the root user, whom IAM can't simulate and who has all
 * permissions.
 */
const simulatedPrincipal = ({ arn, account }: Caller): string | undefined => {
  const [, partition, service, , , resource = ''] = arn.split(':');
  if (service === 'sts') return `arn:${partition}:iam::${account}:role/${resource.split('/')[1]}`;
  return resource.startsWith('user/') ? arn : undefined;
};

/** The caller's rights to deploy by the CDK, by STS, SSM and IAM. An assumed session is not used. */
export const awsDeployAccess = (sts = new STSClient(clientTimeouts), ssm = new SSMClient(clientTimeouts), iam = new IAMClient(clientTimeouts)) => ({
  /** @throws CredentialsProviderError without credentials. */
  async caller(): Promise<Caller> {
    const { Account: account = '', Arn: arn = '' } = await sts.send(new GetCallerIdentityCommand({}));
    return { account, arn };
  },
  /** The version of the account's CDK bootstrap stack; undefined without one. @param parameter the SSM parameter with the version. */
  async bootstrapVersion(parameter: string): Promise<number | undefined> {
    try {
      return Number((await ssm.send(new GetParameterCommand({ Name: parameter }))).Parameter?.Value);
    } catch (error) {
      if (error instanceof ParameterNotFound) return undefined;
      throw error;
    }
  },
  async canAssume(roleArn: string): Promise<boolean> {
    try {
      await sts.send(new AssumeRoleCommand({ RoleArn: roleArn, RoleSessionName: 'postrider-preflight', DurationSeconds: 900 }));
      return true;
    } catch (error) {
      // STS answers the same to a role that does not exist, and to the root user, who may assume no role.
      if (error instanceof Error && error.name.startsWith('AccessDenied')) return false;
      throw error;
    }
  },
  /** The actions that IAM denies the caller. Resources and conditions are not simulated. */
  async deniedActions(caller: Caller, actions: readonly string[]): Promise<string[]> {
    const principal = simulatedPrincipal(caller);
    if (principal === undefined) return [];
    const denied: string[] = [];
    for await (const { EvaluationResults: results = [] } of paginateSimulatePrincipalPolicy(
      { client: iam },
      { PolicySourceArn: principal, ActionNames: [...actions] },
    )) {
      denied.push(...results.filter(({ EvalDecision: decision }) => decision !== 'allowed').map(({ EvalActionName: action = '' }) => action));
    }
    return denied;
  },
});
