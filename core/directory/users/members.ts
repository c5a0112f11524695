import type { AccountMember } from '../../../contract/admin/accounts.ts';
import { directoryKeys, directoryPartitions } from '../../../contract/deployment/keys.ts';
import { isIdOf } from '../../../contract/values/ids.ts';
import { FailedPrecondition, NotFound } from '../../runtime/domain-errors.ts';
import { retryOnConflict } from '../../storage/retry-on-conflict.ts';
import { findItemIn, type Item, type Key, type Table, type Write } from '../../storage/table.ts';
import { accountRow, type AccountRow } from '../account-row.ts';
import { isMembership, memberRow, type MemberRow } from './member-profile.ts';
import { isActiveProfile, type Role } from './principals.ts';
import { storedUserOf } from './users.ts';

/** A member of an account: a person, or a client without a person. */
type MemberReference = { readonly accountId: string; readonly principalId: string };

/** A change of a member's role; undefined before a member is added and after it is removed. */
export type RoleChange = { readonly accountName: string; readonly before?: Role; readonly after?: Role };

/** Additional writes for the transaction that changes a role. */
export type RoleChangeWrites = (change: RoleChange) => readonly Write[];

/**
 * Members of accounts. A membership has two items, `account-member#account_id`/principal_id and
 * `member#principal_id`/account_id. They change in one transaction with the counts in the account, whose
 * `access_version` serializes changes of its access.
 */
export type Members = {
  /** Ids of the accounts of which the principal is a member, in order. */
  accountIdsOf(principalId: string): Promise<string[]>;
  /** The same, with whether the principal is the owner. */
  accountsOf(principalId: string): Promise<ReadonlyMap<string, { readonly isOwner: boolean }>>;
  /** Lists the members, ordered by principal id. @throws NotFound if the account does not exist. */
  list(accountId: string): Promise<AccountMember[]>;
  /**
   * Creates the member or changes its role.
   * @throws NotFound (account, user), FailedPrecondition (the last ADMIN), StoreConflict.
   */
  put(member: MemberReference, role: Role, now: Date, additionalWrites: RoleChangeWrites): Promise<AccountMember>;
  /** Removes a member. @throws NotFound (account, member), FailedPrecondition (the last ADMIN), StoreConflict. */
  remove(member: MemberReference, now: Date, additionalWrites: RoleChangeWrites): Promise<void>;
  /**
   * Removes a member who is removed from the directory, even the last ADMIN. A principal who is not a member is
   * ignored.
   */
  forget(member: MemberReference, now: Date): Promise<void>;
};

type MemberRecord = {
  readonly accountId: string;
  readonly accountName: string;
  readonly principalId: string;
  readonly role: Role;
  readonly isOwner: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
};

/** The two keys of a membership. */
export const memberKeys = (accountId: string, principalId: string) => ({
  fromAccount: directoryKeys.accountMember(accountId, principalId),
  fromPrincipal: directoryKeys.membership(principalId, accountId),
});

/** The writes of both sides of a membership. */
export const memberWrites = ({ accountId, accountName, principalId, role, isOwner, createdAt, updatedAt }: MemberRecord): Write[] => {
  const { fromAccount, fromPrincipal } = memberKeys(accountId, principalId);
  const member: MemberRow = { role, is_owner: isOwner, created_at: createdAt, updated_at: updatedAt };
  return [{ put: { ...fromAccount, ...member } }, { put: { ...fromPrincipal, ...member, account_name: accountName } }];
};

/** Whether a principal is a person. Others are headless clients, by their client ids. */
export const isPerson = (principalId: string): boolean => isIdOf('user', principalId);

/** Names of the deployment's headless clients, by client id. */
export type HeadlessClients = ReadonlyMap<string, string>;

const memberOf = (
  { accountId, principalId }: MemberReference,
  { role, created_at, updated_at }: Omit<MemberRow, 'is_owner'>,
  user: Item | undefined,
  clients: HeadlessClients,
): AccountMember => ({
  account_id: accountId,
  user_id: principalId,
  name: (user && storedUserOf(user).name) ?? clients.get(principalId) ?? principalId,
  is_active: user ? isActiveProfile(user) : clients.has(principalId),
  role,
  created_at,
  updated_at,
});

/**
 * The write that changes the account's counts of people and of ADMINs. It fails if the account's access changed since it
 * was read.
 */
const countsWrite = (accountId: string, account: AccountRow, people: number, admins: number, now: Date): Write => ({
  update: directoryKeys.account(accountId),
  set: {
    member_count: account.member_count + people,
    admin_count: account.admin_count + admins,
    access_version: account.access_version + 1,
    updated_at: now.toISOString(),
  },
  if: { equals: { access_version: account.access_version } },
});

