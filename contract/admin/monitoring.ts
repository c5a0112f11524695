import * as z from 'zod';
import { deadLetterActions, maxDeadLetters } from '../deployment/dead-letters.ts';
import { message, method, service } from '../rpc/rpc.ts';
import { bool, count, decimal, enumeration, instant, integerOrDefault, list, listOf, reference, text, timestamp } from '../values/fields.ts';

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

/** An action on dead letters (contract/deployment/dead-letters.ts). */
export const DeadLetterAction = enumeration('DeadLetterAction', deadLetterActions);

/** A queue and its dead letters now. Mail that waits for full accounts is a separate item, as in {@link QueueOverview}. */
export const QueueState = message('QueueState', {
  /** The name of the queue, as in GetOverview. */
  name: z.string(),
  /** Messages that a Lambda can receive now. */
  waiting: count(),
  /** Messages that a Lambda has received and not finished. */
  in_progress: count(),
  /** Messages that become visible later: mail for full accounts, retries, and messages for a requested time. */
  delayed: count(),
  /** The time since which the oldest message waits. Absent when nothing waits, or CloudWatch, which is minutes late, does not know it. */
  oldest_at: instant().optional(),
  /** Messages that failed five times. They are kept for 14 days. */
  dead_letters: count(),
  /** The possible actions on dead letters of the queue. RETURN and DROP cannot be undone. */
  actions: list(DeadLetterAction),
});

/** The last failure of a message. */
export const DeadLetterFailure = message('DeadLetterFailure', {
  timestamp: instant(),
  /** The name and the text of the error, without data of clients. */
  error: z.string(),
  log_group: z.string(),
  aws_request_id: z.string().optional(),
});

/** A message that failed five times. Its ids and addresses are those that it contains. */
export const DeadLetter = message('DeadLetter', {
  message_id: z.string(),
  /** The time at which the message was enqueued. */
  enqueued_at: instant(),
  /** SES's id of the received or sent message. */
  provider_message_id: z.string().optional(),
  submission_id: z.string().optional(),
  account_id: z.string().optional(),
  /** The envelope sender of received mail. */
  sender: z.string().optional(),
  /** The envelope recipients of received mail. */
  recipients: list(z.string()),
  /** The last failure in the log of the Lambda. Absent when the Lambda ended before it could log one. */
  failure: DeadLetterFailure.optional(),
  /** The reason why the mail could not be returned to its sender. */
  not_returned: z.string().optional(),
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

/** The request of an action on dead letters. */
const deadLetterRequest = {
  /** The name of the queue, as ListQueues has it. */
  queue: text({ max: 128 }),
  /** Empty: all dead letters of the queue. */
  message_ids: listOf(reference(), { max: maxDeadLetters }),
};

/** The response to an action on dead letters. */
const deadLetterResponse = {
  /** Dead letters on which the call acted. Those that others have removed since do not count. */
  done: count(),
  /** False when dead letters are left because the time ended: call again. */
  complete: bool(),
};

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
    ListQueues: method({
      summary: 'Lists the queues, with the messages that wait and those that could not be processed.',
      roles: ['HELPDESK', 'READ_ONLY'],
      request: {},
      response: { queues: list(QueueState) },
    }),
    ListDeadLetters: method({
      summary: 'Lists messages of a queue that could not be processed, the oldest first, each with its last error. It reads some of very many.',
      request: { queue: text({ max: 128 }), limit: integerOrDefault({ min: 1, max: maxDeadLetters, default: 50 }) },
      response: { dead_letters: list(DeadLetter) },
      errors: ['not_found'],
    }),
    RetryDeadLetters: method({
      summary: 'Puts dead letters back into their queue, to be processed again. That is safe to repeat.',
      changes: true,
      request: deadLetterRequest,
      response: deadLetterResponse,
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
    ReturnDeadLetters: method({
      summary:
        'Gives mail back to its senders: received mail is bounced, and the sender of mail that was not sent gets a report. ' +
        'Received mail that may not be bounced is a dead letter again after seconds.',
      changes: true,
      request: deadLetterRequest,
      response: deadLetterResponse,
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
    DropDeadLetters: method({
      summary: 'Removes dead letters for ever. Nobody is told of mail that is dropped; its raw form stays in the bucket for 30 days.',
      changes: true,
      request: {
        ...deadLetterRequest,
        /** The name of the queue once more, as a confirmation. */
        confirm_queue: text({ max: 128 }),
      },
      response: deadLetterResponse,
      errors: ['not_found', 'failed_precondition', 'aborted'],
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
