import { CreateRoleCommand, CreateUserCommand, IAMClient } from '@aws-sdk/client-iam';
import { trustWithoutCases } from '../../../contract/deployment/support-roles.ts';
import { iamSupportRoles } from '../../../core/aws/iam-support-roles.ts';
import { supportRolesSuite } from '../../port-suites/support-roles-suite.ts';
import { withTestEmulator } from '../../support/test-emulator.ts';

withTestEmulator();
let principal: string;
let arns: { DIAG: string; CONFIG_READ: string };

beforeAll(async () => {
  const iam = new IAMClient();
  const { User: user } = await iam.send(new CreateUserCommand({ UserName: 'supporter' }));
  principal = user!.Arn!;
  const roleArn = async (RoleName: string) => {
    const { Role: role } = await iam.send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument: JSON.stringify(trustWithoutCases([])) }));
    return role!.Arn!;
  };
  arns = { DIAG: await roleArn('diag'), CONFIG_READ: await roleArn('config-read') };
});

describe('the support roles in IAM', () => supportRolesSuite(async () => ({ roles: iamSupportRoles(arns), principal })));
