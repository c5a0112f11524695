import type { Account } from '../contract/admin/accounts.ts';
import { maxGroupMembers, type Group } from '../contract/admin/aliases.ts';
import type { Domain } from '../contract/admin/domains.ts';
import type { User } from '../contract/admin/users.ts';
import { callsAtOnce, type AdminClient, type ResponseOf } from '../contract/client.ts';
import { domainOf } from '../contract/values/mail-address.ts';
import { mapConcurrently } from '../contract/values/map-concurrently.ts';
import { roleLocalParts } from '../contract/values/role-addresses.ts';
import { allAccounts, allDomains, allUsers } from './every-page.ts';
import type { PersonRow } from './people-file.ts';

/** The people, accounts and domains of the deployment, as far as a file of people is about them. */
export type DeploymentPeople = {
  /** The users who are not deleted, by sign-in address. */
  readonly users: ReadonlyMap<string, User>;
  /** The accounts by their id. */
  readonly accounts: ReadonlyMap<string, Account>;
  readonly domains: ReadonlyMap<string, Domain>;
  /** The findings about the addresses of the file. */
  readonly addresses: ReadonlyMap<string, FoundAddress>;
  /** The roles of the members of the accounts of these addresses, by account and principal. */
  readonly roles: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** The ids of the accounts that are members of the groups of these addresses, by group. */
  readonly groupMembers: ReadonlyMap<string, ReadonlySet<string>>;
};

/** The receiver of each role address at the receiving domains of a file, in words. The lines leave out addresses that the file gives to somebody. */
export const roleMailLines = async (client: AdminClient, rows: readonly PersonRow[], domains: DeploymentPeople['domains']): Promise<readonly string[]> => {
  const given = addressesOf(rows);
  const names = [...new Set([...given].map(domainOf))].filter((name) => domains.get(name)?.receive_enabled === true);
  const roles = names.flatMap((name) => roleLocalParts.map((role) => `${role}@${name}`)).filter((address) => !given.has(address));
  const lines = new Map<string, string>();
  await mapConcurrently(roles, callsAtOnce, async (address) => {
    const { account, role_account: roleAccount, incoming } = await client.accounts.FindAddress({ address });
    const receiver = roleAccount
      ? `goes to ${roleAccount.email}, an admin, until an account has the alias`
      : account && incoming === 'DELIVERED'
        ? `goes to ${account.email}`
        : 'reaches nobody: give an account this alias';
    lines.set(address, `Mail to ${address} ${receiver}.`);
  });
  return roles.map((address) => lines.get(address)!);
};

export type FoundAddress = Pick<ResponseOf<'accounts', 'FindAddress'>, 'kind'> & { readonly account?: Account | undefined; readonly group?: Group | undefined };

/** The group that has an address. */
export const groupAt = (addresses: DeploymentPeople['addresses'], address: string): Group | undefined => {
  const found = addresses.get(address);
  return found?.kind === 'GROUP' ? found.group : undefined;
};

/** The addresses of a file that an account of the deployment may have. */
const addressesOf = (rows: readonly PersonRow[]): Set<string> =>
  new Set(
    rows.flatMap((row) => [
      row.email,
      ...(row.mail_address === undefined ? [] : [row.mail_address]),
      ...row.aliases,
      ...row.shared_mailboxes.map(({ email }) => email),
    ]),
  );

/** Reads what the deployment has of the people, addresses and mailboxes of a file. */
export const readDeploymentPeople = async (
  client: AdminClient,
  rows: readonly PersonRow[],
  progress: (done: number, total: number) => void,
): Promise<DeploymentPeople> => {
  const [users, accounts, domains] = await Promise.all([allUsers(client), allAccounts(client), allDomains(client)]);
  const addresses = new Map<string, FoundAddress>(accounts.map((account) => [account.email, { kind: 'ACCOUNT', account }]));
  const groups = new Set(rows.flatMap((row) => row.groups));
  const unknown = [...new Set([...addressesOf(rows), ...groups])].filter((address) => !addresses.has(address));
  let done = 0;
  await mapConcurrently(unknown, callsAtOnce, async (address) => {
    addresses.set(address, await client.accounts.FindAddress({ address }));
    progress(++done, unknown.length);
  });
  const present = new Map(users.filter(({ is_deleted: isDeleted }) => !isDeleted).map((user) => [user.primary_email ?? '', user]));
  const roles = new Map<string, ReadonlyMap<string, string>>();
  const shared = rows.flatMap((row) => row.shared_mailboxes.flatMap(({ email }) => addresses.get(email)?.account?.account_id ?? []));
  await mapConcurrently([...new Set(shared)], callsAtOnce, async (account_id) => {
    const { members } = await client.accounts.ListAccountMembers({ account_id });
    roles.set(account_id, new Map(members.map(({ user_id: id, role }) => [id, role])));
  });
  const groupMembers = new Map<string, ReadonlySet<string>>();
  const groupIds = new Set([...groups].flatMap((address) => groupAt(addresses, address)?.group_id ?? []));
  await mapConcurrently([...groupIds], callsAtOnce, async (group_id) => {
    const { members } = await client.aliases.ListGroupMembers({ group_id, page_size: maxGroupMembers });
    groupMembers.set(group_id, new Set(members.map(({ member_id: id }) => id)));
  });
  const byId = new Map(accounts.map((account) => [account.account_id, account]));
  return { users: present, accounts: byId, domains: new Map(domains.map((domain) => [domain.domain, domain])), addresses, roles, groupMembers };
};
