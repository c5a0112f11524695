import { CognitoIdentityProviderClient, SetUserPoolMfaConfigCommand } from '@aws-sdk/client-cognito-identity-provider';
import { randomUUID } from 'node:crypto';
import type { AuditLog } from '../../contract/admin/audit.ts';
import type { Authenticator } from '../../sandbox/clients/hosted-sign-in.ts';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { sendPassword } from '../support/srp-sign-in.ts';
import { adminMachineToken } from './access-tokens.ts';
import { call, expectError, ok } from './admin-calls.ts';
import { deployed, describeWith } from './deployment.ts';
import { eventually } from './http-requests.ts';
import { getSession } from './jmap-client.ts';
import { createUserWithAccount, nextSecond } from './user-with-account.ts';

const cognito = new CognitoIdentityProviderClient(awsClientConfig(deployed));
afterAll(() => cognito.destroy());

const requireSecondFactor = (isRequired: boolean) => cognito.send(new SetUserPoolMfaConfigCommand({
  UserPoolId: deployed.outputs['userPoolId'], MfaConfiguration: isRequired ? 'ON' : 'OFF', SoftwareTokenMfaConfiguration: { Enabled: true },
}));

const accountIdsOf = async (token: string): Promise<string[]> =>
  Object.keys(((await getSession(token)).json as { accounts: object }).accounts);

describeWith('emulator', 'adminHeadless')('a deployment that requires a second factor', () => {
  let admin: string;
  let person: Awaited<ReturnType<typeof createUserWithAccount>>;
  beforeAll(async () => {
    admin = await adminMachineToken();
    person = await createUserWithAccount(admin, `second-factor-${randomUUID().slice(0, 8)}`, 'account');
    await requireSecondFactor(true);
  });
  afterAll(() => requireSecondFactor(false));

  const [newPassword, authenticator]: [string, Authenticator] = ['Correct-horse-of-mine-1', {}];

  test('sets up an authenticator app at the first sign-in with a temporary password, and serves mail then', async () => {
    const { temporary_password: password } = await ok<{ temporary_password: string }>(admin, 'users/ResetPassword', { user_id: person.user.user_id });
    await nextSecond();
    await expect(person.signIn({ password, newPassword })).rejects.toThrow('must pass a code of an authenticator app');
    const { access_token: token } = await person.signIn({ password: newPassword, authenticator });
    expect(authenticator.secret).toMatch(/^[A-Z2-7]{32,}$/);
    expect(await accountIdsOf(token)).toEqual([person.account.account_id]);
  });

  test('gives no token for the password alone, at the page or by Cognito’s API', async () => {
    await expect(person.signIn({ password: newPassword })).rejects.toThrow('must pass a code of an authenticator app');
    const { ChallengeName, AuthenticationResult } = await sendPassword(
      cognito, deployed.outputs['userPoolId']!, deployed.clients.cli.clientId, { email: person.signInAddress, password: newPassword },
    );
    expect([ChallengeName, AuthenticationResult]).toEqual(['SOFTWARE_TOKEN_MFA', undefined]);
  });

  test('asks for a code at the next sign-in, and lets who lost the phone set up another one after users/ResetSecondFactor', async () => {
    const { access_token: token } = await person.signIn({ password: newPassword, authenticator });
    expect((await call(admin, 'users/ResetSecondFactor', { user_id: person.user.user_id })).status).toBe(200);
    await eventually(async () => expect((await getSession(token)).status).toBe(401));
    await nextSecond();
    const other: Authenticator = {};
    const { access_token: next } = await person.signIn({ password: newPassword, authenticator: other });
    expect(other.secret).not.toBe(authenticator.secret);
    expect(await accountIdsOf(next)).toEqual([person.account.account_id]);
    const { audit_logs: [entry] } = await ok<{ audit_logs: AuditLog[] }>(admin, 'audit/ListAuditLogs', { operation: 'users/ResetSecondFactor', page_size: 1 });
    expect(entry).toMatchObject({ status: 'success', entity_id: person.user.user_id });
  });
});

describeWith('emulator', 'adminHeadless')('a deployment without a second factor', () => {
  test('refuses users/ResetSecondFactor with the setting that requires one', async () => {
    const admin = await adminMachineToken();
    const { user } = await createUserWithAccount(admin, `one-factor-${randomUUID().slice(0, 8)}`);
    const refused = await call(admin, 'users/ResetSecondFactor', { user_id: user.user_id });
    expectError(refused, 400, 'failed_precondition');
    expect(refused.json).toMatchObject({ message: expect.stringContaining('mfa=required') });
  });
});
