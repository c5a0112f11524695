import { logsContract } from '../../../port-suites/logs-suite.ts';
import { metricsContract } from '../../../port-suites/metrics-suite.ts';
import { memoryLogs } from '../../../fakes/memory-logs.ts';
import { memoryMetrics } from '../../../fakes/memory-metrics.ts';

describe('metrics in memory', () => metricsContract(async () => memoryMetrics()));
describe('logs in memory', () => logsContract(async () => memoryLogs()));
