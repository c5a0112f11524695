import { Logger } from '@aws-lambda-powertools/logger';

/** A structured log. Its records contain only ids and counts: no address, subject, token or content of a message. */
export type Log = Pick<Logger, 'info' | 'warn' | 'error' | 'debug' | 'appendKeys' | 'resetKeys' | 'addContext'>;

/** The logger of one Lambda, which adds the name of the Lambda's folder to each line. */
export const logFor = (serviceName: string): Log => new Logger({ serviceName });
/** The CloudWatch namespace of the deployment's own metrics. */
const namespace = 'Postrider';

/** Fields that add 1 to a metric of the log's `service` for each log record (Embedded Metric Format). */
export const countedAs = (metric: string): { readonly [field: string]: unknown } => ({
  _aws: {
    Timestamp: Date.now(),
    CloudWatchMetrics: [{ Namespace: namespace, Dimensions: [['service']], Metrics: [{ Name: metric, Unit: 'Count' }] }],
  },
  [metric]: 1,
});
