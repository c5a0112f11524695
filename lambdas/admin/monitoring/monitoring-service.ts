import type { monitoring } from '../../../contract/admin/monitoring.ts';
import type { MonitoredResources } from '../../../contract/deployment/monitored-resources.ts';
import type { Logs } from '../../../core/aws/cloudwatch/cloudwatch-logs.ts';
import type { Metrics } from '../../../core/aws/cloudwatch/metrics.ts';
import type { AdminMethods } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { getLogContext } from './get-log-context.ts';
import { getMetricSeries } from './get-metric-series.ts';
import { getOverview } from './get-overview.ts';
import { listRecentErrors } from './list-recent-errors.ts';

type MonitoringDependencies = {
  /** The deployment's own resources. The methods read no other resources. */
  readonly resources: MonitoredResources;
  readonly metrics: Metrics;
  readonly logs: Logs;
  readonly clock: Clock;
};

/** The methods of /monitoring (docs/specification.md#monitoring). They store nothing: each call reads CloudWatch. */
export const monitoringService = (dependencies: MonitoringDependencies): AdminMethods<typeof monitoring> => ({
  GetOverview: getOverview(dependencies),
  GetMetricSeries: getMetricSeries(dependencies),
  ListRecentErrors: listRecentErrors(dependencies),
  GetLogContext: getLogContext(dependencies),
});
