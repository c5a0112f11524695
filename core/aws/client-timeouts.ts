/** How long a call to an AWS service may take, in milliseconds, and how often it is tried: all of it well under a Lambda's own time. */
export const clientTimeouts = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
};
