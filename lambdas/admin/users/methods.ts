import type { users as contract } from '../../../contract/admin/users.ts';
import { lookingAhead, type Behaviours } from '../../../core/rpc/admin-pipe.ts';
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
export const usersMethods = (connections: UsersConnections): Behaviours<typeof contract> => {
  const { users, accounts, aliases, members, newId, clock } = connections;

  /** The person and the accounts that they are a member of, in one trip. */
  const withAccountIds = async (userId: string) => {
    const [user, accountIds] = await Promise.all([users.find(userId), members.accountIdsOf(userId)]);
    if (!user) throw notFound('user');
    return { user, accountIds };
  };

  return {
    CreateUser: lookingAhead(({ email }) => users.isTaken(email), async (isTaken, { email, display_name }, { audit }) => {
      audit.about({ entity_name: display_name ?? email });
      if (isTaken) throw emailTaken();
      return { user: await completeUser(connections, users.reserve(email, newId('user')), { email, display_name, is_admin: false }, audit) };
    }),
    async ListUsers({ page_size }, { pageAfter, nextPageToken }) {
      const { items, next } = await users.list(pageAfter, page_size);
      return { users: [...items], next_page_token: await nextPageToken(next) };
    },
    async GetUser({ user_id }) {
      const user = await users.find(user_id);
      if (!user) throw notFound('user');
      return { user };
    },
    UpdateUser: lookingAhead(({ user_id }) => users.findForChange(user_id), async (known, { user_id, ...wanted }, { audit }) => ({ user: await changeUser(connections, known, user_id, wanted, audit) })),
    DeleteUser: lookingAhead(({ user_id }) => users.findForChange(user_id), async (known, { user_id }, { audit }) => {
      await changeUser(connections, known, user_id, { is_active: false, is_deleted: true }, audit);
      return {};
    }),
    async ListUserAccounts({ user_id }) {
      const { accountIds } = await withAccountIds(user_id);
      return { accounts: await accounts.findAll(accountIds) };
    },
    async GetUserOverview({ user_id }) {
      const { user, accountIds } = await withAccountIds(user_id);
      const primaryId = user.primary_account_id;
      const [found, primaryAliases] = await Promise.all([
        accounts.findAll([...new Set([...accountIds, ...(primaryId === undefined ? [] : [primaryId])])]),
        primaryId === undefined ? [] : aliases.listOf(primaryId),
      ]);
      const primary = found.find(({ account_id: id }) => id === primaryId);
      return { user, primary_account: primary, primary_account_aliases: primary ? primaryAliases : [], accounts: found.filter(({ account_id: id }) => accountIds.includes(id)) };
    },
    PutUserAccountMember: async ({ user_id: principalId, account_id: accountId, role }, { audit }) => {
      audit.about({ entity_id: principalId });
      return { member: await members.put({ accountId, principalId, isMachine: false }, role, clock(), auditRole(audit, accountId)) };
    },
    async DeleteUserAccountMember({ user_id: principalId, account_id: accountId }, { audit }) {
      audit.about({ entity_id: principalId });
      await members.remove({ accountId, principalId }, clock(), auditRole(audit, accountId));
      return {};
    },
  };
};
