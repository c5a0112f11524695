import type { monitoring } from '../../../contract/admin/monitoring.ts';
import type { MonitoredResources } from '../../../contract/deployment/monitored-resources.ts';
import type { Logs } from '../../../core/aws/cloudwatch/cloudwatch-logs.ts';
import type { Metrics } from '../../../core/aws/cloudwatch/metrics.ts';
import type { DeadLetters } from '../../../core/aws/sqs-dead-letters.ts';
import type { QueueDepths } from '../../../core/aws/sqs-queue-depths.ts';
import type { AdminMethods } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { dropDeadLetters } from './drop-dead-letters.ts';
import { getLogContext } from './get-log-context.ts';
import { getMetricSeries } from './get-metric-series.ts';
import { getOverview } from './get-overview.ts';
import { listDeadLetters } from './list-dead-letters.ts';
import { listQueues } from './list-queues.ts';
import { listRecentErrors } from './list-recent-errors.ts';
import { retryDeadLetters } from './retry-dead-letters.ts';
import { returnDeadLetters } from './return-dead-letters.ts';

type MonitoringDependencies = {
  /** The deployment's own resources. The methods read no other resources. */
  readonly resources: MonitoredResources;
  readonly metrics: Metrics;
  readonly logs: Logs;
  readonly queueDepths: QueueDepths;
  readonly deadLetters: DeadLetters;
  readonly clock: Clock;
};

/** The methods of /monitoring (docs/specification.md#monitoring). They store nothing in tables. */
export const monitoringService = (dependencies: MonitoringDependencies): AdminMethods<typeof monitoring> => ({
  GetOverview: getOverview(dependencies),
  GetMetricSeries: getMetricSeries(dependencies),
  ListQueues: listQueues(dependencies),
  ListDeadLetters: listDeadLetters(dependencies),
  RetryDeadLetters: retryDeadLetters(dependencies),
  ReturnDeadLetters: returnDeadLetters(dependencies),
  DropDeadLetters: dropDeadLetters(dependencies),
  ListRecentErrors: listRecentErrors(dependencies),
  GetLogContext: getLogContext(dependencies),
});
