/**
 * Maximum attempts of an AWS SDK call, and milliseconds for each attempt. All attempts take less than a Lambda's
 * timeout.
 */
export const clientTimeouts = { maxAttempts: 3, requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true } };
