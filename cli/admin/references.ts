import type { Account } from '../../contract/admin/accounts.ts';
import type { Group } from '../../contract/admin/aliases.ts';
import type { Domain } from '../../contract/admin/domains.ts';
import type { User } from '../../contract/admin/users.ts';
import type { AdminClient } from '../../contract/client.ts';
import type { FieldDescription, MethodDescription } from '../../contract/reference/description.ts';
import { isIdOf } from '../../contract/values/ids.ts';
import { comparableAddress, parseDomainName, parseEmailAddress } from '../../contract/values/mail-address.ts';
import { allAccounts, allDomains, allGroups, allUsers } from '../../people/every-page.ts';
import { usageError } from '../terminal/cli-error.ts';

/** The options `--account`, `--user`, `--domain` and `--group`, each with the texts that it takes. */
export const references = {
  account: 'its address, name or id',
  user: 'the sign-in address, the name or the id',
  domain: 'its name or id',
  group: 'its address, name or id',
} as const;
export type Reference = keyof typeof references;

const isReference = (name: string): name is Reference => Object.hasOwn(references, name);

export type MethodFields = Pick<MethodDescription, 'service' | 'request'>;

/**
 * The field that an option such as `--user` sets: `user_id`, and for the methods of /domains also `id`. It is undefined
 * if the method does not have that field, or has a field with the name of the option itself.
 */
export const referencedField = (
  { service, request }: MethodFields,
  name: string,
): { readonly reference: Reference; readonly field: FieldDescription } | undefined => {
  const field = request.find((each) => each.name === `${name}_id` || (each.name === 'id' && service === `${name}s`));
  return field && isReference(name) && request.every((each) => each.name !== name) ? { reference: name, field } : undefined;
};

/** The options of a method that take more than an id, such as `user` for the field `user_id`. */
export const referencesOf = (method: MethodFields): readonly Reference[] =>
  Object.keys(references).flatMap((name) => referencedField(method, name)?.reference ?? []);

const comparableName = (name: string): string => name.trim().toLowerCase();

type Candidates<Item> = {
  readonly candidates: readonly Item[];
  readonly wanted: string;
  /** The plural of what is wanted: users. */
  readonly kind: string;
  /** The message when there is no candidate. */
  readonly missing: string;
  /** Describes a candidate, for the person who has to choose one. */
  readonly describe: (candidate: Item) => string;
};

/** Returns the only candidate. @throws CliError when there is none, or more than one. */
const theOnly = <Item>({ candidates, wanted, kind, missing, describe }: Candidates<Item>): Item => {
  const [first, ...others] = candidates;
  if (first === undefined) throw usageError(missing);
  if (others.length === 0) return first;
  const list = candidates.map((each) => `  ${describe(each)}`).join('\n');
  throw usageError(`several ${kind} match '${wanted}'; repeat the command with the id of one:\n${list}`);
};

const describeUser = ({ user_id, name, primary_email, is_deleted }: User): string => {
  const address = primary_email === undefined || primary_email === name ? '' : ` <${primary_email}>`;
  return `${user_id}  ${name}${address}${is_deleted ? ' (deleted)' : ''}`;
};
const describeAccount = ({ account_id, name, email }: Account): string => `${account_id}  ${name} <${email}>`;

/** @throws CliError when the text is an address of an account, because no user signs in with it. */
const refuseAccountAddress = async (client: AdminClient, address: string): Promise<void> => {
  const { account } = await client.accounts.FindAddress({ address });
  if (!account) return;
  throw usageError(
    `no user signs in with ${address}: it is an address of the account ${describeAccount(account)}. ` +
      `postrider-admin accounts ListAccountMembers --account-id ${account.account_id} lists its members`,
  );
};

/**
 * Finds a user by their id, the address with which they sign in, or their name. A deleted user is found only if no other
 * user matches.
 * @throws CliError when no user matches, or more than one.
 */
