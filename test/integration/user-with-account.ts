import { AdminSetUserPasswordCommand, CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { randomUUID } from 'node:crypto';
import type { Account } from '../../contract/admin/accounts.ts';
import type { User } from '../../contract/admin/users.ts';
import { cliCallbackUrls } from '../../contract/oauth/oauth.ts';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { signIn } from '../../sandbox/clients/hosted-sign-in.ts';
import { ok } from './admin-calls.ts';
import { deployed } from './deployment.ts';
import { primaryDomain } from './primary-domain.ts';

/**
 * Creates a user who can sign in and has an account on the deployment's own domain.
 * @param signInWith the person's sign-in address: an address outside, or the account's own.
 */
export const createUserWithAccount = async (token: string, localPart: string, signInWith: 'outside' | 'account' = 'outside') => {
  const cognito = new CognitoIdentityProviderClient(awsClientConfig(deployed));
  const domain = await primaryDomain(token);
  const signInAddress = signInWith === 'outside' ? `success+${localPart}@simulator.amazonses.com` : `${localPart}@${domain.domain}`;
  const password = `Correct-horse-${randomUUID().slice(0, 8)}-1`;
  const { user } = await ok<{ user: User }>(token, 'users/CreateUser', { email: signInAddress });
  await cognito.send(
    new AdminSetUserPasswordCommand({
      UserPoolId: deployed.outputs['userPoolId'], Username: user.idp_identities![0]!.username, Password: password, Permanent: true,
    }),
  );
  cognito.destroy();
  const accountRequest = { user_id: user.user_id, name: localPart, local_part: localPart, domain_id: domain.id };
  const { account } = await ok<{ account: Account }>(token, 'accounts/CreateAccount', accountRequest);
  const signInAt = (clientId: string, redirectUri: string, passwords: { readonly password: string; readonly newPassword?: string } = { password }) =>
    signIn({ authUrl: deployed.authUrl, clientId, redirectUri, email: signInAddress, ...passwords });
  const signInAsUser = (passwords?: Parameters<typeof signInAt>[2]) => signInAt(deployed.clients.cli.clientId, cliCallbackUrls[0], passwords);
  return { email: account.email, signInAddress, user, account, domain, accountRequest, signInAt, signIn: signInAsUser };
};
