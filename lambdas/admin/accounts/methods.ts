import { accounts as contract, type Account } from '../../../contract/admin/accounts.ts';
import { adminMethod, type AdminMethods } from '../../../core/rpc/admin-method.ts';
import { changesBetween, type Audit } from '../../../core/rpc/audit.ts';
import { notFound } from '../../../core/rpc/rpc-error.ts';
import type { Queue } from '../../../core/runtime/queue.ts';
import type { AccountRemovals } from '../../../core/directory/account-removals.ts';
import type { AlsoWritten, Members } from '../../../core/directory/members.ts';
import { createAccount, lookAtNewAccount, type AccountStores } from './new-account.ts';

export type AccountsConnections = AccountStores & {
  readonly members: Members;
  readonly removals: Pick<AccountRemovals, 'begin' | 'look'>;
  /** Holds the accounts that the account-removal Lambda is to remove. */
  readonly removalQueue: Queue;
  /** Client ids that are principals like users (docs/specification.md#machine-access). */
  readonly headlessClientIds: readonly string[];
};

/** The entry of a member's change: it is about the account. */
const auditRole = (audit: Audit, userId: string): AlsoWritten => ({ accountName, before, after }) => {
  audit.about({ entity_name: accountName, changes: changesBetween({ role: before }, { role: after }, ['role']), metadata: { user_id: userId } });
  return audit.writes();
};

/** What /accounts does. */
export const accountsMethods = (connections: AccountsConnections): AdminMethods<typeof contract> => {
  const { accounts, members, removals, removalQueue, headlessClientIds, clock } = connections;
  return {
    ListAccounts: adminMethod(contract.methods.ListAccounts, {
      async run({ page_size }, { pageAfter, nextPageToken }) {
        const { items, next } = await accounts.list(pageAfter, page_size);
        return { accounts: [...items], next_page_token: await nextPageToken(next) };
      },
    }),
    GetAccount: adminMethod(contract.methods.GetAccount, {
      async run({ account_id }) {
        const account = await accounts.find(account_id);
        if (!account) throw notFound('account');
        return { account };
      },
    }),
    CreateAccount: adminMethod(contract.methods.CreateAccount, {
      prefetch: (wanted) => lookAtNewAccount(connections, wanted),
      run: async (wanted, { audit }, found) => ({ account: await createAccount(connections, found, wanted, audit) }),
    }),
    UpdateAccount: adminMethod(contract.methods.UpdateAccount, {
      run: async ({ account_id, name }, { audit }) => ({
        account: await accounts.rename(account_id, name, clock(), (before, after) => {
          audit.about({ entity_name: after.name, changes: changesBetween<Account>(before, after, ['name']) });
          return audit.writes();
        }),
      }),
    }),
    DeleteAccount: adminMethod(contract.methods.DeleteAccount, {
      prefetch: ({ account_id: accountId }) => removals.look(accountId),
      run: async ({ account_id: accountId }, { audit }, known) => {
        await removals.begin(known, accountId, clock(), ({ name, email }, begun) => {
          audit.about({ entity_name: name, metadata: { email, removal: begun === 'now' ? 'begun' : 'resumed' } });
          return audit.begins();
        });
        await removalQueue.send({ accountId });
        return {};
      },
    }),
    ListAccountMembers: adminMethod(contract.methods.ListAccountMembers, { run: async ({ account_id }) => ({ members: await members.list(account_id) }) }),
    PutAccountMember: adminMethod(contract.methods.PutAccountMember, {
      async run({ account_id: accountId, user_id: principalId, role }, { audit }) {
        const isMachine = headlessClientIds.includes(principalId);
        return { member: await members.put({ accountId, principalId, isMachine }, role, clock(), auditRole(audit, principalId)) };
      },
    }),
    DeleteAccountMember: adminMethod(contract.methods.DeleteAccountMember, {
      async run({ account_id: accountId, user_id: principalId }, { audit }) {
        await members.remove({ accountId, principalId }, clock(), auditRole(audit, principalId));
        return {};
      },
    }),
  };
};
