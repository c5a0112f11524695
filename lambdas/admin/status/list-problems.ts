import { status as contract } from '../../../contract/admin/status.ts';
import type { ProblemSubscribers } from '../../../core/directory/problems/problem-subscribers.ts';
import type { Problems } from '../../../core/directory/problems/problems.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';

export type ListProblemsDependencies = {
  readonly problems: Problems;
  readonly subscribers: Pick<ProblemSubscribers, 'list'>;
  /** Whether the deployment has the setting `alarmEmail`. */
  readonly hasAlarmEmail: boolean;
};

export const listProblems = ({ problems, subscribers, hasAlarmEmail }: ListProblemsDependencies) =>
  adminMethod(contract.methods.ListProblems, {
    prefetch: ({ page_size: size }, { pageAfter }) => Promise.all([problems.list(pageAfter, size), problems.lastRun(), subscribers.list()]),
    run: async (_request, { caller, nextPageToken }, [{ items, next }, lastRun, { userIds, addresses }]) => ({
      problems: [...items],
      ...(lastRun !== undefined && { watched_at: lastRun }),
      is_subscribed: userIds.includes(caller.principalId),
      is_anybody_notified: hasAlarmEmail || addresses.length > 0,
      next_page_token: await nextPageToken(next),
    }),
  });
