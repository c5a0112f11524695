import { logsContract } from '../../contracts/logs-contract.ts';
import { metricsContract } from '../../contracts/metrics-contract.ts';
import { memoryLogs } from '../../fakes/memory-logs.ts';
import { memoryMetrics } from '../../fakes/memory-metrics.ts';

describe('metrics in memory', () => metricsContract(async () => memoryMetrics()));
describe('logs in memory', () => logsContract(async () => memoryLogs()));
