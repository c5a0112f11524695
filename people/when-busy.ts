import { AdminApiError } from '../contract/client.ts';

const maxAttempts = 6;

/**
 * Repeats a call that the API was too busy for, or that lost against another one.
 * @throws the error of the last attempt, and any other error.
 */
export const whenBusy = async <T>(call: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const isBusy = error instanceof AdminApiError && (error.code === 'resource_exhausted' || error.code === 'aborted');
      if (!isBusy || attempt === maxAttempts) throw error;
      const seconds = error.retryAfter ?? 2 ** attempt / 4;
      await new Promise((resolve) => void setTimeout(resolve, seconds * 1000));
    }
  }
};
