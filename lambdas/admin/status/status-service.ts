import type { status } from '../../../contract/admin/status.ts';
import type { ProblemSubscribers } from '../../../core/directory/problems/problem-subscribers.ts';
import type { AdminMethods } from '../../../core/rpc/admin-method.ts';
import { getCaller } from './get-caller.ts';
import { getStatus, type StatusDependencies } from './get-status.ts';
import { listProblems, type ListProblemsDependencies } from './list-problems.ts';
import { ping } from './ping.ts';
import { subscribeToProblems } from './subscribe-to-problems.ts';

/** The methods of /status (docs/specification.md#status). */
export const statusService = (
  dependencies: StatusDependencies & ListProblemsDependencies & { readonly subscribers: ProblemSubscribers },
): AdminMethods<typeof status> => ({
  Ping: ping(),
  GetCaller: getCaller(),
  GetStatus: getStatus(dependencies),
  ListProblems: listProblems(dependencies),
  SubscribeToProblems: subscribeToProblems(dependencies),
});
