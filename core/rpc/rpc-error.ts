import { errorCodes, type ErrorCode } from '../../contract/error-codes.ts';
import { DomainError, type DomainErrorName } from '../runtime/domain-errors.ts';
import { isTransient } from '../runtime/errors.ts';
import type { ErrorBody } from '../../contract/rpc.ts';

/** The one error of the admin interface: a code of the closed table and words for the caller. Anything else thrown is `internal`. */
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

/** `not_found` for a kind of resource; it does not repeat the id. */
export const notFound = (kind: string): RpcError => new RpcError('not_found', `there is no such ${kind}`);

const codeOfDomainError: { readonly [Name in DomainErrorName]: ErrorCode } = {
  NotFound: 'not_found',
  AlreadyExists: 'already_exists',
  FailedPrecondition: 'failed_precondition',
  InvalidInput: 'invalid_argument',
  LimitReached: 'resource_exhausted',
  StoreConflict: 'aborted',
  Unavailable: 'unavailable',
};

/** Whether an error was thrown for the caller; any other one is a failure of ours. */
export const isForCaller = (error: unknown): boolean => error instanceof RpcError || error instanceof DomainError;

/** Any error as the caller sees it: a domain error by its code, `unavailable` where trying again later is right, else `internal` without the cause. */
export const toRpcError = (error: unknown): RpcError => {
  if (error instanceof RpcError) return error;
  if (error instanceof DomainError) return new RpcError(codeOfDomainError[error.name], error.message);
  if (isTransient(error)) return new RpcError('unavailable', 'the service is busy; try again in a moment');
  return new RpcError('internal', 'something went wrong on our side');
};
