import { isTransient } from '../../core/runtime/aws-errors.ts';
import { StoreConflict } from '../../core/runtime/domain-errors.ts';

/** Whether the same work may succeed when the queue delivers the record again. */
export const isTemporary = (failure: unknown): boolean => failure instanceof StoreConflict || isTransient(failure);
