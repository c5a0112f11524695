import type { AccountMember } from '../../contract/admin/accounts.ts';
import { FailedPrecondition, NotFound } from '../runtime/domain-errors.ts';
import type { Item, Table, Write } from '../storage/table.ts';
import type { Role } from './principals.ts';
import { retryOnConflict } from '../storage/retry-on-conflict.ts';

/** Who of an account's principals: a person, or a headless client acting for itself. */
export type MemberReference = { readonly accountId: string; readonly principalId: string; readonly isMachine: boolean };

/** What becomes of a member's role; undefined where there is none before or after. */
export type RoleChange = { readonly accountName: string; readonly before?: Role; readonly after?: Role };

/** What is written together with a change, once it is known. */
export type RoleChangeWrites = (change: RoleChange) => readonly Write[];

/**
 * Who may use an account. `account-member#account_id`/principal_id and `member#principal_id`/account_id say the same from both sides and move in one
 * transaction, with the counts on the account; `access_version` there lets one change of an account's access win at a time.
 */
export type Members = {
  /** Ids of the accounts that the principal is a member of, in order. */
  accountIdsOf(principalId: string): Promise<string[]>;
  /** By principal id. @throws NotFound for an account that is not there. */
  list(accountId: string): Promise<AccountMember[]>;
  /** Creates the member or changes its role. @throws NotFound (account, user), FailedPrecondition (the last ADMIN), StoreConflict. */
  put(member: MemberReference, role: Role, now: Date, also: RoleChangeWrites): Promise<AccountMember>;
  /** @throws NotFound (account, member), FailedPrecondition (the last ADMIN), StoreConflict. */
  remove(member: Omit<MemberReference, 'isMachine'>, now: Date, also: RoleChangeWrites): Promise<void>;
};

type MemberRecord = {
  readonly accountId: string; readonly accountName: string; readonly principalId: string;
  readonly role: Role; readonly isOwner: boolean; readonly createdAt: string; readonly updatedAt: string;
};

/** The two keys of a membership. */
export const memberKeys = (accountId: string, principalId: string) => ({
  fromAccount: { pk: `account-member#${accountId}`, sk: principalId },
  fromPrincipal: { pk: `member#${principalId}`, sk: accountId },
});

/** Both sides of a membership. */
export const memberWrites = ({ accountId, accountName, principalId, role, isOwner, createdAt, updatedAt }: MemberRecord): Write[] => {
  const { fromAccount, fromPrincipal } = memberKeys(accountId, principalId);
  const member = { role, is_owner: isOwner, created_at: createdAt, updated_at: updatedAt };
  return [{ put: { ...fromAccount, ...member } }, { put: { ...fromPrincipal, ...member, account_name: accountName } }];
};

const memberOf = (accountId: string, item: Item): AccountMember => ({
  account_id: accountId, user_id: item.sk, role: item['role'] as Role, created_at: item['created_at'] as string, updated_at: item['updated_at'] as string,
});

/** Moves the account's counts; holds only while nobody else has changed the account's access since it was read. */
const countsWrite = (account: Item, members: number, admins: number, now: Date): Write => ({
  update: { pk: 'account', sk: account.sk },
  set: {
    member_count: Number(account['member_count']) + members,
    admin_count: Number(account['admin_count']) + admins,
    access_version: Number(account['access_version']) + 1,
    updated_at: now.toISOString(),
  },
  if: { equals: { access_version: Number(account['access_version']) } },
});

/** @throws FailedPrecondition for a change that would leave the account without an ADMIN (docs/specification.md#accounts). */
const keepAnAdmin = (account: Item, admins: number): void => {
  if (admins < 0 && Number(account['admin_count']) + admins < 1) throw new FailedPrecondition('this is the last ADMIN of the account');
};

const adminsChange = (before: Role | undefined, after: Role | undefined): number => Number(after === 'ADMIN') - Number(before === 'ADMIN');

export const membersIn = (table: Table): Members => {
  /** The account, its member and the person, in one trip. */
  const read = async ({ accountId, principalId }: Pick<MemberReference, 'accountId' | 'principalId'>) => {
    const keys = { account: { pk: 'account', sk: accountId }, member: memberKeys(accountId, principalId).fromAccount, user: { pk: 'user', sk: principalId } };
    const items = await table.batchGet(Object.values(keys));
    const itemOf = (key: { pk: string }) => items.find(({ pk }) => pk === key.pk);
    const account = itemOf(keys.account);
    if (!account) throw new NotFound('account');
    return { account, member: itemOf(keys.member), user: itemOf(keys.user) };
  };

  return {
    accountIdsOf: async (principalId) => (await table.query({ pk: `member#${principalId}` })).map(({ sk }) => sk),
    async list(accountId) {
      const [account, members] = await Promise.all([table.get({ pk: 'account', sk: accountId }), table.query({ pk: `account-member#${accountId}` })]);
      if (!account) throw new NotFound('account');
      return members.map((item) => memberOf(accountId, item));
    },
    put: (wanted, role, now, also) => retryOnConflict(async () => {
      const { accountId, principalId, isMachine } = wanted;
      const { account, member, user } = await read(wanted);
      if (!isMachine && user?.['is_deleted'] !== false) throw new NotFound('user');
      const before = member?.['role'] as Role | undefined;
      const alsoWritten = also({ accountName: account['name'] as string, ...(before && { before }), after: role });
      if (member && before === role) {
        await table.write(alsoWritten);
        return memberOf(accountId, member);
      }
      const admins = adminsChange(before, role);
      keepAnAdmin(account, admins);
      const at = now.toISOString();
      const createdAt = member ? member['created_at'] as string : at;
      await table.write([
        countsWrite(account, member ? 0 : 1, admins, now),
        ...memberWrites({ accountId, accountName: account['name'] as string, principalId, role, isOwner: member?.['is_owner'] === true, createdAt, updatedAt: at }),
        ...(isMachine ? [] : [{ check: { pk: 'user', sk: principalId }, if: { equals: { is_deleted: false } } } as const]),
        ...alsoWritten,
      ]);
      return { account_id: accountId, user_id: principalId, role, created_at: createdAt, updated_at: at };
    }),
    remove: (wanted, now, also) => retryOnConflict(async () => {
      const { account, member } = await read(wanted);
      if (!member) throw new NotFound('member');
      const before = member['role'] as Role;
      const admins = adminsChange(before, undefined);
      keepAnAdmin(account, admins);
      const { fromAccount, fromPrincipal } = memberKeys(wanted.accountId, wanted.principalId);
      await table.write([countsWrite(account, -1, admins, now), { delete: fromAccount }, { delete: fromPrincipal }, ...also({ accountName: account['name'] as string, before })]);
    }),
  };
};
