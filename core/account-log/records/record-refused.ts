import type { SetErrorType } from '../../../contract/jmap/core.ts';
import { StoreConflict } from '../../runtime/domain-errors.ts';

/** A record would break a rule of its type. The fields are those of a SetError (RFC 8620 §5.3). */
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
 * A commit failed after the response to a transaction was lost: it may have been made, or may be made yet. `cause` is
 * the failure.
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
 * A condition of a record's writes does not hold, though no other commit was made: another item has changed, or exists.
 * A plan from items that were read again has the same condition, so that the commit can't be made.
 */
export class ConditionRefused extends StoreConflict {}

/**
 * A commit was written in part. Its other changes are those in `refused`, which other commits made impossible. When the
 * list is empty, the remaining changes could not be written, and `cause` is the error.
 */
export class PartlyCommitted extends StoreConflict {
  readonly refused: readonly RefusedChange[];
  constructor(refused: readonly RefusedChange[], cause?: unknown) {
    super('other requests are changing the same data; a part of the changes was made');
    this.refused = refused;
    this.cause = cause;
  }
}
