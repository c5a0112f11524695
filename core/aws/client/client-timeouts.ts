/**
 * Attempts of an AWS SDK call, and milliseconds for each. All attempts together take well under a Lambda's own timeout.
 */
export const clientTimeouts = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
};
