import { GetRoleCommand, IAMClient, LimitExceededException, MalformedPolicyDocumentException, UpdateAssumeRolePolicyCommand } from '@aws-sdk/client-iam';
import type { SupportRoleArns } from './role-arns.ts';
import { patience } from './patience.ts';
import { ProviderRefusal } from './provider-refusal.ts';
import type { SupportRoles } from './support-roles.ts';

const nameOf = (arn: string): string => arn.slice(arn.lastIndexOf('/') + 1);

/** The roles of this deployment in IAM. */
export const iamSupportRoles = (arns: SupportRoleArns, client = new IAMClient(patience)): SupportRoles => ({
  async trustOf(tier) {
    const { Role: role } = await client.send(new GetRoleCommand({ RoleName: nameOf(arns[tier]) }));
    return JSON.parse(decodeURIComponent(role?.AssumeRolePolicyDocument ?? 'null'));
  },
  async setTrust(tier, policy) {
    try {
      await client.send(new UpdateAssumeRolePolicyCommand({ RoleName: nameOf(arns[tier]), PolicyDocument: JSON.stringify(policy) }));
    } catch (error) {
      if (error instanceof MalformedPolicyDocumentException || error instanceof LimitExceededException) throw new ProviderRefusal(error.message, { cause: error });
      throw error;
    }
  },
});
