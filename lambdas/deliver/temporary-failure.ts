import { isTransient } from '../../core/runtime/aws-errors.ts';
import { StoreConflict } from '../../core/runtime/domain-errors.ts';
import { RawMessageMissing } from './received/message-reader.ts';

/** Whether the same work may succeed when the queue delivers the record again. */
export const isTemporary = (failure: unknown): boolean => failure instanceof StoreConflict || failure instanceof RawMessageMissing || isTransient(failure);

/**
 * Does work without which the delivery goes on.
 * @param giveUp makes the result after a failure that would come again.
 * @throws a temporary failure, so that the queue delivers the record again.
 */
export const attempt = async <T>(work: () => Promise<T>, giveUp: (failure: unknown) => T): Promise<T> => {
  try {
    return await work();
  } catch (failure) {
    if (isTemporary(failure)) throw failure;
    return giveUp(failure);
  }
};
