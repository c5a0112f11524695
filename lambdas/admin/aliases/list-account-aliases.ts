import { aliases as contract } from '../../../contract/admin/aliases.ts';
import type { Aliases } from '../../../core/directory/aliases/aliases.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';

type Connections = { readonly aliases: Pick<Aliases, 'list'> };

export const listAccountAliases = ({ aliases }: Connections) => adminMethod(contract.methods.ListAccountAliases, {
  run: async ({ account_id }) => ({ aliases: await aliases.list(account_id) }),
});
