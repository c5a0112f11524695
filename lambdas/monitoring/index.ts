import { monitoring } from '../../contract/admin/monitoring.ts';
import type { MonitoredResources } from '../../contract/monitored-resources.ts';
import { serve } from '../platform/admin-pipe.ts';
import { systemClock } from '../platform/clock.ts';
import { configured } from '../platform/configuration.ts';
import { cloudWatchLogs } from '../providers/cloudwatch-logs.ts';
import { cloudWatchMetrics } from '../providers/cloudwatch-metrics.ts';
import { adminConnections } from '../store/directory/admin-connections.ts';
import { directoryTable } from '../store/directory/directory-table.ts';
import { monitoringMethods } from './methods.ts';

export const handler = serve(monitoring, monitoringMethods({
  resources: JSON.parse(configured('monitoredResources')) as MonitoredResources,
  metrics: cloudWatchMetrics(),
  logs: cloudWatchLogs(),
  clock: systemClock,
}), adminConnections(monitoring.name, directoryTable()));
