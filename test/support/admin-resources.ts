import type { Account } from '../../contract/admin/accounts.ts';
import type { Domain } from '../../contract/admin/domains.ts';
import type { User } from '../../contract/admin/users.ts';
import type { AdminApi } from './admin-api.ts';

/** Adds a domain. Default: `example.test`. @returns its id. */
export const createDomain = async (api: AdminApi, fields: object = {}): Promise<string> =>
  ((await api.ok('/domains/AddDomain', { domain: 'example.test', ...fields }))['domain'] as Domain).id;

/** Creates an account. Default: `alice@` the domain, owned by `user_person`. */
export const createAccount = async (api: AdminApi, fields: { readonly domain_id: string; readonly [name: string]: unknown }): Promise<Account> => {
  const { account } = await api.ok('/accounts/CreateAccount', { user_id: 'user_person', name: 'Alice', local_part: 'alice', ...fields });
  return account as Account;
};

export const createUser = async (api: AdminApi, email: string): Promise<User> => (await api.ok('/users/CreateUser', { email }))['user'] as User;
