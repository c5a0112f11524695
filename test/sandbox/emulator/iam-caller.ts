import { CreateAccessKeyCommand, CreateUserCommand, IAMClient, PutUserPolicyCommand } from '@aws-sdk/client-iam';
import type { ClientConfig, EmulatorFixture } from '../../support/test-emulator.ts';

/** A document of a policy or of a role's trust. */
export const policyDocument = (Statement: object) => ({ Version: '2012-10-17', Statement });

/** Configuration for clients of a new IAM user, whose only permissions are in these statements. */
export const callerAllowed = async ({ clientConfig }: EmulatorFixture, UserName: string, ...statements: object[]): Promise<ClientConfig> => {
  const iam = new IAMClient(clientConfig);
  await iam.send(new CreateUserCommand({ UserName }));
  const PolicyDocument = JSON.stringify(policyDocument(statements.map((statement) => ({ Effect: 'Allow', ...statement }))));
  await iam.send(new PutUserPolicyCommand({ UserName, PolicyName: 'only', PolicyDocument }));
  const { AccessKey: key } = await iam.send(new CreateAccessKeyCommand({ UserName }));
  return { ...clientConfig, credentials: { accessKeyId: key!.AccessKeyId!, secretAccessKey: key!.SecretAccessKey! } };
};
