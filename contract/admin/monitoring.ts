import * as z from 'zod';
import { message, method, service } from '../rpc/rpc.ts';
import { count, decimal, enumeration, instant, integerOrDefault, list, listOf, text, timestamp } from '../values/fields.ts';

/** Metrics of one API Gateway API over the lookback time. */
export const ApiGatewayOverview = message('ApiGatewayOverview', {
  name: z.string(),
  api_id: z.string(),
  stage: z.string(),
  request_count: count(),
  error_5xx: count(),
  latency_p95_ms: decimal(),
});

/** Metrics of one CDN distribution. The deployment has none, so its list is always empty. */
export const CdnOverview = message('CdnOverview', {
  name: z.string(),
  distribution_id: z.string(),
  requests: count(),
  /** Percentage of responses with a status 5xx. */
  error_5xx_rate: decimal(),
});

/** Metrics of one Lambda over the lookback time. */
export const FunctionOverview = message('FunctionOverview', {
  name: z.string(),
  function_name: z.string(),
  invocations: count(),
  errors: count(),
  throttles: count(),
  duration_p95_ms: decimal(),
});

/**
 * The current state of one SQS queue. Mail that waits for full accounts is a separate item, `InboundMail/FullAccounts`,
 * because it is delayed in the queue of received mail, and each delivery attempt is a new message of that queue.
 */
export const QueueOverview = message('QueueOverview', {
  name: z.string(),
  queue_name: z.string(),
  approx_messages_visible: count(),
  /**
   * Messages that SQS makes visible later: mail for full accounts, retries, and messages for a requested time. Absent
   * for a dead-letter queue.
   */
  approx_messages_delayed: count().optional(),
  /**
   * Age of the oldest message in seconds; 0 when no message is visible or in flight. For mail that waits for full
   * accounts, seconds since SES received the oldest message.
   */
  approx_age_oldest_seconds: count(),
});

/** One log line that reports an error. */
export const ErrorLogEntry = message('ErrorLogEntry', {
  timestamp: instant(),
  log_group: z.string(),
  level: z.string().optional(),
  msg: z.string().optional(),
  correlation_id: z.string().optional(),
  aws_request_id: z.string().optional(),
  /** The whole line, with addresses and tokens redacted. */
  raw: z.string(),
});

/** One log line, with addresses and tokens redacted. */
export const LogLine = message('LogLine', { timestamp: instant(), message: z.string() });

/**
 * The names of the metrics of GetMetricSeries. docs/specification.md#metric-series has the meaning of each count and of
 * a missing point.
 */
export const metricNames = [
  'MAIL_RECEIVED',
  'MAIL_SENT',
  'MAIL_DELIVERED',
  'MAIL_BOUNCED',
  'MAIL_COMPLAINED',
  'BOUNCE_RATE',
  'COMPLAINT_RATE',
  'API_REQUESTS',
  'API_ERRORS',
  'API_LATENCY',
  'FUNCTION_ERRORS',
  'FUNCTION_THROTTLES',
  'QUEUE_WAITING',
  'QUEUE_AGE',
  'DEAD_LETTERS',
] as const;
export const MetricName = enumeration('MetricName', metricNames);
export type MetricName = (typeof metricNames)[number];

/** The unit of a metric. FRACTION: from 0 to 1. */
export const MetricUnit = enumeration('MetricUnit', ['COUNT', 'FRACTION', 'MILLISECONDS', 'SECONDS']);
export type MetricUnit = z.output<typeof MetricUnit>;

/** The measured value of one period. */
export const MetricPoint = message('MetricPoint', {
  /** The start of the period. */
  timestamp: instant(),
  value: decimal(),
});

/** A metric of the deployment or of one of its resources, as values over time. */
export const MetricSeries = message('MetricSeries', {
  metric: MetricName,
  /**
   * The name of the API, Lambda or item of `queues`, as in GetOverview. Absent for a metric of the whole deployment.
   */
  resource: z.string().optional(),
  unit: MetricUnit,
  /** The points, oldest first. A period without known values has no point. */
  points: list(MetricPoint),
});

const day = 1440;
const lookbackMinutes = ({ max }: { max: number } = { max: day }) => integerOrDefault({ min: 1, max, default: 60 });

/** Maximum errors in a response. */
export const maxRecentErrors = 200;

/** The service /monitoring (docs/specification.md#monitoring). */
export const monitoring = service({
  name: 'monitoring',
  summary: 'Low-cost observability on demand: metrics snapshot, recent errors, log drill-down.',
  methods: {
    GetOverview: method({
      summary: "Returns a coarse snapshot of the deployment's metrics.",
      roles: ['READ_ONLY'],
      request: {
        lookback_minutes: lookbackMinutes(),
        /** Length of a period in seconds, a multiple of 60, because CloudWatch keeps metrics by the minute. */
        period_seconds: integerOrDefault({ min: 60, max: 3600, step: 60, default: 60 }),
      },
      response: {
        api_gateways: list(ApiGatewayOverview),
        cdn_distributions: list(CdnOverview),
        functions: list(FunctionOverview),
        queues: list(QueueOverview),
      },
    }),
    GetMetricSeries: method({
      summary: 'Returns metrics by time, for charts.',
      roles: ['HELPDESK', 'READ_ONLY'],
      request: {
        /** The metrics to read. Empty: all metrics. CloudWatch bills each metric that is read. */
        metrics: listOf(MetricName, { max: metricNames.length }),
        lookback_minutes: lookbackMinutes({ max: 14 * day }),
      },
      response: {
        /** The length of each period. It depends on the lookback, so that a series has at most 120 points. */
        period_seconds: count(),
        series: list(MetricSeries),
      },
    }),
    ListRecentErrors: method({
      summary: 'Lists recent errors from all log groups of the deployment, newest first.',
      request: { lookback_minutes: lookbackMinutes(), limit: integerOrDefault({ min: 1, max: maxRecentErrors, default: 50 }) },
      response: { entries: list(ErrorLogEntry) },
    }),
    GetLogContext: method({
      summary: 'Lists the log lines around a point in time, oldest first. The log group must belong to the deployment.',
      request: {
        log_group: text({ max: 512 }),
        center_timestamp: timestamp(),
        /** The length of the whole window, whose middle is center_timestamp. */
        window_seconds: integerOrDefault({ min: 5, max: 900, default: 60 }),
        correlation_id: text({ max: 128 }).optional(),
        aws_request_id: text({ max: 128 }).optional(),
        limit: integerOrDefault({ min: 1, max: 500, default: 200 }),
      },
      response: { lines: list(LogLine) },
    }),
  },
});
