import { accounts as contract } from '../../../contract/admin/accounts.ts';
import type { AccountRemovals } from '../../../core/directory/accounts/account-removals.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { notFound, RpcError } from '../../../core/rpc/rpc-error.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { Queue } from '../../../core/runtime/lambda/queue.ts';

type Dependencies = { readonly removals: Pick<AccountRemovals, 'find' | 'endWaiting'>; readonly removalQueue: Queue; readonly clock: Clock };

/** Ends the time in which the account can be restored, then enqueues its removal. A repeated call enqueues it again. */
export const removeAccountNow = ({ removals, removalQueue, clock }: Dependencies) =>
  adminMethod(contract.methods.RemoveAccountNow, {
    prefetch: ({ account_id }) => removals.find(account_id),
    async run({ account_id: accountId, name }, { audit }, removal) {
      if (!removal) throw notFound('deleted account');
      audit.describe({ entity_name: removal.name, metadata: { email: removal.email } });
      if (name !== removal.name) throw new RpcError('failed_precondition', 'name is not the name of the account');
      await removals.endWaiting(accountId, clock(), () => audit.pendingWrites());
      await removalQueue.send({ accountId });
      return {};
    },
  });
