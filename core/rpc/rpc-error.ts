import { errorCodes, type ErrorCode } from '../../contract/rpc/error-codes.ts';
import { DomainError, type DomainErrorName } from '../runtime/domain-errors.ts';
import { isTransient } from '../runtime/errors.ts';
import type { ErrorBody } from '../../contract/rpc/rpc.ts';

/** An error of the admin API (docs/specification.md#errors): one of its codes, and a message for the caller. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: ErrorCode;
  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
  get status(): number {
    return errorCodes[this.code];
  }
  get body(): ErrorBody {
    return { code: this.code, message: this.message };
  }
}

/** `not_found` for a kind of resource; the message does not repeat the id. */
export const notFound = (kind: string): RpcError => new RpcError('not_found', `there is no such ${kind}`);

/** How the errors of `core/` are named on the wire. */
const codeOfDomainError: { readonly [Name in DomainErrorName]: ErrorCode } = {
  NotFound: 'not_found',
  AlreadyExists: 'already_exists',
  FailedPrecondition: 'failed_precondition',
  InvalidInput: 'invalid_argument',
  LimitReached: 'resource_exhausted',
  StoreConflict: 'aborted',
  Unavailable: 'unavailable',
};

/** Whether an error is the caller's to handle. Any other one is logged as a failure of the service. */
export const isForCaller = (error: unknown): boolean => error instanceof RpcError || error instanceof DomainError;

/**
 * Maps any error to the wire: a domain error by its name, a transient one of AWS to `unavailable`, any other to
 * `internal`, without its message.
 */
export const toRpcError = (error: unknown): RpcError => {
  if (error instanceof RpcError) return error;
  if (error instanceof DomainError) return new RpcError(codeOfDomainError[error.name], error.message);
  if (isTransient(error)) return new RpcError('unavailable', 'the service is busy; try again in a moment');
  return new RpcError('internal', 'something went wrong on our side');
};