export const findUser = async (client: AdminClient, text: string): Promise<User> => {
  const wanted = text.trim();
  if (isIdOf('user', wanted)) return (await client.users.GetUser({ user_id: wanted })).user;
  const address = parseEmailAddress(wanted);
  const users = await allUsers(client);
  const matching = users.filter(({ name, primary_email }) =>
    address === undefined ? comparableName(name) === comparableName(wanted) : comparableAddress(primary_email ?? '') === address,
  );
  const present = matching.filter(({ is_deleted }) => !is_deleted);
  if (address !== undefined && matching.length === 0) await refuseAccountAddress(client, address);
  return theOnly({
    candidates: present.length > 0 ? present : matching,
    wanted,
    kind: 'users',
    describe: describeUser,
    missing:
      `there is no user '${wanted}'; postrider-admin users ListUsers --table lists the users. ` +
      'A headless client is not a user: give its client id with --user-id',
  });
};

const listAccounts = 'postrider-admin accounts ListAccounts --table lists the accounts';

/** @throws CliError when the address is not the address of an account. The error says what the address is. */
const accountOfAddress = async (client: AdminClient, address: string): Promise<Account> => {
  const { kind, account, account_id } = await client.accounts.FindAddress({ address });
  if (account) return account;
  if (kind === 'REMOVED') {
    throw usageError(`${address} is an address of the account ${account_id}, which is deleted; give its id with --account-id`);
  }
  if (kind === 'GROUP') throw usageError(`${address} is the address of a group, which is no account; ${listAccounts}`);
  throw usageError(
    kind === 'OUTSIDE'
      ? `the domain of ${address} is not a domain of this deployment, so no account has the address; ${listAccounts}`
      : `no account has the address ${address}; ${listAccounts}`,
  );
};

/**
 * Finds an account by its id, one of its addresses, or its name.
 * @throws CliError when no account matches, or more than one.
 */
export const findAccount = async (client: AdminClient, text: string): Promise<Account> => {
  const wanted = text.trim();
  if (isIdOf('account', wanted)) return (await client.accounts.GetAccount({ account_id: wanted })).account;
  const address = parseEmailAddress(wanted);
  if (address !== undefined) return accountOfAddress(client, address);
  const accounts = await allAccounts(client);
  return theOnly({
    candidates: accounts.filter(({ name }) => comparableName(name) === comparableName(wanted)),
    wanted,
    kind: 'accounts',
    missing: `there is no account '${wanted}'; ${listAccounts}, and ListAccountRemovals those that are being removed`,
    describe: describeAccount,
  });
};

const listGroups = 'postrider-admin aliases ListGroups --table lists the groups';

/** Finds a group by its id, its address or its name. @throws CliError when no group matches, or more than one. */
export const findGroup = async (client: AdminClient, text: string): Promise<Group> => {
  const wanted = text.trim();
  if (isIdOf('group', wanted)) return (await client.aliases.GetGroup({ group_id: wanted })).group;
  const address = parseEmailAddress(wanted);
  const groups = await allGroups(client);
  return theOnly({
    candidates: groups.filter(({ name, email }) => (address === undefined ? comparableName(name) === comparableName(wanted) : email === address)),
    wanted,
    kind: 'groups',
    missing: `there is no group '${wanted}'; ${listGroups}`,
    describe: ({ group_id, name, email }) => `${group_id}  ${name} <${email}>`,
  });
};

/** Finds a domain by its id or its name. @throws CliError when there is no such domain. */
export const findDomain = async (client: AdminClient, text: string): Promise<Domain> => {
  const wanted = text.trim();
  if (isIdOf('domain', wanted)) return (await client.domains.GetDomain({ id: wanted })).domain;
  const domainName = parseDomainName(wanted);
  const domains = await allDomains(client);
  return theOnly({
    candidates: domains.filter(({ domain }) => domain === domainName),
    wanted,
    kind: 'domains',
    missing: `there is no domain '${wanted}'; postrider-admin domains ListDomains --table lists the domains`,
    describe: ({ id, domain }) => `${id}  ${domain}`,
  });
};

/** The id that the text of an option names. An id needs no call. */
export const referencedId = async (client: AdminClient, reference: Reference, text: string): Promise<string> => {
  const wanted = text.trim();
  if (isIdOf(reference, wanted)) return wanted;
  if (reference === 'user') return (await findUser(client, wanted)).user_id;
  if (reference === 'group') return (await findGroup(client, wanted)).group_id;
  return reference === 'account' ? (await findAccount(client, wanted)).account_id : (await findDomain(client, wanted)).id;
};
