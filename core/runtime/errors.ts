/** What AWS calls it when it can't keep up; the SDK has tried again before we see one. */
const throttled = new Set<unknown>([
  'ThrottlingException', 'ThrottledException', 'Throttling', 'TooManyRequestsException', 'RequestLimitExceeded', 'ProvisionedThroughputExceededException',
  'RequestThrottled', 'RequestThrottledException', 'SlowDown', 'ServiceUnavailable', 'ServiceUnavailableException', 'TimeoutError', 'FetchError',
]);

/** Names under which Node says that a connection could not be made or was lost. */
const unreachable = new Set<unknown>([
  'ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT',
]);

const field = (error: unknown, name: 'name' | 'code' | 'cause' | '$fault'): unknown =>
  (typeof error === 'object' && error !== null && name in error ? (error as Record<string, unknown>)[name] : undefined);

/** Whether trying again later is right: AWS can't keep up, can't be reached, or failed for a reason of its own, such as that another change of the same thing is on its way. */
export const isTransient = (error: unknown): boolean =>
  throttled.has(field(error, 'name')) || field(error, '$fault') === 'server' || [field(error, 'code'), field(field(error, 'cause'), 'code')].some((code) => unreachable.has(code));

/** What the log may know of an error: its name and where it was thrown; never its message, which may repeat what somebody sent. */
export const errorLogFields = (error: unknown): { error_name: string; error_at: readonly string[] } => ({
  error_name: error instanceof Error ? error.name : typeof error,
  error_at: error instanceof Error ? (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line)).slice(0, 8).map((line) => line.trim()) : [],
});
