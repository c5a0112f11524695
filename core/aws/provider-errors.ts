/**
 * Thrown when a provider refuses a request that it would refuse again, because the request is wrong. `message` is the
 * provider's own.
 */
export class ProviderRefusal extends Error {
  override readonly name = 'ProviderRefusal';
}

/** Awaits an SDK call. @returns `value` when the call throws an error of this class. */
export const valueOnError = async <T, U>(errorClass: abstract new (...args: never[]) => Error, value: U, call: Promise<T>): Promise<T | U> => {
  try {
    return await call;
  } catch (error) {
    if (error instanceof errorClass) return value;
    throw error;
  }
};
