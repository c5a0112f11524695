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
import * as z from 'zod';
import type { RoleTier } from '../../contract/admin/support.ts';
import { sessionsPolicyName, type SessionsPolicy, type TrustPolicy } from '../../contract/deployment/support-roles.ts';
import { namingErrors, clientTimeouts } from '../runtime/sdk-client.ts';
import { ProviderRefusal, valueOnError } from './provider-errors.ts';

const RoleArns = z.strictObject({ DIAG: z.string().startsWith('arn:'), CONFIG_READ: z.string().startsWith('arn:') } satisfies Record<RoleTier, z.ZodType>);

/** The ARN of each tier's role. */
type SupportRoleArns = z.output<typeof RoleArns>;

/** Parses the setting `supportRoles`. @throws Error when its form is wrong. */
export const parseSupportRoleArns = (value: string): SupportRoleArns => RoleArns.parse(JSON.parse(value));

/** The trust policy of a role, and its policy of ended sessions; null if a policy does not exist. */
export type RolePolicies = { readonly trust: unknown; readonly sessions: unknown };

/**
 * The IAM roles of the support tiers. Adapter: {@link iamSupportRoles}; the fake in `test/fakes/` passes the same suite.
 */
export type SupportRoles = {
  /** Reads both policies concurrently. IAM may return a policy that is some moments old. */
  readPolicies(tier: RoleTier): Promise<RolePolicies>;
  /**
   * Sets the trust policy. @throws ProviderRefusal for a policy that IAM refuses: a principal does not exist, or the
   * policy is too long.
   */
  setTrust(tier: RoleTier, policy: TrustPolicy): Promise<void>;
  /** Sets the policy of ended sessions. @throws ProviderRefusal for a policy that is too long. */
  setSessions(tier: RoleTier, policy: SessionsPolicy): Promise<void>;
};

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
