import type { accounts as contract } from '../../contract/admin/accounts.ts';
import { unimplemented, type Behaviours } from '../platform/admin-pipe.ts';
import { changesBetween, type Audit } from '../platform/audit.ts';
import { notFound } from '../platform/rpc-error.ts';
import type { AlsoWritten, Members } from '../store/directory/members.ts';
import { createAccount, type AccountStores } from './new-account.ts';

export type AccountsConnections = AccountStores & {
  readonly members: Members;
  /** Client ids that are principals like users (silences §3 "A machine on JMAP"). */
  readonly headlessClientIds: readonly string[];
};

/** The entry of a member's change: it is about the account. */
const auditRole = (audit: Audit, userId: string): AlsoWritten => ({ accountName, before, after }) => {
  audit.about({ entity_name: accountName, changes: changesBetween({ role: before }, { role: after }, ['role']), metadata: { user_id: userId } });
  return audit.writes();
};

/** What /accounts does. */
export const accountsMethods = (connections: AccountsConnections): Behaviours<typeof contract> => {
  const { accounts, members, headlessClientIds, clock } = connections;
  return {
    async ListAccounts({ page_size }, { pageAfter, nextPageToken }) {
      const { items, next } = await accounts.list(pageAfter, page_size);
      return { accounts: [...items], next_page_token: await nextPageToken(next) };
    },
    async GetAccount({ account_id }) {
      const account = await accounts.find(account_id);
      if (!account) throw notFound('account');
      return { account };
    },
    CreateAccount: async (wanted, { audit }) => ({ account: await createAccount(connections, wanted, audit) }),
    UpdateAccount: unimplemented,
    DeleteAccount: unimplemented,
    ListAccountMembers: async ({ account_id }) => ({ members: await members.list(account_id) }),
    async PutAccountMember({ account_id: accountId, user_id: principalId, role }, { audit }) {
      const isMachine = headlessClientIds.includes(principalId);
      return { member: await members.put({ accountId, principalId, isMachine }, role, clock(), auditRole(audit, principalId)) };
    },
    async DeleteAccountMember({ account_id: accountId, user_id: principalId }, { audit }) {
      await members.remove({ accountId, principalId }, clock(), auditRole(audit, principalId));
      return {};
    },
  };
};
