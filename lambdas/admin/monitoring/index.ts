import { monitoring } from '../../../contract/admin/monitoring.ts';
import { parseMonitoredResources } from '../../../contract/deployment/monitored-resources.ts';
import { cloudWatchLogs } from '../../../core/aws/cloudwatch/cloudwatch-logs.ts';
import { cloudWatchMetrics } from '../../../core/aws/cloudwatch/cloudwatch-metrics.ts';
import { sqsDeadLetters } from '../../../core/aws/sqs-dead-letters.ts';
import { sqsQueueDepths } from '../../../core/aws/sqs-queue-depths.ts';
import { adminDependencies } from '../../../core/rpc/admin-dependencies.ts';
import { serve } from '../../../core/rpc/admin-pipe.ts';
import { systemClock } from '../../../core/runtime/clock.ts';
import { invoked } from '../../../core/runtime/invocation.ts';
import { setting } from '../../../core/runtime/lambda/settings.ts';
import { dynamodbTable } from '../../../core/storage/dynamodb/dynamodb-table.ts';
import { monitoringService } from './monitoring-service.ts';

export const handler = invoked(
  serve(
    monitoring,
    monitoringService({
      resources: parseMonitoredResources(setting('monitoredResources')),
      metrics: cloudWatchMetrics(),
      logs: cloudWatchLogs(),
      queueDepths: sqsQueueDepths(),
      deadLetters: sqsDeadLetters(),
      clock: systemClock,
    }),
    adminDependencies(monitoring.name, dynamodbTable(setting('directoryTable'))),
  ),
);
