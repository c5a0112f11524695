/**
 * The errors that core/ throws for its callers. Their messages are meant for the caller of an interface: they state the
 * problem and the action to take, without ids or addresses. Each interface maps them to its own errors; the admin
 * interface by one table (`core/rpc/rpc-error.ts`).
 */
export abstract class DomainError extends Error {
  abstract override readonly name: DomainErrorName;
}

export type DomainErrorName =
  'NotFound' | 'AlreadyExists' | 'FailedPrecondition' | 'InvalidInput' | 'LimitReached' | 'StoreConflict' | 'Unavailable';

export class NotFound extends DomainError {
  override readonly name = 'NotFound';
  /** @param kind of resource: `domain`. The message does not repeat the id. */
  constructor(kind: string) {
    super(`there is no such ${kind}`);
  }
}

/** A unique name is in use already. */
export class AlreadyExists extends DomainError {
  override readonly name = 'AlreadyExists';
}

/** The state of a resource does not permit the operation. */
export class FailedPrecondition extends DomainError {
  override readonly name = 'FailedPrecondition';
}

/** A value that no state would make acceptable. */
export class InvalidInput extends DomainError {
  override readonly name = 'InvalidInput';
}

/** A quota is used up. */
export class LimitReached extends DomainError {
  override readonly name = 'LimitReached';
}

/**
 * Every attempt of a conditional write was overtaken by another writer. Nothing (more) was changed: the caller may try
 * again.
 */
export class StoreConflict extends DomainError {
  override readonly name = 'StoreConflict';
  constructor(message = 'other requests are changing the same data; try again') {
    super(message);
  }
}

/** A provider can't serve the request now; trying again later is right. */
export class Unavailable extends DomainError {
  override readonly name = 'Unavailable';
}
