/** A provider refuses a request and will refuse it again: the request is wrong. `message` is the provider's own. */
export class ProviderRefusal extends Error {
  override readonly name = 'ProviderRefusal';
}

/**
 * Awaits an SDK call and returns `value` when it throws an error of this class, such as NotFoundException. Other errors
 * are thrown unchanged.
 */
export const valueOnError = async <T, U>(
  errorClass: abstract new (...args: never[]) => Error, value: U, call: Promise<T>,
): Promise<T | U> => {
  try {
    return await call;
  } catch (error) {
    if (error instanceof errorClass) return value;
    throw error;
  }
};
