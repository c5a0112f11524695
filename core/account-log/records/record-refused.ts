import type { SetErrorType } from '../../../contract/jmap/core.ts';
import { StoreConflict } from '../../runtime/domain-errors.ts';

/** Thrown for a record that would break a rule of its type. The fields are those of a SetError (RFC 8620 §5.3). */
export class RecordRefused extends Error {
  override readonly name: string = 'RecordRefused';
  readonly type: SetErrorType;
  readonly description: string;
  readonly properties: readonly string[] | undefined;
  /** Additional members of the SetError, such as `existingId` of alreadyExists (RFC 8620 §5.4). */
  readonly details: object;
  constructor(type: SetErrorType, description: string, properties?: readonly string[], details: object = {}) {
    super(description);
    this.type = type;
    this.description = description;
    this.properties = properties;
    this.details = details;
  }
}

/**
 * Thrown when the response to a transaction was lost: the transaction may have been written, or may still be written.
 * `cause` is the failure.
 */
export class CommitUnconfirmed extends Error {
  override readonly name = 'CommitUnconfirmed';
  constructor(cause: unknown) {
    super('the response to a transaction was lost; the changes may have been made', { cause });
  }
}

/** A change of a commit that was not made. `typeName` and `id` name the record. */
export type RefusedChange = { readonly typeName: string; readonly id: string; readonly reason: RecordRefused };

/**
 * Thrown when a condition of a record's writes does not hold although no other commit was made: another item has
 * changed, or exists. A new plan from current items has the same condition, so the commit can't be made.
 */
export class ConditionRefused extends StoreConflict {}

/**
 * Thrown when only a part of a commit was written. `refused` has the changes that other commits made impossible. When
 * it is empty, the remaining changes could not be written, and `cause` is the error.
 */
export class PartlyCommitted extends StoreConflict {
  readonly refused: readonly RefusedChange[];
  constructor(refused: readonly RefusedChange[], cause?: unknown) {
    super('other requests are changing the same data; a part of the changes was made');
    this.refused = refused;
    this.cause = cause;
  }
}
