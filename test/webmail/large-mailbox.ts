import { AdminSetUserPasswordCommand, CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { fillMailbox } from '../../bench/fixtures/generated-mailbox.ts';
import type { Account } from '../../contract/admin/accounts.ts';
import type { Domain } from '../../contract/admin/domains.ts';
import type { User } from '../../contract/admin/users.ts';
import { decodeHead } from '../../core/account-log/head.ts';
import { headKey } from '../../core/account-log/keys.ts';
import { dynamodbClient, sdkCalls } from '../../core/storage/dynamodb/dynamodb-client.ts';
import { dynamodbTable } from '../../core/storage/dynamodb/dynamodb-table.ts';
import { adminApiClient, listAll } from '../../sandbox/clients/admin-api-client.ts';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { clientToken } from '../../sandbox/deployment/client-credentials.ts';
import type { SandboxDescription } from '../../sandbox/state/sandbox-description.ts';

export type Person = { readonly email: string; readonly password: string };

const password = 'Large-Mailbox-1';

/**
 * A person of the sandbox with this many generated messages in the inbox. They are written straight into the mail table,
 * once, and have no content: a list shows them, and none can be opened.
 */
export const personWithMail = async (sandbox: SandboxDescription, messages: number): Promise<Person> => {
  const token = await clientToken(sandbox.clients.adminHeadless, 'adminApi/ADMIN', sandbox);
  const admin = adminApiClient(sandbox.adminApiUrl, token.access_token, new AbortController().signal);
  const { domain, id: domainId } = (await listAll<Domain>(admin, 'domains/ListDomains', 'domains'))[0]!;
  const [local, name] = [`large-${messages}`, 'Large mailbox'];
  const email = `${local}@${domain}`;
  const users = await listAll<User>(admin, 'users/ListUsers', 'users');
  const accounts = await listAll<Account>(admin, 'accounts/ListAccounts', 'accounts');
  const found = users.find((each) => each.primary_email === email);
  const user = found ?? (await admin<{ readonly user: User }>('users/CreateUser', { email, display_name: name })).user;
  const cognito = new CognitoIdentityProviderClient(awsClientConfig(sandbox));
  const username = user.idp_identities?.[0]?.username ?? email;
  await cognito.send(new AdminSetUserPasswordCommand({ UserPoolId: sandbox.outputs['userPoolId']!, Username: username, Password: password, Permanent: true }));
  cognito.destroy();
  const { account_id: accountId } =
    accounts.find((each) => each.email === email) ??
    (await admin<{ readonly account: Account }>('accounts/CreateAccount', { user_id: user.user_id, name, local_part: local, domain_id: domainId })).account;
  const table = dynamodbTable(sandbox.outputs['mailTableName']!, sdkCalls(dynamodbClient(awsClientConfig(sandbox))));
  if (decodeHead((await table.get(headKey(accountId)))!).sequence < messages) {
    console.error(`writing ${messages.toLocaleString('en')} messages for ${email} …`);
    await fillMailbox(table, accountId, messages, 'inbox');
  }
  return { email, password };
};
