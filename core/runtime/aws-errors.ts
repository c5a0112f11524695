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

const field = (error: unknown, name: 'name' | 'code' | 'cause' | 'attempts' | '$fault' | '$metadata'): unknown =>
  typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;

/** The code of an error, such as those of Node.js: `ECONNRESET`. */
export const errorCodeOf = (error: unknown): unknown => field(error, 'code');

/** What was thrown, as an error. */
export const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/** Whether the same call may succeed later, because AWS throttles, is unreachable, or had an internal failure. */
export const isTransient = (error: unknown): boolean =>
  throttled.has(field(error, 'name')) ||
  field(error, '$fault') === 'server' ||
  [field(error, 'code'), field(field(error, 'cause'), 'code')].some((code) => unreachable.has(code));

/** Whether AWS denied a call: no policy allows it, or IAM does not know the policy yet. */
export const isAccessDenied = (error: unknown): boolean => String(field(error, 'name')).startsWith('AccessDenied');

/** An error whose message contains no data of a client, so that it may be logged. */
export class OperatorError extends Error {}

/** The call of an SDK client that threw an error: `S3 PutObject`. */
const failedCalls = new WeakMap<object, string>();

/** Notes the call that threw an error, in names of AWS. The first one counts. */
export const noteFailedCall = (error: unknown, call: string): void => {
  if (typeof error === 'object' && error !== null && !failedCalls.has(error)) failedCalls.set(error, call);
};

/** The call that threw an error, with its attempts and the code of a lost connection: `S3 PutObject, attempt 3, ECONNRESET`. */
const failedCallOf = (error: unknown): string | undefined => {
  const call = typeof error === 'object' && error !== null ? failedCalls.get(error) : undefined;
  if (call === undefined) return undefined;
  const attempts = field(field(error, '$metadata'), 'attempts');
  const code = [field(error, 'code'), field(field(error, 'cause'), 'code')].find((each) => unreachable.has(each));
  return [call, typeof attempts === 'number' && `attempt ${attempts}`, code].filter(Boolean).join(', ');
};

type ErrorFields = { readonly error_name: string; readonly error_message?: string; readonly error_call?: string; readonly error_at: readonly string[] };

/** The fields of an error for the log. The message is left out unless it is an {@link OperatorError}. */
export const errorLogFields = (error: unknown): ErrorFields => {
  const call = failedCallOf(error);
  return {
    ...(error instanceof OperatorError && { error_message: error.message }),
    ...(call !== undefined && { error_call: call }),
    error_name: error instanceof Error ? error.name : typeof error,
    error_at:
      error instanceof Error
        ? (error.stack ?? '')
            .split('\n')
            .filter((line) => /^\s+at /.test(line))
            .slice(0, 8)
            .map((line) => line.trim())
        : [],
  };
};
