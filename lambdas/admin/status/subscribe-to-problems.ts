import { status as contract } from '../../../contract/admin/status.ts';
import type { ProblemSubscribers } from '../../../core/directory/problems/problem-subscribers.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { changesBetween } from '../../../core/rpc/audit.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';

type Dependencies = { readonly subscribers: Pick<ProblemSubscribers, 'isSubscribed' | 'set'> };

export const subscribeToProblems = ({ subscribers }: Dependencies) =>
  adminMethod(contract.methods.SubscribeToProblems, {
    async run({ subscribed }, { caller: { principalId, isMachine, email }, audit }) {
      audit.describe({ entity_id: principalId, entity_name: 'problems' });
      if (isMachine || email === undefined) throw new RpcError('failed_precondition', 'only an admin with an e-mail address can subscribe');
      const before = { subscribed: await subscribers.isSubscribed(principalId) };
      audit.describe({ changes: changesBetween(before, { subscribed }, ['subscribed']) });
      if (!(await subscribers.set(principalId, subscribed, audit.successWrites()))) {
        throw new RpcError('aborted', 'the subscription changed at the same time; try again');
      }
      return {};
    },
  });
