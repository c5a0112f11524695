import { AdminSetUserPasswordCommand, CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import type { Account } from '../contract/admin/accounts.ts';
import type { User } from '../contract/admin/users.ts';
import { allOf, type AdminApi } from './admin-api-client.ts';
import { awsOf, type AwsPlace } from './aws-target.ts';
import type { SandboxUser } from './sandbox-description.ts';
import { SandboxError } from './sandbox-error.ts';

/** The people of every sandbox. The admin is made by the deployment itself; the others get a mail account each. */
export const people = [
  { localPart: 'admin', name: 'Admin', hasAccount: false },
  { localPart: 'alice', name: 'Alice', hasAccount: true },
  { localPart: 'bob', name: 'Bob', hasAccount: true },
] as const;

const isOf = (user: User, email: string): boolean =>
  user.primary_email === email || (user.idp_identities ?? []).some((identity) => identity.email === email || identity.username === email);

export type Town = {
  readonly admin: AdminApi;
  readonly aws: AwsPlace;
  readonly userPoolId: string;
  readonly domain: { readonly id: string; readonly domain: string };
  readonly passwordOf: (email: string) => string;
};

const userIdOf = async ({ admin }: Town, known: readonly User[], email: string, name: string): Promise<User> => {
  const found = known.find((user) => isOf(user, email));
  if (found) return found;
  if (name === 'Admin') throw new SandboxError(`The deployment did not make the first admin ${email}.`, 'npm run sandbox -- logs first-admin');
  return (await admin<{ user: User }>('users/CreateUser', { email, display_name: name })).user;
};

/** The sign-in name at Cognito: what the directory noted, else the address. */
const usernameOf = (user: User, email: string): string => user.idp_identities?.[0]?.username ?? email;

/** Makes sure that everybody is there, can sign in with their password, and has the account they should have. */
export const ensurePeople = async (town: Town, detail: (text: string) => void): Promise<SandboxUser[]> => {
  const users = await allOf<User>(town.admin, 'users/ListUsers', 'users');
  const accounts = await allOf<Account>(town.admin, 'accounts/ListAccounts', 'accounts');
  const cognito = new CognitoIdentityProviderClient(awsOf(town.aws));
  try {
    const made: SandboxUser[] = [];
    for (const { localPart, name, hasAccount } of people) {
      const email = `${localPart}@${town.domain.domain}`;
      const password = town.passwordOf(email);
      detail(email);
      // Somebody who was deleted stays so: their address is not given to a new user.
      if (users.some((user) => user.is_deleted && isOf(user, email))) continue;
      const user = await userIdOf(town, users, email, name);
      await cognito.send(new AdminSetUserPasswordCommand({ UserPoolId: town.userPoolId, Username: usernameOf(user, email), Password: password, Permanent: true }));
      const account = hasAccount ? accounts.find((candidate) => candidate.email === email)
        ?? (await town.admin<{ account: Account }>('accounts/CreateAccount', { user_id: user.user_id, name, local_part: localPart, domain_id: town.domain.id })).account : undefined;
      made.push({ email, password, userId: user.user_id, accountId: account?.account_id, isAdmin: user.is_admin });
    }
    return made;
  } finally {
    cognito.destroy();
  }
};
