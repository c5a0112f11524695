import { users as contract } from '../../../contract/admin/users.ts';
import { adminMethod, type AdminMethods } from '../../../core/rpc/admin-method.ts';
import { changesBetween, type Audit } from '../../../core/rpc/audit.ts';
import { notFound } from '../../../core/rpc/rpc-error.ts';
import type { Accounts } from '../../../core/directory/accounts.ts';
import type { Aliases } from '../../../core/directory/aliases.ts';
import type { AlsoWritten, Members } from '../../../core/directory/members.ts';
import { changeUser } from './change-user.ts';
import { completeUser, emailTaken, type UserStores } from './new-user.ts';

export type UsersConnections = UserStores & {
  readonly accounts: Pick<Accounts, 'findAll'>;
  readonly aliases: Pick<Aliases, 'listOf'>;
  readonly members: Pick<Members, 'accountIdsOf' | 'put' | 'remove'>;
};

/** The entry of a member's change, seen from the person. */
const auditRole = (audit: Audit, accountId: string): AlsoWritten => ({ accountName, before, after }) => {
  audit.about({ entity_name: accountName, changes: changesBetween({ role: before }, { role: after }, ['role']), metadata: { account_id: accountId } });
  return audit.writes();
};

/** What /users does. */
export const usersMethods = (connections: UsersConnections): AdminMethods<typeof contract> => {
  const { users, accounts, aliases, members, newId, clock } = connections;

  /** The person and the accounts that they are a member of, in one trip. */
  const withAccountIds = async (userId: string) => {
    const [user, accountIds] = await Promise.all([users.find(userId), members.accountIdsOf(userId)]);
    if (!user) throw notFound('user');
    return { user, accountIds };
  };

  return {
    CreateUser: adminMethod(contract.methods.CreateUser, {
      prefetch: ({ email }) => users.isTaken(email),
      run: async ({ email, display_name }, { audit }, isTaken) => {
        audit.about({ entity_name: display_name ?? email });
        if (isTaken) throw emailTaken();
        return { user: await completeUser(connections, users.reserve(email, newId('user')), { email, display_name, is_admin: false }, audit) };
      },
    }),
    ListUsers: adminMethod(contract.methods.ListUsers, {
      async run({ page_size }, { pageAfter, nextPageToken }) {
        const { items, next } = await users.list(pageAfter, page_size);
        return { users: [...items], next_page_token: await nextPageToken(next) };
      },
    }),
    GetUser: adminMethod(contract.methods.GetUser, {
      async run({ user_id }) {
        const user = await users.find(user_id);
        if (!user) throw notFound('user');
        return { user };
      },
    }),
    UpdateUser: adminMethod(contract.methods.UpdateUser, {
      prefetch: ({ user_id }) => users.findForChange(user_id),
      run: async ({ user_id, ...wanted }, { audit }, known) => ({ user: await changeUser(connections, known, user_id, wanted, audit) }),
    }),
    DeleteUser: adminMethod(contract.methods.DeleteUser, {
      prefetch: ({ user_id }) => users.findForChange(user_id),
      run: async ({ user_id }, { audit }, known) => {
        await changeUser(connections, known, user_id, { is_active: false, is_deleted: true }, audit);
        return {};
      },
    }),
    ListUserAccounts: adminMethod(contract.methods.ListUserAccounts, {
      async run({ user_id }) {
        const { accountIds } = await withAccountIds(user_id);
        return { accounts: await accounts.findAll(accountIds) };
      },
    }),
    GetUserOverview: adminMethod(contract.methods.GetUserOverview, {
      async run({ user_id }) {
        const { user, accountIds } = await withAccountIds(user_id);
        const primaryId = user.primary_account_id;
        const [found, primaryAliases] = await Promise.all([
          accounts.findAll([...new Set([...accountIds, ...(primaryId === undefined ? [] : [primaryId])])]),
          primaryId === undefined ? [] : aliases.listOf(primaryId),
        ]);
        const primary = found.find(({ account_id: id }) => id === primaryId);
        return { user, primary_account: primary, primary_account_aliases: primary ? primaryAliases : [], accounts: found.filter(({ account_id: id }) => accountIds.includes(id)) };
      },
    }),
    PutUserAccountMember: adminMethod(contract.methods.PutUserAccountMember, {
      run: async ({ user_id: principalId, account_id: accountId, role }, { audit }) => {
        audit.about({ entity_id: principalId });
        return { member: await members.put({ accountId, principalId, isMachine: false }, role, clock(), auditRole(audit, accountId)) };
      },
    }),
    DeleteUserAccountMember: adminMethod(contract.methods.DeleteUserAccountMember, {
      async run({ user_id: principalId, account_id: accountId }, { audit }) {
        audit.about({ entity_id: principalId });
        await members.remove({ accountId, principalId }, clock(), auditRole(audit, accountId));
        return {};
      },
    }),
  };
};