/**
 * Checks that an ADMIN remains. @throws FailedPrecondition if the change leaves the account without an ADMIN
 * (docs/specification.md#accounts).
 */
const requireAnAdmin = (account: AccountRow, admins: number): void => {
  if (admins < 0 && account.admin_count + admins < 1) throw new FailedPrecondition('this is the last ADMIN of the account');
};

const adminsChange = (before: Role | undefined, after: Role | undefined): number => Number(after === 'ADMIN') - Number(before === 'ADMIN');

/** @param clients the clients that may be members beside users, in a Lambda that needs them. */
export const membersIn = (table: Table, clients: HeadlessClients = new Map()): Members => {
  const accountsOf = async (principalId: string) => {
    const items = await table.query({ pk: directoryPartitions.memberships(principalId) });
    return new Map(items.filter(isMembership).map((item) => [item.sk, { isOwner: item['is_owner'] === true }]));
  };

  /** Reads the account, its member and the person, in one round trip. */
  const read = async ({ accountId, principalId }: MemberReference) => {
    const keys = { account: directoryKeys.account(accountId), member: memberKeys(accountId, principalId).fromAccount, user: directoryKeys.user(principalId) };
    const items = await table.batchGet(Object.values(keys));
    const itemOf = (key: { pk: string }) => items.find(({ pk }) => pk === key.pk);
    const [account, member] = [itemOf(keys.account), itemOf(keys.member)];
    if (!account) throw new NotFound('account');
    return { account: accountRow(account), member: member && memberRow(member), user: itemOf(keys.user) };
  };

  return {
    accountIdsOf: async (principalId) => [...(await accountsOf(principalId)).keys()],
    accountsOf,
    async list(accountId) {
      const [account, members] = await Promise.all([
        table.get(directoryKeys.account(accountId)),
        table.query({ pk: directoryPartitions.accountMembers(accountId) }),
      ]);
      if (!account) throw new NotFound('account');
      const people = members.filter(({ sk }) => isPerson(sk)).map(({ sk }): Key => directoryKeys.user(sk));
      const findUser = findItemIn(people.length > 0 ? await table.batchGet(people) : []);
      return members.map((item) => memberOf({ accountId, principalId: item.sk }, memberRow(item), findUser(directoryKeys.user(item.sk)), clients));
    },
    put: (reference, role, now, additionalWrites) =>
      retryOnConflict(async () => {
        const { accountId, principalId } = reference;
        const isMachine = clients.has(principalId);
        const { account, member, user } = await read(reference);
        if (!isMachine && user?.['is_deleted'] !== false) throw new NotFound('user');
        const before = member?.role;
        const writes = additionalWrites({ accountName: account.name, ...(before && { before }), after: role });
        if (member && before === role) {
          await table.write(writes);
          return memberOf(reference, member, user, clients);
        }
        const admins = adminsChange(before, role);
        requireAnAdmin(account, admins);
        const at = now.toISOString();
        const createdAt = member ? member.created_at : at;
        await table.write([
          countsWrite(accountId, account, Number(!member && isPerson(principalId)), admins, now),
          ...memberWrites({ accountId, accountName: account.name, principalId, role, isOwner: member?.is_owner === true, createdAt, updatedAt: at }),
          ...(isMachine ? [] : [{ check: directoryKeys.user(principalId), if: { equals: { is_deleted: false } } } as const]),
          ...writes,
        ]);
        return memberOf(reference, { role, created_at: createdAt, updated_at: at }, user, clients);
      }),
    forget: (reference, now) =>
      retryOnConflict(async () => {
        const keys = Object.values(memberKeys(reference.accountId, reference.principalId));
        const removed = keys.map((key): Write => ({ delete: key }));
        const item = await table.get(directoryKeys.account(reference.accountId));
        const member = await table.get(memberKeys(reference.accountId, reference.principalId).fromAccount);
        const admins = adminsChange(member && memberRow(member).role, undefined);
        const counts = item && member ? [countsWrite(reference.accountId, accountRow(item), -Number(isPerson(reference.principalId)), admins, now)] : [];
        await table.write([...counts, ...removed]);
      }),
    remove: (reference, now, additionalWrites) =>
      retryOnConflict(async () => {
        const { accountId, principalId } = reference;
        const { account, member } = await read(reference);
        if (!member) throw new NotFound('member');
        const before = member.role;
        const admins = adminsChange(before, undefined);
        requireAnAdmin(account, admins);
        const { fromAccount, fromPrincipal } = memberKeys(accountId, principalId);
        await table.write([
          countsWrite(accountId, account, -Number(isPerson(principalId)), admins, now),
          { delete: fromAccount },
          { delete: fromPrincipal },
          ...additionalWrites({ accountName: account.name, before }),
        ]);
      }),
  };
};
