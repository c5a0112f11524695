import { errorCodes, type ErrorCode } from '../../contract/rpc/error-codes.ts';
import type { ErrorBody } from '../../contract/rpc/rpc.ts';
import { isTransient } from '../runtime/aws-errors.ts';
import { DomainError, type DomainErrorName } from '../runtime/domain-errors.ts';

/** An error of the admin API (docs/specification.md#errors): its code, and a message for the caller. */
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

/** The error `not_found` for a kind of resource. Its message does not repeat the id. */
export const notFound = (kind: string): RpcError => new RpcError('not_found', `there is no such ${kind}`);

/** The codes of the domain errors of `core/`. */
const codeOfDomainError: { readonly [Name in DomainErrorName]: ErrorCode } = {
  NotFound: 'not_found',
  AlreadyExists: 'already_exists',
  FailedPrecondition: 'failed_precondition',
  InvalidInput: 'invalid_argument',
  LimitReached: 'resource_exhausted',
  StoreConflict: 'aborted',
  Unavailable: 'unavailable',
};

/** Whether an error's message is meant for the caller. Any other error is logged as a failure of the service. */
export const isForCaller = (error: unknown): boolean => error instanceof RpcError || error instanceof DomainError;

/** Maps any error to an RpcError: domain errors by name, transient errors to `unavailable`, others to `internal`. */
export const toRpcError = (error: unknown): RpcError => {
  if (error instanceof RpcError) return error;
  if (error instanceof DomainError) return new RpcError(codeOfDomainError[error.name], error.message);
  if (isTransient(error)) return new RpcError('unavailable', 'the service is busy; try again in a moment');
  return new RpcError('internal', 'something went wrong on our side');
};
