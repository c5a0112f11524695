import { accounts as contract, RemovalStep } from '../../../contract/admin/accounts.ts';
import type { AccountRemovals } from '../../../core/directory/accounts/account-removals.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';

type Dependencies = { readonly removals: Pick<AccountRemovals, 'list'> };

export const listAccountRemovals = ({ removals }: Dependencies) =>
  adminMethod(contract.methods.ListAccountRemovals, {
    async run({ page_size }, { pageAfter, nextPageToken }) {
      const { items, next } = await removals.list(pageAfter, page_size);
      return {
        removals: items.map(({ accountId: account_id, name, email, step, removed, begunAt: begun_at, removalAt: removal_at }) => ({
          account_id,
          name,
          email,
          step: RemovalStep.parse(step.toUpperCase()),
          removed,
          begun_at,
          removal_at,
        })),
        next_page_token: await nextPageToken(next),
      };
    },
  });
