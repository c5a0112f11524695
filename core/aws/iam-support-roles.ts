import {
  GetRoleCommand,
  GetRolePolicyCommand,
  IAMClient,
  LimitExceededException,
  MalformedPolicyDocumentException,
  NoSuchEntityException,
  PutRolePolicyCommand,
  UpdateAssumeRolePolicyCommand,
} from '@aws-sdk/client-iam';
import { sessionsPolicyName } from '../../contract/deployment/support-roles.ts';
import { namingErrors } from '../runtime/naming-errors.ts';
import { clientTimeouts } from './client-timeouts.ts';
import { ProviderRefusal, valueOnError } from './provider-errors.ts';
import type { SupportRoleArns, SupportRoles } from './support-roles.ts';

const roleNameOf = (arn: string): string => arn.slice(arn.lastIndexOf('/') + 1);

/** Decodes a policy document, which IAM returns percent-encoded. */
const decodeDocument = (document: string | undefined): unknown => (document === undefined ? null : JSON.parse(decodeURIComponent(document)));

const withRefusals = async (write: Promise<unknown>): Promise<void> => {
  try {
    await write;
  } catch (error) {
    if (error instanceof MalformedPolicyDocumentException || error instanceof LimitExceededException) {
      throw new ProviderRefusal(error.message, { cause: error });
    }
    throw error;
  }
};

/** {@link SupportRoles} of this deployment, in IAM. */
export const iamSupportRoles = (arns: SupportRoleArns, client = namingErrors(new IAMClient(clientTimeouts))): SupportRoles => {
  const readTrust = async (RoleName: string) => {
    const { Role: role } = await client.send(new GetRoleCommand({ RoleName }));
    return decodeDocument(role?.AssumeRolePolicyDocument);
  };
  const readSessions = async (RoleName: string) => {
    const policy = await valueOnError(NoSuchEntityException, undefined, client.send(new GetRolePolicyCommand({ RoleName, PolicyName: sessionsPolicyName })));
    return decodeDocument(policy?.PolicyDocument);
  };
  return {
    async readPolicies(tier) {
      const [trust, sessions] = await Promise.all([readTrust(roleNameOf(arns[tier])), readSessions(roleNameOf(arns[tier]))]);
      return { trust, sessions };
    },
    setTrust: (tier, policy) =>
      withRefusals(client.send(new UpdateAssumeRolePolicyCommand({ RoleName: roleNameOf(arns[tier]), PolicyDocument: JSON.stringify(policy) }))),
    setSessions: (tier, policy) =>
      withRefusals(
        client.send(new PutRolePolicyCommand({ RoleName: roleNameOf(arns[tier]), PolicyName: sessionsPolicyName, PolicyDocument: JSON.stringify(policy) })),
      ),
  };
};
