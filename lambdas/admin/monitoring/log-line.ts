import { accessLogGroup, functionLogGroup, nameInStack, type MonitoredResources } from '../../../contract/deployment/monitored-resources.ts';

/** A log group of the deployment: that of a Lambda, or the access log of an HTTP API. */
type MonitoredLogGroup = { readonly name: string; readonly kind: 'function' | 'access' };

/** The log groups that belong to the deployment. */
export const monitoredLogGroups = ({ stack, apis, functions }: MonitoredResources): MonitoredLogGroup[] => [
  ...functions.map((name) => ({ name: functionLogGroup(nameInStack(stack, name)), kind: 'function' as const })),
  ...apis.filter(({ kind }) => kind === 'http').map(({ name }) => ({ name: accessLogGroup(nameInStack(stack, name)), kind: 'access' as const })),
];

/**
 * A log line of one of the deployment's Lambdas (JSON), of API Gateway's access log (JSON), or of the Lambda service
 * (text).
 */
type ParsedLogLine = {
  readonly level?: string;
  readonly msg?: string;
  readonly correlation_id?: string;
  readonly aws_request_id?: string;
  /** Whether API Gateway itself responded with 5xx, because the Lambda did not respond. */
  readonly isGatewayError: boolean;
};

type Json = { readonly [name: string]: unknown };

const parseJson = (line: string): Json | undefined => {
  if (!line.startsWith('{')) return undefined;
  try {
    const json: Json = JSON.parse(line);
    return json;
  } catch {
    return undefined;
  }
};

/** The text, if it is not empty. API Gateway writes `-` for an empty value. */
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' && value !== '-' ? value : undefined);

const firstText = (line: Json, ...names: string[]): string | undefined => names.map((name) => textOf(line[name])).find((value) => value !== undefined);

const parseAccessRecord = (line: Json): ParsedLogLine => ({
  msg: firstText(line, 'integrationError') ?? `${textOf(line['routeKey']) ?? 'a request'} was answered with ${textOf(line['status']) ?? 'no status'}`,
  correlation_id: textOf(line['requestId']),
  isGatewayError: /^5\d\d$/.test(textOf(line['status']) ?? '') && textOf(line['integrationError']) !== undefined,
});

const parseLambdaRecord = (line: Json): ParsedLogLine => ({
  level: firstText(line, 'level')?.toUpperCase(),
  msg: firstText(line, 'message', 'msg', 'errorMessage'),
  correlation_id: firstText(line, 'correlation_id', 'correlationId'),
  aws_request_id: firstText(line, 'aws_request_id', 'function_request_id', 'requestId'),
  isGatewayError: false,
});

/** The Lambda runtime's log line of an uncaught exception: timestamp, request id, `ERROR` and text, separated by tabs. */
const runtimeLine = /^\S+Z?\t(?<request>\S+)\t(?<level>[A-Z]+)\t(?<msg>[^\t\n]*)/;
const requestId = /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/;
/** The Lambda service's log line of an invocation that timed out or crashed. */
const abnormalEnd = /Task timed out|Runtime exited|Process exited before|Status: (?:timeout|error)/;

const parseText = (line: string): ParsedLogLine => {
  const { request, level, msg } = runtimeLine.exec(line)?.groups ?? {};
  return {
    level: level ?? (abnormalEnd.test(line) ? 'ERROR' : undefined),
    msg: msg ?? line.split('\n')[0]?.slice(0, 500),
    aws_request_id: request ?? requestId.exec(line)?.[0],
    isGatewayError: false,
  };
};

/** Parses a log line of any of these writers. It never throws. */
export const parseLogLine = (line: string): ParsedLogLine => {
  const json = parseJson(line);
  if (!json) return parseText(line);
  return 'routeKey' in json && 'status' in json ? parseAccessRecord(json) : parseLambdaRecord(json);
};

/** The error in a log line about a record of a queue that failed (core/runtime/lambda/queue.ts). */
export const parseFailedRecord = (line: string): { readonly queueMessageId?: string; readonly error: string; readonly aws_request_id?: string } | undefined => {
  const json = parseJson(line);
  if (!json) return undefined;
  const error = [firstText(json, 'error_name'), firstText(json, 'error_message'), firstText(json, 'error_call')].filter((text) => text !== undefined);
  return { queueMessageId: firstText(json, 'queueMessageId'), error: redactLogLine(error.join(': ')), aws_request_id: parseLambdaRecord(json).aws_request_id };
};

const errorLevels = new Set<unknown>(['ERROR', 'CRITICAL', 'FATAL']);

/** Whether the line reports a failure of the service. The refusal of an invalid request does not count. */
export const isErrorLine = ({ level, isGatewayError }: ParsedLogLine): boolean => isGatewayError || errorLevels.has(level);

/** Search terms for CloudWatch: every error line of a Lambda's log contains at least one. */
export const functionErrorTerms = [
  'ERROR',
  'CRITICAL',
  'FATAL',
  'Task timed out',
  'Runtime exited',
  'Process exited before',
  'Status: timeout',
  'Status: error',
];
/** Search terms for CloudWatch: every error line of API Gateway's access log contains at least one. */
export const accessErrorTerms = ['500', '502', '503', '504'];

// Each begins where its characters begin, so that a long line is read once.
const mailAddress = /(?<![^\s"'<>(),:;\\[\]=/?&@])[^\s"'<>(),:;\\[\]=/?&@]+@[^\s"'<>(),:;\\[\]=/?&@]{1,253}\.[\p{L}\p{N}-]{1,63}/u;
/** A JSON Web Token: three base64url parts, of which the first is a JSON object. */
const jwt = /(?<![\w-])(?=[\w-]*\beyJ)[\w-]+\.[\w-]+\.[\w-]*/u;
const authorizationHeader = /\b(?:Bearer|Basic)\s{1,8}[\w.~+/=-]{8,}/u;
const sensitiveText = new RegExp([mailAddress, jwt, authorizationHeader].map(({ source }) => source).join('|'), 'giu');

/**
 * Redacts addresses and tokens. Lines of the deployment's own code contain none, but the runtime logs exceptions of
 * libraries unchanged.
 */
export const redactLogLine = (line: string): string => line.replace(sensitiveText, '[redacted]');
