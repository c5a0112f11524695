import { noteFailedCall } from './aws-errors.ts';

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
