import type { MetricName, MetricUnit } from '../../../contract/admin/monitoring.ts';
import { isDeadLetterQueue, nameInStack, type MonitoredResources } from '../../../contract/deployment/monitored-resources.ts';
import { apiDimensions, apiMetrics, type MetricQuery } from '../../../core/aws/cloudwatch/metrics.ts';
import type { WaitingMail } from '../../../core/aws/cloudwatch/waiting-mail.ts';

type Source = Omit<MetricQuery, 'period' | 'statistic'>;

/**
 * Returns a source for each series of a metric, with the name of its API, Lambda or queue if the metric has several
 * series.
 */
type SourcesOf = (resources: MonitoredResources) => readonly (Source & { readonly resource?: string })[];

export type MetricDefinition = {
  readonly unit: MetricUnit;
  readonly statistic: MetricQuery['statistic'];
  readonly sources: SourcesOf;
  /**
   * The value of {@link WaitingMail} for an additional series, because SQS's metrics of the queue do not contain it.
   */
  readonly ofWaitingMail?: keyof WaitingMail;
  /** Minutes after which a period without measurements is taken as zero. Undefined: such a period is unknown. */
  readonly zeroAfterMinutes?: number;
  /** Whether a series that has only zeros is left out. */
  readonly omitZeros?: true;
};

/** Minutes within which SES, API Gateway and Lambda publish their counts. */
const countsSettle = 5;
/** Minutes by which the metrics of a queue may be delayed after it was unused for six hours. */
const queuesSettle = 15;

/** Metrics of SES for all mail of this AWS account in this region. */
const ofAccount =
  (metric: string): SourcesOf =>
  () => [{ namespace: 'AWS/SES', metric, dimensions: {} }];

const ofApis =
  (metric: keyof (typeof apiMetrics)['http']): SourcesOf =>
  ({ stack, apis }) =>
    apis.map((api) => ({ resource: api.name, namespace: 'AWS/ApiGateway', metric: apiMetrics[api.kind][metric], dimensions: apiDimensions(stack, api) }));

const ofQueues =
  (metric: string, isIncluded: (place: string) => boolean): SourcesOf =>
  ({ queues }) =>
    Object.entries(queues)
      .filter(([place]) => isIncluded(place))
      .map(([place, queueName]) => ({ resource: place, namespace: 'AWS/SQS', metric, dimensions: { QueueName: queueName } }));

const isWorkQueue = (place: string): boolean => !isDeadLetterQueue(place);

const eventCount = { unit: 'COUNT', statistic: 'Sum', zeroAfterMinutes: countsSettle } as const;
const messageCount = { unit: 'COUNT', statistic: 'Maximum', zeroAfterMinutes: queuesSettle } as const;
const rate = { unit: 'FRACTION', statistic: 'Average' } as const;

/**
 * The source of each metric, and the meaning of periods without measurements. All of these metrics are free of charge.
 */
export const metricDefinitions: { readonly [Name in MetricName]: MetricDefinition } = {
  // SES counts received messages by rule set, which several deployments share. The topic is the deployment's own.
  MAIL_RECEIVED: {
    ...eventCount,
    sources: ({ inboundTopic }) => [{ namespace: 'AWS/SNS', metric: 'NumberOfMessagesPublished', dimensions: { TopicName: inboundTopic } }],
  },
  MAIL_SENT: { ...eventCount, sources: ofAccount('Send') },
  MAIL_DELIVERED: { ...eventCount, sources: ofAccount('Delivery') },
  MAIL_BOUNCED: { ...eventCount, sources: ofAccount('Bounce') },
  MAIL_COMPLAINED: { ...eventCount, sources: ofAccount('Complaint') },
  BOUNCE_RATE: { ...rate, sources: ofAccount('Reputation.BounceRate') },
  COMPLAINT_RATE: { ...rate, sources: ofAccount('Reputation.ComplaintRate') },
  API_REQUESTS: { ...eventCount, sources: ofApis('requests') },
  API_ERRORS: { ...eventCount, sources: ofApis('errors') },
  API_LATENCY: { unit: 'MILLISECONDS', statistic: 'p95', sources: ofApis('latency') },
  FUNCTION_ERRORS: {
    ...eventCount,
    omitZeros: true,
    sources: ({ stack, functions }) =>
      functions.map((name) => ({ resource: name, namespace: 'AWS/Lambda', metric: 'Errors', dimensions: { FunctionName: nameInStack(stack, name) } })),
  },
  // The limit on concurrent Lambdas applies to the whole AWS account, so its metric does too.
  FUNCTION_THROTTLES: { ...eventCount, sources: () => [{ namespace: 'AWS/Lambda', metric: 'Throttles', dimensions: {} }] },
  QUEUE_WAITING: { ...messageCount, sources: ofQueues('ApproximateNumberOfMessagesVisible', isWorkQueue), ofWaitingMail: 'messages' },
  QUEUE_AGE: { unit: 'SECONDS', statistic: 'Maximum', sources: ofQueues('ApproximateAgeOfOldestMessage', isWorkQueue), ofWaitingMail: 'oldestSeconds' },
  DEAD_LETTERS: { ...messageCount, sources: ofQueues('ApproximateNumberOfMessagesVisible', isDeadLetterQueue) },
};
