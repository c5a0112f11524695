import { accounts as contract } from '../../../contract/admin/accounts.ts';
import type { AccountRemovals } from '../../../core/directory/accounts/account-removals.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { Queue } from '../../../core/runtime/lambda/queue.ts';

type Dependencies = {
  readonly removals: Pick<AccountRemovals, 'begin' | 'findState'>;
  readonly removalQueue: Queue;
  /** Seconds for which a deleted account can be restored. */
  readonly recoverableSeconds: number;
  readonly clock: Clock;
};

/**
 * Closes the account, then enqueues its removal. The removal waits until the account can no longer be restored. A
 * repeated call enqueues it again.
 */
export const deleteAccount = ({ removals, removalQueue, recoverableSeconds, clock }: Dependencies) =>
  adminMethod(contract.methods.DeleteAccount, {
    prefetch: ({ account_id: accountId }) => removals.findState(accountId),
    async run({ account_id: accountId }, { audit }, removalState) {
      await removals.begin(removalState, accountId, { now: clock(), recoverableSeconds }, ({ name, email }, begun) => {
        audit.describe({ entity_name: name, metadata: { email, removal: begun === 'now' ? 'begun' : 'resumed' } });
        return audit.pendingWrites();
      });
      await removalQueue.send({ accountId });
      return {};
    },
  });
