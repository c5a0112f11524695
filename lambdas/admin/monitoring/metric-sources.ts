import type { MetricName, MetricUnit } from '../../../contract/admin/monitoring.ts';
import { isDeadLetterQueue, nameInStack, type MonitoredApi, type MonitoredResources } from '../../../contract/deployment/monitored-resources.ts';
import type { MetricQuery } from '../../../core/aws/cloudwatch/metrics.ts';
import type { WaitingMail } from '../../../core/aws/cloudwatch/waiting-mail.ts';

/** CloudWatch's names of the same metrics for each kind of API. */
export const apiMetrics = {
  http: { requests: 'Count', errors: '5xx', latency: 'Latency' },
  'web-socket': { requests: 'MessageCount', errors: 'ExecutionError', latency: 'IntegrationLatency' },
} as const satisfies { [Kind in MonitoredApi['kind']]: object };

type Source = Omit<MetricQuery, 'period' | 'statistic'>;

/** A source for each series of a metric; the name of its API, Lambda or queue, if the metric has several. */
type SourcesOf = (resources: MonitoredResources) => readonly (Source & { readonly resource?: string })[];

export type MetricDefinition = {
  readonly unit: MetricUnit;
  readonly statistic: MetricQuery['statistic'];
  readonly sources: SourcesOf;
  /** The figure of mail for full accounts, which is a separate series: SQS's metrics of its queue do not contain it. */
  readonly ofWaitingMail?: keyof WaitingMail;
  /**
   * Minutes after which a period without measurements counts as a period without events. Until then, CloudWatch may
   * still get its measurements. Undefined for a metric that is unknown without measurements, such as a latency.
   */
  readonly zeroAfterMinutes?: number;
  /** Whether a series without anything but zeros is left out. */
  readonly omitZeros?: true;
};

/** SES, API Gateway and Lambda publish counts when there is something to count, within minutes. */
const countsSettle = 5;
/** A queue that was unused for six hours has no metrics. After its next use, they may be 15 minutes late. */
const queuesSettle = 15;

/** Metrics of SES for all mail of the AWS account in this region. */
const ofAccount = (metric: string): SourcesOf => () => [{ namespace: 'AWS/SES', metric, dimensions: {} }];

const ofApis = (metric: keyof (typeof apiMetrics)['http']): SourcesOf => ({ apis }) => apis.map(({ name, id, stage, kind }) =>
  ({ resource: name, namespace: 'AWS/ApiGateway', metric: apiMetrics[kind][metric], dimensions: { ApiId: id, Stage: stage } }));

const ofQueues = (metric: string, isIncluded: (place: string) => boolean): SourcesOf => ({ queues }) =>
  Object.entries(queues).filter(([place]) => isIncluded(place))
    .map(([place, queueName]) => ({ resource: place, namespace: 'AWS/SQS', metric, dimensions: { QueueName: queueName } }));

const isWorkQueue = (place: string): boolean => !isDeadLetterQueue(place);

const eventCount = { unit: 'COUNT', statistic: 'Sum', zeroAfterMinutes: countsSettle } as const;
const messageCount = { unit: 'COUNT', statistic: 'Maximum', zeroAfterMinutes: queuesSettle } as const;
const rate = { unit: 'FRACTION', statistic: 'Average' } as const;

/** The source of each metric, and the meaning of its absence. All of them are free of charge. */
export const metricDefinitions: { readonly [Name in MetricName]: MetricDefinition } = {
  // The receipt rule set has the stack's name.
  MAIL_RECEIVED: { ...eventCount, sources: ({ stack }) => [{ namespace: 'AWS/SES', metric: 'Received', dimensions: { RuleSetName: stack } }] },
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
    sources: ({ stack, functions }) => functions.map((name) =>
      ({ resource: name, namespace: 'AWS/Lambda', metric: 'Errors', dimensions: { FunctionName: nameInStack(stack, name) } })),
  },
  // The limit on concurrent Lambdas is one of the AWS account, so its metric is too.
  FUNCTION_THROTTLES: { ...eventCount, sources: () => [{ namespace: 'AWS/Lambda', metric: 'Throttles', dimensions: {} }] },
  QUEUE_WAITING: { ...messageCount, sources: ofQueues('ApproximateNumberOfMessagesVisible', isWorkQueue), ofWaitingMail: 'messages' },
  QUEUE_AGE: {
    unit: 'SECONDS', statistic: 'Maximum', sources: ofQueues('ApproximateAgeOfOldestMessage', isWorkQueue), ofWaitingMail: 'oldestSeconds',
  },
  DEAD_LETTERS: { ...messageCount, sources: ofQueues('ApproximateNumberOfMessagesVisible', isDeadLetterQueue) },
};
