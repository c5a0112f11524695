/** A call that failed: which method, and when. */
type FailedCall = { readonly service: string; readonly method: string; readonly at: Date };

const calls = new WeakMap<object, FailedCall>();

/** Records the call of an error. @returns the error. */
export const noteFailedCall = (error: unknown, service: string, method: string): unknown => {
  if (typeof error === 'object' && error !== null) calls.set(error, { service, method, at: new Date() });
  return error;
};

export const failedCall = (error: object): FailedCall | undefined => calls.get(error);
