import {
  GetRoleCommand, GetRolePolicyCommand, IAMClient, LimitExceededException, MalformedPolicyDocumentException, NoSuchEntityException, PutRolePolicyCommand, UpdateAssumeRolePolicyCommand,
} from '@aws-sdk/client-iam';
import { sessionsPolicyName } from '../../../contract/support-roles.ts';
import type { SupportRoleArns } from './support-role-arns.ts';
import { clientTimeouts } from '../client-timeouts.ts';
import { ProviderRefusal } from '../provider-refusal.ts';
import type { SupportRoles } from './support-roles.ts';

const nameOf = (arn: string): string => arn.slice(arn.lastIndexOf('/') + 1);

/** IAM tells documents percent-encoded. */
const decoded = (document: string | undefined): unknown => (document === undefined ? null : JSON.parse(decodeURIComponent(document)));

const refusing = async (write: Promise<unknown>): Promise<void> => {
  try {
    await write;
  } catch (error) {
    if (error instanceof MalformedPolicyDocumentException || error instanceof LimitExceededException) throw new ProviderRefusal(error.message, { cause: error });
    throw error;
  }
};

/** The roles of this deployment in IAM. */
export const iamSupportRoles = (arns: SupportRoleArns, client = new IAMClient(clientTimeouts)): SupportRoles => {
  const trustOf = async (RoleName: string) => decoded((await client.send(new GetRoleCommand({ RoleName }))).Role?.AssumeRolePolicyDocument);
  const sessionsOf = async (RoleName: string) => {
    try {
      return decoded((await client.send(new GetRolePolicyCommand({ RoleName, PolicyName: sessionsPolicyName }))).PolicyDocument);
    } catch (error) {
      if (error instanceof NoSuchEntityException) return null;
      throw error;
    }
  };
  return {
    async readPolicies(tier) {
      const [trust, sessions] = await Promise.all([trustOf(nameOf(arns[tier])), sessionsOf(nameOf(arns[tier]))]);
      return { trust, sessions };
    },
    setTrust: (tier, policy) => refusing(client.send(new UpdateAssumeRolePolicyCommand({ RoleName: nameOf(arns[tier]), PolicyDocument: JSON.stringify(policy) }))),
    setSessions: (tier, policy) => refusing(client.send(new PutRolePolicyCommand({ RoleName: nameOf(arns[tier]), PolicyName: sessionsPolicyName, PolicyDocument: JSON.stringify(policy) }))),
  };
};
