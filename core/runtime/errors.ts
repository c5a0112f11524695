/** Names of AWS errors for throttling and overload. The SDK has retried before it throws one. */
const throttled = new Set<unknown>([
  'ThrottlingException', 'ThrottledException', 'Throttling', 'TooManyRequestsException', 'RequestLimitExceeded',
  'ProvisionedThroughputExceededException', 'RequestThrottled', 'RequestThrottledException', 'SlowDown',
  'ServiceUnavailable', 'ServiceUnavailableException', 'TimeoutError', 'FetchError',
]);

/** Codes of Node.js for a connection that failed or was lost. */
const unreachable = new Set<unknown>([
  'ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EPIPE',
  'UND_ERR_SOCKET', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT',
]);

const field = (error: unknown, name: 'name' | 'code' | 'cause' | '$fault'): unknown =>
  (typeof error === 'object' && error !== null && name in error ? (error as Record<string, unknown>)[name] : undefined);

/** Whether the same call may succeed later, because AWS throttles, is unreachable, or had an internal failure. */
export const isTransient = (error: unknown): boolean =>
  throttled.has(field(error, 'name'))
  || field(error, '$fault') === 'server'
  || [field(error, 'code'), field(field(error, 'cause'), 'code')].some((code) => unreachable.has(code));

/** Whether AWS denied a call: no policy allows it, or IAM does not know the policy yet. */
export const isAccessDenied = (error: unknown): boolean => String(field(error, 'name')).startsWith('AccessDenied');

/** An error whose message contains no data of a client, so that it may be logged. */
export class OperatorError extends Error {}

/** The fields of an error for the log. The message is left out unless it is an {@link OperatorError}. */
export const errorLogFields = (error: unknown): { error_name: string; error_message?: string; error_at: readonly string[] } => ({
  ...(error instanceof OperatorError && { error_message: error.message }),
  error_name: error instanceof Error ? error.name : typeof error,
  error_at: error instanceof Error
    ? (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line)).slice(0, 8).map((line) => line.trim())
    : [],
});
