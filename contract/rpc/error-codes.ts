/**
 * Every error code of the admin API, with its HTTP status. The codes are Connect's (docs/specification.md#errors). No
 * other code is ever sent.
 */
export const errorCodes = {
  invalid_argument: 400,
  failed_precondition: 400,
  unauthenticated: 401,
  permission_denied: 403,
  not_found: 404,
  already_exists: 409,
  aborted: 409,
  resource_exhausted: 429,
  internal: 500,
  unimplemented: 501,
  unavailable: 503,
} as const;
export type ErrorCode = keyof typeof errorCodes;
