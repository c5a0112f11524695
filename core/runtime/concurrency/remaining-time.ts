import { AsyncLocalStorage } from 'node:async_hooks';

/** The part of a Lambda's context that has the remaining time. */
export type InvocationContext = { getRemainingTimeInMillis(): number };

const invocations = new AsyncLocalStorage<InvocationContext>();

/** Milliseconds that a call may take outside of {@link withinInvocation}. */
const defaultTime = 10_000;

/** Runs the handler of an invocation. {@link remainingTime} then returns the remaining time of its Lambda. */
export const withinInvocation = <T>(context: InvocationContext, run: () => Promise<T>): Promise<T> => invocations.run(context, run);

/** Milliseconds until the Lambda is stopped. */
export const remainingTime = (): number => invocations.getStore()?.getRemainingTimeInMillis() ?? defaultTime;
