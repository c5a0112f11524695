import { AsyncLocalStorage } from 'node:async_hooks';

/** The part of a Lambda's context that names the invocation. */
type NamedInvocation = { readonly awsRequestId: string };

const requestIds = new AsyncLocalStorage<string>();

/** The request id of the invocation, by which AWS and our log name it. Undefined outside of {@link invoked}. */
export const currentRequestId = (): string | undefined => requestIds.getStore();

/** The handler of a Lambda: each line that it logs has the request id of its invocation. */
export const invoked =
  <Event, Context, Result>(handle: (event: Event, context: Context) => Result) =>
  (event: Event, context: Context & NamedInvocation): Result =>
    requestIds.run(context.awsRequestId, () => handle(event, context));

/** The part of a Lambda's context with the remaining time. */
export type InvocationContext = { getRemainingTimeInMillis(): number };

const invocations = new AsyncLocalStorage<InvocationContext>();

/** Milliseconds available to a call outside of {@link withinInvocation}. */
const defaultTime = 10_000;

/** Runs the handler of an invocation. Within it, {@link remainingTime} returns the remaining time of the invocation. */
export const withinInvocation = <T>(context: InvocationContext, run: () => Promise<T>): Promise<T> => invocations.run(context, run);

/** Milliseconds until Lambda stops the invocation. @param outside milliseconds outside of one. */
export const remainingTime = (outside = defaultTime): number => invocations.getStore()?.getRemainingTimeInMillis() ?? outside;
