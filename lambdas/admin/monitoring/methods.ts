import { monitoring } from '../../../contract/admin/monitoring.ts';
import type { MonitoredResources } from '../../../contract/monitored-resources.ts';
import { adminMethod, type AdminMethods } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';
import type { Logs } from '../../../core/aws/cloudwatch/logs.ts';
import type { Metrics } from '../../../core/aws/cloudwatch/metrics.ts';
import { logContext } from './log-context.ts';
import { logGroupsOf } from './log-groups.ts';
import { measured, overviewItems } from './overview.ts';
import { recentErrors } from './recent-errors.ts';

export type MonitoringSources = {
  /** What belongs to the deployment; nothing else is looked at. */
  readonly resources: MonitoredResources;
  readonly metrics: Metrics;
  readonly logs: Logs;
  readonly clock: Clock;
};

/** What /monitoring does. It keeps nothing: each call asks CloudWatch. */
export const monitoringMethods = ({ resources, metrics, logs, clock }: MonitoringSources): AdminMethods<typeof monitoring> => {
  const groups = logGroupsOf(resources);
  /** Whole minutes, as metrics are kept; the minute that runs is part of it. */
  const lastMinutes = (minutes: number) => {
    const to = new Date(Math.ceil(clock().getTime() / 60_000) * 60_000);
    return { from: new Date(to.getTime() - minutes * 60_000), to };
  };

  return {
    GetOverview: adminMethod(monitoring.methods.GetOverview, {
      async run({ lookback_minutes: minutes, period_seconds: period }) {
        const time = lastMinutes(minutes);
        return measured(overviewItems(resources, { lookback: minutes * 60, period }), (queries) => metrics.read(queries, time));
      },
    }),
    ListRecentErrors: adminMethod(monitoring.methods.ListRecentErrors, {
      async run({ lookback_minutes: minutes, limit }) {
        const to = clock();
        return { entries: await recentErrors(logs, groups, { from: new Date(to.getTime() - minutes * 60_000), to }, limit) };
      },
    }),
    GetLogContext: adminMethod(monitoring.methods.GetLogContext, {
      async run({ log_group: logGroup, center_timestamp: center, window_seconds: window, correlation_id, aws_request_id, limit }) {
        if (!groups.some(({ name }) => name === logGroup)) throw new RpcError('invalid_argument', 'log_group: must be a log group of this deployment');
        const ids = [correlation_id, aws_request_id].filter((id) => id !== undefined);
        return { lines: await logContext(logs, { logGroup, center: new Date(center), window, ids, limit }) };
      },
    }),
  };
};
