import { logsSuite } from '../../../port-suites/logs-suite.ts';
import { metricsSuite } from '../../../port-suites/metrics-suite.ts';
import { memoryLogs } from '../../../fakes/memory-logs.ts';
import { memoryMetrics } from '../../../fakes/memory-metrics.ts';

describe('metrics in memory', () => metricsSuite(async () => memoryMetrics()));
describe('logs in memory', () => logsSuite(async () => memoryLogs()));
