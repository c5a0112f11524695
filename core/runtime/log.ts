import { Logger } from '@aws-lambda-powertools/logger';
import { currentRequestId } from './invocation.ts';

const isShort = (value: unknown, most: number): value is string => typeof value === 'string' && value.length <= most;

/** The checks of values, by the kind of the field. */
const kinds = {
  /** An id, or a name of the code or of AWS. It has no white space and no @, so it is neither an address nor a text. */
  name: (value: unknown): value is string => isShort(value, 256) && /^[^\s@]*$/.test(value),
  names: (value: unknown): value is readonly string[] => Array.isArray(value) && value.every((each) => kinds.name(each)),
  /** A sentence of the code. */
  text: (value: unknown): value is string => isShort(value, 1000) && !value.includes('@'),
  number: (value: unknown): value is number => typeof value === 'number',
  boolean: (value: unknown): value is boolean => typeof value === 'boolean',
  /** The frames of a stack, which are places in our code and in libraries. Their paths may have an @. */
  frames: (value: unknown): value is readonly string[] => Array.isArray(value) && value.every((each) => isShort(each, 1000) && each.startsWith('at ')),
  /** The description of a metric in the Embedded Metric Format, which {@link countedAs} makes. */
  metric: (value: unknown): value is object => typeof value === 'object' && value !== null,
} as const;

/** The metrics of the deployment that log lines count. */
const countedMetrics = {
  FailedSearchIndexes: 'number',
  FailedSnapshots: 'number',
  RepeatedSends: 'number',
  UnusableSegments: 'number',
  UnusableSnapshots: 'number',
} as const;
type CountedMetric = keyof typeof countedMetrics;

/**
 * All fields that a log line may have, beside those of the logger. Ids lead an operator to the records, and counts say
 * how much happened. No field holds an address, a subject, a token or content of a message. The stores have those, with
 * the permissions and the retention of mail, which logs have not.
 */
const fieldKinds = {
  // Ids of records, which the admin API and JMAP show.
  account_id: 'name',
  accountId: 'name',
  groupId: 'name',
  blob_id: 'name',
  case_id: 'name',
  client_id: 'name',
  client_ids: 'names',
  domain_id: 'name',
  emailId: 'name',
  request_id: 'name',
  submission_id: 'name',
  subscription_id: 'name',
  user_id: 'name',
  // Ids of calls and messages at AWS, by which AWS and other logs name them.
  correlation_id: 'name',
  event_id: 'name',
  logical_id: 'name',
  queueMessageId: 'name',
  sesMessageId: 'name',
  // Names of methods and codes, all from the code.
  cap_of: 'name',
  code: 'name',
  error_name: 'name',
  eventType: 'name',
  failed_sources: 'names',
  failure: 'name',
  method: 'name',
  path: 'name',
  request: 'name',
  // Outcomes and reasons, in words of the code.
  because: 'text',
  outcome: 'text',
  problem: 'text',
  reason: 'text',
  route: 'text',
  source: 'text',
  // The message of an OperatorError, which has no data of a client, the call of AWS that failed, and the frames of any error's stack.
  error_message: 'text',
  error_call: 'text',
  error_at: 'frames',
  // Numbers: HTTP statuses, counts, milliseconds and seconds.
  accounts: 'number',
  app_clients: 'number',
  attempts: 'number',
  changed: 'number',
  changes: 'number',
  clients: 'number',
  count: 'number',
  emails: 'number',
  ended: 'number',
  events: 'number',
  expired: 'number',
  failed: 'number',
  failures: 'number',
  foreign_rules: 'number',
  indexed: 'number',
  kept: 'number',
  mailed: 'number',
  merged: 'number',
  opened: 'number',
  part: 'number',
  parts: 'number',
  purged: 'number',
  receiveCount: 'number',
  recipients: 'number',
  recordedTogether: 'number',
  remaining: 'number',
  removed: 'number',
  retryAfter: 'number',
  rules: 'number',
  scopes: 'number',
  segments: 'number',
  sequence: 'number',
  size: 'number',
  status: 'number',
  tasks: 'number',
  times: 'number',
  took_ms: 'number',
  trimmed: 'number',
  unanswered: 'number',
  unused: 'number',
  users: 'number',
  waitedSeconds: 'number',
  withheld: 'number',
  is_final_check: 'boolean',
  _aws: 'metric',
  ...countedMetrics,
} as const satisfies Readonly<Record<string, keyof typeof kinds>>;

type FieldName = keyof typeof fieldKinds;
type Kind<K extends keyof typeof kinds> = (typeof kinds)[K] extends ((value: unknown) => value is infer T) ? T : never;

/** The fields of a log line. */
export type LogFields = { readonly [F in FieldName]?: Kind<(typeof fieldKinds)[F]> | undefined };

/** Log fields without any other field, also when they were spread from a larger structure. */
type OnlyLogFields<F> = F & { readonly [Other in Exclude<keyof F, FieldName>]: never };

type Write = <F extends LogFields>(message: string, fields?: OnlyLogFields<F>) => void;

/** A structured log. Its records contain only {@link LogFields}. */
export type Log = { readonly info: Write; readonly warn: Write; readonly error: Write };

const kindsOfFields: Readonly<Record<string, keyof typeof kinds>> = fieldKinds;

const isLogField = (name: string, value: unknown): boolean => Object.hasOwn(fieldKinds, name) && kinds[kindsOfFields[name]!](value);

/**
 * Divides the fields of a call into those that are logged and the names of the others. A structure may have more fields
 * than its type says, and the logger must not write them.
 */
export const loggedFields = (fields: object = {}): { readonly logged: Readonly<Record<string, unknown>>; readonly omitted: readonly string[] } => {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const logged = Object.fromEntries(given.filter(([name, value]) => isLogField(name, value)));
  return { logged, omitted: given.map(([name]) => name).filter((name) => !Object.hasOwn(logged, name)) };
};

/** The logger of one Lambda, which adds the name of the Lambda's folder and the request id of the invocation to each line. */
export const logFor = (serviceName: string): Log => {
  const logger = new Logger({ serviceName });
  const at =
    (level: 'info' | 'warn' | 'error'): Write =>
    (message, fields) => {
      const { logged, omitted } = loggedFields(fields);
      const requestId = currentRequestId();
      logger[level](message, {
        ...(requestId !== undefined && { aws_request_id: requestId }),
        ...logged,
        ...(omitted.length > 0 && { omitted_fields: omitted.length }),
      });
    };
  return { info: at('info'), warn: at('warn'), error: at('error') };
};

/** The CloudWatch namespace of the deployment's own metrics. */
const namespace = 'Postrider';

/** Fields that add 1 to a metric of the log's `service` for each log record (Embedded Metric Format). */
export const countedAs = (metric: CountedMetric): Pick<LogFields, '_aws' | CountedMetric> => ({
  _aws: { Timestamp: Date.now(), CloudWatchMetrics: [{ Namespace: namespace, Dimensions: [['service']], Metrics: [{ Name: metric, Unit: 'Count' }] }] },
  [metric]: 1,
});
