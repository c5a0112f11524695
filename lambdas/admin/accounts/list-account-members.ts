import { accounts as contract } from '../../../contract/admin/accounts.ts';
import type { Members } from '../../../core/directory/users/members.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';

type Dependencies = { readonly members: Pick<Members, 'list'> };

export const listAccountMembers = ({ members }: Dependencies) =>
  adminMethod(contract.methods.ListAccountMembers, { run: async ({ account_id }) => ({ members: await members.list(account_id) }) });
