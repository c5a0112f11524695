import { DeleteRolePolicyCommand, GetRolePolicyCommand, IAMClient, ListRolePoliciesCommand, PutRolePolicyCommand } from '@aws-sdk/client-iam';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { accessTokenOf } from './access-tokens.ts';
import { call, expectError } from './admin-calls.ts';
import { deployed, describeWith } from './deployment.ts';

/**
 * The other tests of a run that enforces IAM need the grants to succeed. This test proves that the run enforces them.
 * It calls as a user, because the gate then reads the directory.
 */
describeWith('enforcement', 'users')('a Lambda without its IAM policies', () => {
  const iam = new IAMClient(awsClientConfig(deployed));
  const lambda = new LambdaClient(awsClientConfig(deployed));
  let RoleName: string;
  let policies: { PolicyName: string; PolicyDocument: string }[];

  beforeAll(async () => {
    const { Role } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName: `${deployed.stackName}-audit` }));
    RoleName = Role!.split('/').at(-1)!;
    const { PolicyNames = [] } = await iam.send(new ListRolePoliciesCommand({ RoleName }));
    policies = await Promise.all(
      PolicyNames.map(async (PolicyName) => {
        const { PolicyDocument = '' } = await iam.send(new GetRolePolicyCommand({ RoleName, PolicyName }));
        return { PolicyName, PolicyDocument: decodeURIComponent(PolicyDocument) };
      }),
    );
  });
  afterAll(async () => {
    for (const policy of policies) await iam.send(new PutRolePolicyCommand({ RoleName, ...policy }));
    iam.destroy();
    lambda.destroy();
  });

  test('responds with 500 internal, without details', async () => {
    expect((await call(await accessTokenOf('admin'), 'audit/ListAuditLogs')).status).toBe(200);
    for (const { PolicyName } of policies) await iam.send(new DeleteRolePolicyCommand({ RoleName, PolicyName }));
    expectError(await call(await accessTokenOf('admin'), 'audit/ListAuditLogs'), 500, 'internal');
  });
});
