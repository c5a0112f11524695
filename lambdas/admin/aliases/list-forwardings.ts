import { aliases as contract } from '../../../contract/admin/aliases.ts';
import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import { forwardingOnWire } from '../../../core/directory/forwarding/forwarding-on-wire.ts';
import type { Forwardings } from '../../../core/directory/forwarding/forwardings.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';

type Dependencies = { readonly forwardings: Pick<Forwardings, 'list'>; readonly accounts: Pick<Accounts, 'findAll'> };

/** Lists the forwardings of accounts. Those of deleted accounts, which wait for their removal, are left out. */
export const listForwardings = ({ forwardings, accounts }: Dependencies) =>
  adminMethod(contract.methods.ListForwardings, {
    prefetch: ({ page_size }, { pageAfter }) => forwardings.list(pageAfter, page_size),
    async run(_request, { nextPageToken }, { items, next }) {
      const found = await accounts.findAll(items.map(({ account_id: id }) => id));
      const existing = new Set(found.map(({ account_id: id }) => id));
      return {
        forwardings: items.filter(({ account_id: id }) => existing.has(id)).map((stored) => forwardingOnWire(stored.account_id, stored)),
        accounts: found.map(({ account_id, name }) => ({ account_id, name })),
        next_page_token: await nextPageToken(next),
      };
    },
  });
