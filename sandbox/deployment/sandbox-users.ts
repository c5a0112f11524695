import { AdminSetUserPasswordCommand, CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import type { Account } from '../../contract/admin/accounts.ts';
import type { User } from '../../contract/admin/users.ts';
import { listAll, type AdminApiClient } from '../clients/admin-api-client.ts';
import { SandboxError } from '../process/sandbox-error.ts';
import type { SandboxUser } from '../state/sandbox-description.ts';
import { awsClientConfig, type AwsTarget } from './aws-target.ts';

/** The users of every sandbox. The deployment creates the admin. Each gets a mail account. */
export const userDefinitions = [
  { localPart: 'admin', name: 'Admin' },
  { localPart: 'alice', name: 'Alice' },
  { localPart: 'bob', name: 'Bob' },
] as const;

const hasAddress = (user: User, email: string): boolean =>
  user.primary_email === email || (user.idp_identities ?? []).some((identity) => identity.email === email || identity.username === email);

type UserSetup = {
  readonly admin: AdminApiClient;
  readonly aws: AwsTarget;
  readonly userPoolId: string;
  readonly domain: { readonly id: string; readonly domain: string };
  readonly passwordOf: (email: string) => string;
};

const findOrCreateUser = async ({ admin }: UserSetup, known: readonly User[], email: string, name: string): Promise<User> => {
  const found = known.find((user) => hasAddress(user, email));
  if (found) return found;
  if (name === 'Admin') {
    throw new SandboxError(`The deployment did not create the first admin ${email}.`, "The Lambda's log: npm run sandbox -- logs first-admin");
  }
  return (await admin<{ user: User }>('users/CreateUser', { email, display_name: name })).user;
};

/** The user name in Cognito: the one in the directory, else the email address. */
const cognitoUsername = (user: User, email: string): string => user.idp_identities?.[0]?.username ?? email;

/** Creates the users and mail accounts that are missing, and sets the users' passwords. */
export const ensureUsers = async (setup: UserSetup, detail: (text: string) => void): Promise<SandboxUser[]> => {
  const users = await listAll<User>(setup.admin, 'users/ListUsers', 'users');
  const accounts = await listAll<Account>(setup.admin, 'accounts/ListAccounts', 'accounts');
  const cognito = new CognitoIdentityProviderClient(awsClientConfig(setup.aws));
  try {
    const result: SandboxUser[] = [];
    for (const { localPart, name } of userDefinitions) {
      const email = `${localPart}@${setup.domain.domain}`;
      const password = setup.passwordOf(email);
      detail(email);
      // A deleted user is not created again.
      if (users.some((user) => user.is_deleted && hasAddress(user, email))) continue;
      const user = await findOrCreateUser(setup, users, email, name);
      await cognito.send(
        new AdminSetUserPasswordCommand({ UserPoolId: setup.userPoolId, Username: cognitoUsername(user, email), Password: password, Permanent: true }),
      );
      const account =
        accounts.find((candidate) => candidate.email === email) ??
        (await setup.admin<{ account: Account }>('accounts/CreateAccount', { user_id: user.user_id, name, local_part: localPart, domain_id: setup.domain.id }))
          .account;
      result.push({ email, password, userId: user.user_id, accountId: account.account_id, isAdmin: user.is_admin });
    }
    return result;
  } finally {
    cognito.destroy();
  }
};
