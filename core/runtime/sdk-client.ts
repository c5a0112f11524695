import { connectionErrorCode, errorField } from './aws-errors.ts';

/**
 * Maximum attempts of an AWS SDK call, and milliseconds for each attempt. All attempts take less than a Lambda's
 * timeout.
 */
export const clientTimeouts = { maxAttempts: 3, requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true } };

/** The call of an SDK client that threw an error: `S3 PutObject`. */
const failedCalls = new WeakMap<object, string>();

/** Notes the call that threw an error, in names of AWS. The first one counts. */
const noteFailedCall = (error: unknown, call: string): void => {
  if (typeof error === 'object' && error !== null && !failedCalls.has(error)) failedCalls.set(error, call);
};

/** The call that threw an error, with its attempts and the code of a lost connection: `S3 PutObject, attempt 3, ECONNRESET`. */
export const failedCallOf = (error: unknown): string | undefined => {
  const call = typeof error === 'object' && error !== null ? failedCalls.get(error) : undefined;
  if (call === undefined) return undefined;
  const attempts = errorField(errorField(error, '$metadata'), 'attempts');
  const code = connectionErrorCode(error);
  return [call, typeof attempts === 'number' && `attempt ${attempts}`, code].filter(Boolean).join(', ');
};

type Context = { readonly clientName?: string; readonly commandName?: string };
type Handle = (call: unknown) => Promise<unknown>;
type Middleware = (next: Handle, context: Context) => Handle;

/**
 * Notes with each error that an SDK client throws which call it was, for the log: an error without a response does not say it.
 * @returns the client.
 */
export const namingErrors = <C extends { readonly middlewareStack: object }>(client: C): C => {
  const noteCall: Middleware =
    (next, { clientName = '', commandName = '' }) =>
    async (call) => {
      try {
        return await next(call);
      } catch (error) {
        noteFailedCall(error, `${clientName.replace(/Client$/, '')} ${commandName.replace(/Command$/, '')}`);
        throw error;
      }
    };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the SDK's types of a middleware depend on the client
  (client.middlewareStack as { add(middleware: Middleware, options: object): void }).add(noteCall, { step: 'initialize', name: 'namingErrors' });
  return client;
};
