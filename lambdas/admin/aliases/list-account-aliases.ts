import { aliases as contract } from '../../../contract/admin/aliases.ts';
import type { Aliases } from '../../../core/directory/aliases/aliases.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';

type Dependencies = { readonly aliases: Pick<Aliases, 'list'> };

export const listAccountAliases = ({ aliases }: Dependencies) =>
  adminMethod(contract.methods.ListAccountAliases, { run: async ({ account_id }) => ({ aliases: await aliases.list(account_id) }) });
