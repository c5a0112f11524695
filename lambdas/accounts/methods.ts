import type { accounts as contract } from '../../contract/admin/accounts.ts';
import { unimplemented, type Behaviours } from '../platform/admin-pipe.ts';
import { notFound } from '../platform/rpc-error.ts';
import type { Members } from '../store/directory/members.ts';
import { createAccount, type AccountStores } from './new-account.ts';

export type AccountsConnections = AccountStores & {
  readonly members: Members;
  /** Client ids that are principals like users (silences §3 "A machine on JMAP"). */
  readonly headlessClientIds: readonly string[];
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
    CreateAccount: async (wanted) => ({ account: await createAccount(connections, wanted) }),
    UpdateAccount: unimplemented,
    DeleteAccount: unimplemented,
    ListAccountMembers: async ({ account_id }) => ({ members: await members.list(account_id) }),
    async PutAccountMember({ account_id: accountId, user_id: principalId, role }) {
      const isMachine = headlessClientIds.includes(principalId);
      return { member: await members.put({ accountId, principalId, isMachine }, role, clock()) };
    },
    async DeleteAccountMember({ account_id: accountId, user_id: principalId }) {
      await members.remove({ accountId, principalId }, clock());
      return {};
    },
  };
};
