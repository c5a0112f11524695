/**
 * The errors that core/ throws for its callers. Their messages are meant for the caller of an interface: they state the
 * problem and the action to take, without ids or addresses. Each interface maps these errors to its own; the admin
 * interface by one table (`core/rpc/rpc-error.ts`).
 */
export abstract class DomainError extends Error {
  abstract override readonly name: DomainErrorName;
}

export type DomainErrorName = 'NotFound' | 'AlreadyExists' | 'FailedPrecondition' | 'InvalidInput' | 'LimitReached' | 'StoreConflict' | 'Unavailable';

export class NotFound extends DomainError {
  override readonly name = 'NotFound';
  /** @param kind the kind of resource, such as `domain`. The message does not repeat the id. */
  constructor(kind: string) {
    super(`there is no such ${kind}`);
  }
}

/** Thrown when a unique name is already in use. */
export class AlreadyExists extends DomainError {
  override readonly name = 'AlreadyExists';
}

/** Thrown when the state of a resource does not permit the operation. */
export class FailedPrecondition extends DomainError {
  override readonly name = 'FailedPrecondition';
}

/** Thrown for a value that is invalid in any state. */
export class InvalidInput extends DomainError {
  override readonly name = 'InvalidInput';
}

/** Thrown when a quota is used up. */
export class LimitReached extends DomainError {
  override readonly name = 'LimitReached';
}

/**
 * Thrown when each attempt of a conditional write lost the race with another writer. The call changed nothing further, and
 * the caller may try again.
 */
export class StoreConflict extends DomainError {
  override readonly name = 'StoreConflict';
  constructor(message = 'other requests are changing the same data; try again') {
    super(message);
  }
}

/** Thrown when a provider can't serve the request now. The caller should try again later. */
export class Unavailable extends DomainError {
  override readonly name = 'Unavailable';
}
