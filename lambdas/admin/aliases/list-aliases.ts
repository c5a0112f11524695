import { aliases as contract } from '../../../contract/admin/aliases.ts';
import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import type { Aliases } from '../../../core/directory/aliases/aliases.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';

type Dependencies = { readonly aliases: Pick<Aliases, 'listed'>; readonly accounts: Pick<Accounts, 'findAll'> };

/** Lists the addresses of accounts. Those of deleted accounts, which wait for their removal, are left out. */
export const listAliases = ({ aliases, accounts }: Dependencies) =>
  adminMethod(contract.methods.ListAliases, {
    prefetch: ({ page_size, order_by = 'EMAIL', ...request }, { pageAfter }) =>
      aliases.listed({ ...request, order: order_by.toLowerCase() }, pageAfter, page_size),
    async run(_request, { nextPageToken }, { items, next }) {
      const found = await accounts.findAll([...new Set(items.map(({ account_id: id }) => id))]);
      const existing = new Set(found.map(({ account_id: id }) => id));
      return {
        aliases: items.filter(({ account_id: id }) => existing.has(id)),
        accounts: found.map(({ account_id, name }) => ({ account_id, name })),
        next_page_token: await nextPageToken(next),
      };
    },
  });
