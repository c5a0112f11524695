/** Names of AWS errors for throttling and overload. The SDK has retried before it throws one. */
const throttled = new Set<unknown>([
  'ThrottlingException',
  'ThrottledException',
  'Throttling',
  'TooManyRequestsException',
  'RequestLimitExceeded',
  'ProvisionedThroughputExceededException',
  'RequestThrottled',
  'RequestThrottledException',
  'SlowDown',
  'ServiceUnavailable',
  'ServiceUnavailableException',
  'TimeoutError',
  'FetchError',
]);

/** Codes of Node.js for a connection that failed or was lost. */
const unreachable = new Set<unknown>([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

/** A property of what was thrown, if that is an object. */
export const errorField = (error: unknown, name: 'name' | 'code' | 'cause' | 'attempts' | '$fault' | '$metadata'): unknown =>
  typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;

/** The code of Node.js for a connection that failed or was lost. Undefined for another error. */
export const connectionErrorCode = (error: unknown): unknown =>
  [errorField(error, 'code'), errorField(errorField(error, 'cause'), 'code')].find((code) => unreachable.has(code));

/** Whether the same call may succeed later, because AWS throttles, is unreachable, or had an internal failure. */
export const isTransient = (error: unknown): boolean =>
  throttled.has(errorField(error, 'name')) || errorField(error, '$fault') === 'server' || connectionErrorCode(error) !== undefined;

/** Whether AWS denied a call: no policy allows it, or IAM does not know the policy yet. */
export const isAccessDenied = (error: unknown): boolean => String(errorField(error, 'name')).startsWith('AccessDenied');
