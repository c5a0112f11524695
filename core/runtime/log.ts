import { Logger } from '@aws-lambda-powertools/logger';

/** A structured log. Records have ids and counts only: no address, subject, token or content of a message. */
export type Log = Pick<Logger, 'info' | 'warn' | 'error' | 'debug' | 'appendKeys' | 'resetKeys' | 'addContext'>;

/** The logger of one Lambda, named after its folder. */
export const logFor = (serviceName: string): Log => new Logger({ serviceName });
/** The namespace of the service's own metrics in CloudWatch. */
const namespace = 'Postrider';

/**
 * Fields that make a log record a metric as well: CloudWatch counts 1 for each such record (Embedded Metric Format).
 * Its dimension is the `service` of the log.
 */
export const countedAs = (metric: string): { readonly [field: string]: unknown } => ({
  _aws: {
    Timestamp: Date.now(),
    CloudWatchMetrics: [{ Namespace: namespace, Dimensions: [['service']], Metrics: [{ Name: metric, Unit: 'Count' }] }],
  },
  [metric]: 1,
});
