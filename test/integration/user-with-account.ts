import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { AdminSetUserPasswordCommand, CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import type { Account } from '../../contract/admin/accounts.ts';
import type { User } from '../../contract/admin/users.ts';
import { cliCallbackUrls } from '../../contract/oauth/oauth.ts';
import { signIn, type SignIn } from '../../sandbox/clients/hosted-sign-in.ts';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { enrolSecondFactor } from '../support/srp-sign-in.ts';
import { ok } from './admin-calls.ts';
import { deployed } from './deployment.ts';
import { primaryDomain } from './primary-domain.ts';

/** Waits until a sign-in is not in the second of a revocation: tokens have whole seconds. */
export const nextSecond = (): Promise<void> => setTimeout(1100);

type Typed = Pick<SignIn, 'password' | 'newPassword' | 'authenticator' | 'cookies'>;

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
      UserPoolId: deployed.outputs['userPoolId'],
      Username: user.idp_identities![0]!.username,
      Password: password,
      Permanent: true,
    }),
  );
  // The sandbox asks for no second factor.
  const authenticator =
    deployed.awsEndpointUrl === undefined
      ? await enrolSecondFactor(cognito, deployed.outputs['userPoolId']!, deployed.clients.cli.clientId, { email: signInAddress, password })
      : undefined;
  cognito.destroy();
  const accountRequest = { user_id: user.user_id, name: localPart, local_part: localPart, domain_id: domain.id };
  const { account } = await ok<{ account: Account }>(token, 'accounts/CreateAccount', accountRequest);
  const signInAt = (clientId: string, redirectUri: string, typed: Typed = { password }) =>
    signIn({ authUrl: deployed.authUrl, clientId, redirectUri, email: signInAddress, authenticator, ...typed });
  const signInAsUser = (typed?: Typed) => signInAt(deployed.clients.cli.clientId, cliCallbackUrls[0], typed);
  return { email: account.email, signInAddress, password, authenticator, user, account, domain, accountRequest, signInAt, signIn: signInAsUser };
};
