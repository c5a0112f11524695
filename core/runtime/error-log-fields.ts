import { failedCallOf } from './sdk-client.ts';

/** An error whose message contains no data of a client, so that it may be logged. */
export class OperatorError extends Error {}

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
