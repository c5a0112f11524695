import { accounts as contract } from '../../../contract/admin/accounts.ts';
import type { Accounts } from '../../../core/directory/accounts.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { notFound } from '../../../core/rpc/rpc-error.ts';

export const getAccount = ({ accounts }: { readonly accounts: Pick<Accounts, 'find'> }) => adminMethod(contract.methods.GetAccount, {
  async run({ account_id }) {
    const account = await accounts.find(account_id);
    if (!account) throw notFound('account');
    return { account };
  },
});
